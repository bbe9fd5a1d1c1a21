import { readFileSync, writeFileSync } from "node:fs"
import * as Http from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, ManagedRuntime, Option, type Scope } from "effect"
import type { Page } from "playwright-core"
import type { CheckerStatus } from "../../src/Checkers/Checker/CheckerStatus.ts"
import type { Outcome } from "../../src/Checkers/Checker.ts"
import * as Texts from "../../src/Http/Pages/texts.browser.js"
import { Browser, isInstalled, visit } from "../fixtures/Browser.ts"
import { feedWith } from "../fixtures/FeedStatuses.ts"
import { finding } from "../fixtures/Findings.ts"
import { listeningPort } from "../fixtures/ListeningPort.ts"
import { outcomes } from "../fixtures/Outcomes.ts"
import { lookupWith } from "../fixtures/ReputationStatuses.ts"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import { noCheckers, noFeeds, portsUnderTest, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Statuses in the order of the checkers; findings of the first one. */
const outcomesWith = (
  statuses: ReadonlyArray<CheckerStatus>,
  findings: Outcome["findings"] = []
): ReadonlyArray<Outcome> =>
  outcomes().map((outcome, index) => ({
    ...outcome,
    status: statuses[index] ?? "ok",
    findings: index === 0 ? findings : [],
    elapsed: 10 * index
  }))

const LONG = `https://example.com/${"x".repeat(3000)}`
const ADVISORY = "Advisory provided by Google: https://developers.google.com/safe-browsing/v4/advisory"

const HOSTILE = `https://x.example/"><img src=x onerror=alert(1)><a href='//y.example'>\u202egpj`

const outcomesByUrl: ReadonlyMap<string, ReadonlyArray<Outcome>> = new Map([
  ["https://example.com/", outcomesWith([])],
  [
    "https://statuses.example/",
    outcomesWith(["ok", "stale", "not-configured", "timeout", "unavailable", "failed"])
  ],
  ["http://login.example/", outcomesWith([], [finding("unwantedSoftware", { reason: "Suspected" })])],
  [
    "https://google.example/",
    outcomesWith([], [finding("unwantedSoftware", { reason: `Suspected unwanted software. ${ADVISORY}` })])
  ],
  [
    LONG,
    outcomesWith(
      [],
      [
        finding("listedPage", { reason: `Listed: ${LONG}` }),
        finding("notHttps", { reason: "URL is not HTTPS" })
      ]
    )
  ],
  [
    HOSTILE,
    outcomesWith([], [finding("listedUrl", { reason: "Listed: <img src=x onerror=alert(1)>\u202e" })])
  ]
])

/** The service with these outcomes. It never answers for `slow.example` and fails for any other URL. */
const service = (env: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    serviceUnderTest(
      {
        checkAll: (url) =>
          url === "https://slow.example/"
            ? Effect.never
            : Effect.fromNullable(outcomesByUrl.get(url)).pipe(Effect.orDieWith(() => new Error("boom")))
      },
      env
    ),
    (port) => `http://127.0.0.1:${port}/`
  )

/** A reverse proxy that serves the service on a port below a path. */
const below = (path: string, port: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Http.createServer((request, response) => {
        const { method, headers, url = "" } = request
        const forwarded = Http.request(
          {
            host: "127.0.0.1",
            port,
            method,
            headers,
            path: url.startsWith(path) ? url.slice(path.length - 1) : "/404"
          },
          (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers))
        )
        request.pipe(forwarded)
      })
    ),
    (proxy) =>
      Effect.sync(() => {
        proxy.close()
        proxy.closeAllConnections()
      })
  ).pipe(
    Effect.flatMap(listeningPort),
    Effect.map((port) => ({ port, path }))
  )

const type = (page: Page, url: string) =>
  Effect.promise(async () => {
    await page.fill("#url", url)
    await page.press("#url", "Enter")
  })

const check = (page: Page, url: string) =>
  Effect.zipRight(
    type(page, url),
    Effect.promise(() => page.waitForSelector("#submit:not([aria-busy])"))
  )

const textOf = (page: Page, selector: string) => Effect.promise(() => page.innerText(selector))

/** The value of an expression in the page. */
const evaluate = (page: Page, expression: string): Effect.Effect<unknown> =>
  Effect.promise(() => page.evaluate(expression))

const press = (page: Page, key: string) => Effect.promise(() => page.keyboard.press(key))

const focused = (page: Page) => evaluate(page, "document.activeElement.id")

/** The violations of accessibility rules, as `rule: element`. */
const violations = (page: Page, options: object) =>
  Effect.promise(async () => {
    await page.evaluate(axe)
    const found: { violations: ReadonlyArray<{ id: string; nodes: ReadonlyArray<{ html: string }> }> } =
      await page.evaluate(`axe.run(${JSON.stringify(options)})`)
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })

/**
 * One browser for all tests. Not with `layer` of `@effect/vitest`, which replaces `it` in every file that the same worker
 * runs later: their tests would share one clock.
 */
const browser = ManagedRuntime.make(Browser.layer)
afterAll(() => browser.dispose())

const inBrowser = <A, E>(
  name: string,
  test: () => Effect.Effect<A, E, Browser | Scope.Scope>,
  timeout?: number
) =>
  it.scoped(
    name,
    () =>
      Effect.flatMap(
        Effect.promise(() => browser.runPromise(Browser)),
        (browser) => Effect.provideService(test(), Browser, browser)
      ),
    timeout
  )

describe.skipIf(!isInstalled)("in a browser", () => {
  describe("the page for people", () => {
    inBrowser("shows verdict, score, reasons, statuses and times", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* visit(yield* service())
        assert.isFalse(yield* Effect.promise(() => page.isVisible("#result")))

        yield* check(page, "https://example.com/")
        assert.strictEqual(yield* textOf(page, "#verdict"), "Safe")
        assert.strictEqual(yield* textOf(page, ".score p"), "0\nof 100")
        assert.isFalse(yield* Effect.promise(() => page.isVisible("#because")))
        assert.strictEqual(
          yield* textOf(page, "#announcement"),
          "Safe. Score 0 of 100. Nothing was found by 6 of 6 checkers. That does not prove that nothing is there."
        )

        yield* check(page, "https://statuses.example/")
        assert.strictEqual(
          yield* textOf(page, "#advice"),
          "Nothing was found by 2 of 6 checkers. That does not prove that nothing is there."
        )
        assert.deepStrictEqual(yield* Effect.promise(() => page.locator("#checkers li").allInnerTexts()), [
          "Heuristics\nanswered\n0.0 ms",
          "Threat list A\nanswered from older data\n10 ms",
          "Reputation lookup\nswitched off\n20 ms",
          "Threat list B\ntook too long\n30 ms",
          "Threat list C\ncould not be asked\n40 ms",
          "Threat list D\nfailed\n50 ms"
        ])
        const shares = yield* evaluate(
          page,
          `Array.from(document.querySelectorAll("#checkers li"), ({ style }) => style.getPropertyValue("--share"))`
        )
        assert.deepStrictEqual(shares, ["0", "0.2", "0.4", "0.6", "0.8", "1"])

        yield* check(page, "http://login.example/")
        assert.deepStrictEqual(
          [yield* textOf(page, "#verdict"), yield* textOf(page, "#score"), yield* textOf(page, "#reasons")],
          ["Suspicious", "40", "Suspected"]
        )
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser("shows Google's notice beside a reason from Google, and only then", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* visit(yield* service())
        const hasNotice = Effect.promise(() => page.isVisible("#google"))
        assert.isFalse(yield* hasNotice)
        yield* check(page, "https://google.example/")
        assert.isTrue(yield* hasNotice)
        assert.match(yield* textOf(page, "#google"), /^Google works to provide the most accurate/)
        yield* check(page, "http://login.example/")
        assert.isFalse(yield* hasNotice)
        assert.notInclude(yield* textOf(page, "body"), "Google")
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser("says that the operator's lists decided, and only then", () =>
      Effect.gen(function* () {
        const folder = yield* ServiceProcess.temporaryFolder
        const allow = join(folder, "allow.txt")
        writeFileSync(allow, "login.example\n")
        const block = join(folder, "block.txt")
        writeFileSync(block, "example.com\n")
        const { complaints, page } = yield* visit(yield* service({ ALLOW_LIST: allow, BLOCK_LIST: block }))
        yield* check(page, "http://login.example/")
        assert.strictEqual(
          yield* textOf(page, "#announcement"),
          "Safe. Score 0 of 100. The operator of this service allows this address: what the checkers found about it does not count. It is the operator's decision, not the result of a check."
        )
        assert.isTrue(yield* Effect.promise(() => page.isVisible("#override")))
        yield* check(page, "https://example.com/")
        assert.deepStrictEqual(
          [
            yield* textOf(page, "#verdict"),
            yield* textOf(page, "#override"),
            yield* textOf(page, "#reasons")
          ],
          [
            "Phishing",
            "The operator of this service blocks this link.",
            "The address example.com is blocked by the operator of this service"
          ]
        )
        yield* check(page, "https://statuses.example/")
        assert.isFalse(yield* Effect.promise(() => page.isVisible("#override")))
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser("works with the keyboard alone, and copies the request as curl", () =>
      Effect.gen(function* () {
        const origin = yield* service()
        const { complaints, page } = yield* visit(origin, {
          permissions: ["clipboard-read", "clipboard-write"]
        })
        yield* press(page, "Tab")
        assert.strictEqual(yield* focused(page), "url")
        yield* Effect.promise(() => page.keyboard.type("https://example.com/"))
        yield* press(page, "Enter")
        yield* Effect.promise(() => page.waitForSelector("#result:not([hidden])"))
        assert.strictEqual(yield* focused(page), "url")
        const order: Array<unknown> = []
        for (let stop = 0; stop < 3; stop++) {
          yield* press(page, "Tab")
          order.push(yield* focused(page))
        }
        assert.deepStrictEqual(order, ["submit", "example", "copy"])
        yield* press(page, "Enter")
        yield* Effect.promise(() => page.waitForSelector("#copy:has-text('Copied')"))
        assert.strictEqual(
          yield* evaluate(page, "navigator.clipboard.readText()"),
          Texts.curl(`${origin}api/check`, "https://example.com/")
        )
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser("shows untrusted text as text, does not link to it and keeps it out of the history", () =>
      Effect.gen(function* () {
        const origin = yield* service()
        const { complaints, page, requests } = yield* visit(origin)
        yield* check(page, HOSTILE)
        assert.strictEqual(yield* textOf(page, "#verdict"), "Phishing")
        assert.strictEqual(yield* textOf(page, "#subject"), HOSTILE.replace("\u202e", "\\u{202e}"))
        assert.strictEqual(yield* textOf(page, "#reasons"), "Listed: <img src=x onerror=alert(1)>\\u{202e}")
        assert.deepStrictEqual(
          yield* evaluate(
            page,
            `({
              inResult: Array.from(document.querySelectorAll("#result :is(a, img, script)"), (found) => found.outerHTML),
              links: Array.from(document.links, ({ pathname }) => pathname),
              address: location.href,
              title: document.title,
              historyLength: history.length
            })`
          ),
          {
            inResult: [],
            links: ["/docs", "/health/ready"],
            address: origin,
            title: "Is this link phishing?",
            historyLength: 2
          }
        )
        assert.deepStrictEqual(
          requests.filter((address) => !address.startsWith(origin)),
          []
        )
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser("says why there is no result, and hides the previous one", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* visit(yield* service({ RATE_LIMIT: "4" }))
        const shownError = Effect.gen(function* () {
          assert.isFalse(yield* Effect.promise(() => page.isVisible("#result")))
          return yield* textOf(page, "#error")
        })
        yield* check(page, "  ")
        assert.strictEqual(yield* shownError, "Paste a link first.")
        assert.strictEqual(yield* focused(page), "url")
        assert.strictEqual(yield* Effect.promise(() => page.getAttribute("#url", "aria-invalid")), "true")

        yield* check(page, "https://example.com/")
        assert.strictEqual(yield* Effect.promise(() => page.innerText("#error")), "")
        assert.isNull(yield* Effect.promise(() => page.getAttribute("#url", "aria-invalid")))
        yield* check(page, "https://bug.example/")
        assert.strictEqual(
          yield* shownError,
          "The service failed to check it (status 500). This says nothing about the link."
        )
        yield* check(page, "x".repeat(70_000))
        assert.strictEqual(yield* shownError, "This is too long for a link: the service reads up to 64 KiB.")

        yield* type(page, "https://slow.example/")
        assert.strictEqual(yield* textOf(page, "#announcement"), "Checking")
        yield* check(page, "https://example.com/")
        assert.strictEqual(
          yield* shownError,
          "Too many checks came from your address. Try again in 15 minutes."
        )

        for (const body of ["<html>Log in first</html>", '{"error":"Not found"}', "null"]) {
          yield* Effect.promise(() => page.route("**/api/check", (route) => route.fulfill({ body })))
          yield* check(page, "https://example.com/")
          assert.strictEqual(
            yield* shownError,
            "Something other than the service answered. This says nothing about the link."
          )
          yield* Effect.promise(() => page.unroute("**/api/check"))
        }

        yield* Effect.promise(() => page.context().setOffline(true))
        yield* check(page, "https://example.com/")
        assert.strictEqual(
          yield* shownError,
          "The service was not reached. This says nothing about the link: try again."
        )
        assert.deepStrictEqual(complaints, [])
      })
    )

    for (const [colorScheme, ground, rules] of [
      ["light", "rgb(245, 246, 248)", {}],
      // The dark page differs only in its colours.
      ["dark", "rgb(16, 19, 26)", { runOnly: ["color-contrast"] }]
    ] as const)
      inBrowser(`is accessible, and fits 320 pixels, in ${colorScheme}`, () =>
        Effect.gen(function* () {
          const { complaints, page } = yield* visit(yield* service(), {
            colorScheme,
            viewport: { width: 320, height: 640 }
          })
          const background = yield* evaluate(page, "getComputedStyle(document.body).backgroundColor")
          assert.strictEqual(background, ground)
          for (const url of [
            undefined,
            "",
            "https://statuses.example/",
            "https://example.com/",
            "http://login.example/",
            LONG
          ]) {
            if (url !== undefined) yield* check(page, url)
            assert.deepStrictEqual(yield* violations(page, rules), [], url)
            const widest = yield* evaluate(page, "document.documentElement.scrollWidth")
            assert.strictEqual(widest, 320, url)
          }
          assert.deepStrictEqual(complaints, [])
        })
      )
  })

  describe("the page of state", () => {
    for (const colorScheme of ["light", "dark"] as const)
      inBrowser(`is accessible, and fits 320 pixels, in ${colorScheme}`, () =>
        Effect.gen(function* () {
          const { adminPort } = yield* portsUnderTest(
            { ...noCheckers, latest: Effect.succeed(new Map([["feed_a", "ok"]] as const)) },
            { ADMIN_PORT: "0" },
            {
              ...noFeeds,
              feed_a: feedWith({ sourceName: LONG }),
              feed_b: feedWith({ current: Option.none() })
            },
            undefined,
            undefined,
            undefined,
            lookupWith({
              mode: "real-time",
              lists: [
                {
                  name: LONG,
                  entries: 4_310_277,
                  fetchedAt: 0,
                  isStale: true,
                  nextUpdateAt: 1_800_000,
                  lastError: Option.some({ message: LONG, at: 0 })
                }
              ],
              search: { breaker: "half-open", lastError: Option.some({ message: LONG, at: 0 }) }
            })
          )
          const { complaints, page } = yield* visit(`http://127.0.0.1:${Option.getOrThrow(adminPort)}/`, {
            colorScheme,
            viewport: { width: 320, height: 640 }
          })
          assert.strictEqual(yield* textOf(page, "h1"), "State of the service")
          assert.include(yield* textOf(page, "main"), "Local lists of Safe Browsing")
          assert.deepStrictEqual(yield* violations(page, {}), [])
          assert.strictEqual(yield* evaluate(page, "document.documentElement.scrollWidth"), 320)
          assert.deepStrictEqual(complaints, [])
        })
      )
  })

  describe("the documentation", () => {
    for (const [where, front] of [
      ["from a build, without another origin", (port: number) => Effect.succeed({ port, path: "/" })],
      ["also below the path of a proxy", (port: number) => below("/scoring/", port)]
    ] as const)
      inBrowser(
        `lists the contract and executes a request, ${where}`,
        () =>
          Effect.gen(function* () {
            const { port, path } = yield* front((yield* ServiceProcess.make({})).port)
            const origin = `http://127.0.0.1:${port}${path}`
            const { complaints, page, requests } = yield* visit(`${origin}docs`)
            yield* Effect.promise(async () => {
              await page.click("#operations-check-check .opblock-summary-control")
              await page.click("text=Try it out")
              await page.click("text=Execute")
              await page.waitForSelector(".live-responses-table")
            })
            assert.match(yield* textOf(page, ".live-responses-table"), /"verdict":/)
            assert.include(requests, `${origin}api/check`)
            assert.deepStrictEqual(
              requests.filter((address) => !address.startsWith(origin) && !address.startsWith("data:")),
              []
            )
            assert.deepStrictEqual(complaints, [])
          }),
        // Includes a build, if there is none.
        90_000
      )
  })
})
