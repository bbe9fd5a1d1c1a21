import { writeFileSync } from "node:fs"
import * as Http from "node:http"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, ManagedRuntime, type Scope } from "effect"
import type { BrowserContextOptions, Page } from "playwright-core"
import { type CheckerStatus, checkerIds } from "../../src/Checkers/Checker/CheckerNames.ts"
import type { Finding, Outcome } from "../../src/Checkers/Checker.ts"
import * as Texts from "../../src/Http/Pages/texts.browser.js"
import { Browser, isInstalled, violations, visit, visitUnbuilt } from "../fixtures/Browser.ts"
import { feedWith } from "../fixtures/FeedStatuses.ts"
import { finding } from "../fixtures/Findings.ts"
import { listeningPort } from "../fixtures/ListeningPort.ts"
import { outcomes } from "../fixtures/Outcomes.ts"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import { serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"
import { english } from "../fixtures/Texts.ts"

/** Statuses in the order of the checkers, and findings. */
const outcomesWith = (
  findings: ReadonlyArray<Finding> = [],
  statuses: ReadonlyArray<CheckerStatus> = []
): ReadonlyArray<Outcome> =>
  outcomes(
    Object.fromEntries(
      checkerIds.map((checker, index) => [
        checker,
        {
          status: statuses[index] ?? "ok",
          findings: findings.filter((finding) => finding.checker === checker),
          elapsed: 10 * index
        }
      ])
    )
  )

const LONG = `https://example.com/${"x".repeat(3000)}`
const ADVISORY = "https://developers.google.com/safe-browsing/v4/advisory"

const said = ({ help, title }: Texts.Refusal) => `${english.say(title)} ${english.say(help)}`
const EMPTY = said(Texts.EMPTY)
const NOT_A_LINK = said(Texts.refusalOf("just text"))

/** A link with characters that have a meaning in markup or reverse text. */
const HOSTILE = "https://x.example/'onerror=alert(1)&amp;b&copy;\u202egpj"
const MARKUP = `"><img src=x onerror=alert(1)><a href='//y.example'>\u202e`

const TRAP = "https://paypal-konto-pruefung.example/login"
const AMBER = "rgb(255, 194, 77)"

/** The link of the page's example. */
const EXAMPLE = "http://paypa1-secure.example/login"

/** Messages that begin with a genuine link, with the lines of the other links: verdict and site. */
const messages = [
  {
    language: "German",
    text: `PayPal: https://www.paypal.example/ Hilfe. Jetzt bestätigen: ${TRAP}`,
    disguise: "",
    headline: "Do not open it",
    shown: [["Nothing found", "paypal.example"]]
  },
  {
    language: "English",
    text: "Dear customer, see https://www.paypal.example/ for help.\n\nConfirm your account",
    html: `<p>Dear customer, see <a href="https://www.paypal.example/">https://www.paypal.example/</a> for help.</p><p><a href="${TRAP}"><b>Confirm</b> your account</a></p>`,
    disguise: "The message shows “Confirm your account” in its place.",
    headline: "Do not open it",
    shown: [["Nothing found", "paypal.example"]]
  },
  {
    language: "Polish",
    text: "Szanowny Kliencie, pomoc: www.paypal.example. Potwierdź konto: www.paypal.example/konto",
    html: `Szanowny Kliencie, pomoc: <a href='https://www.paypal.example/'>www.paypal.example</a>. Potwierdź konto: <a data-href="https://www.paypal.example/" href="${TRAP}">www.paypal.example/konto</a>`,
    disguise: "The message shows “www.paypal.example/konto” in its place.",
    headline: "Do not open it",
    shown: [
      ["Nothing found", "paypal.example"],
      ["Nothing found", "paypal.example"],
      ["Nothing found", "paypal.example"]
    ]
  }
]

/** Links in which nothing is found. */
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://example.com/${index}`)

const harmless = [
  ...numbered(14),
  "https://www.paypal.example/",
  "www.paypal.example",
  "www.paypal.example/konto",
  "example.com/help"
]

/** What the service finds about a link. */
const outcomesByUrl: ReadonlyMap<string, ReadonlyArray<Outcome>> = new Map([
  ...harmless.map((link) => [link, outcomesWith()] as const),
  [TRAP, outcomesWith([finding("listedUrl", { checker: "feed_a", source: "feed.example" })])],
  [EXAMPLE, outcomesWith([finding("listedUrl")])],
  ["https://example.com/", outcomesWith()],
  ["http://example.com/", outcomesWith([finding("notHttps")])],
  ["https://short.example/abc", outcomesWith([finding("shortener")])],
  ["https://incomplete.example/", outcomesWith([], ["ok", "timeout", "not-configured", "stale", "failed"])],
  ["http://bad..host", outcomesWith([finding("malformed")])],
  ["https://allowed.example/", outcomesWith([finding("listedUrl")])],
  ["https://blocked.example/", outcomesWith()],
  ["https://suspicious.example/", outcomesWith([finding("unwantedSoftware")])],
  [
    LONG,
    outcomesWith([
      finding("listedPage", { checker: "feed_a", source: "feed.example", reason: `Listed: ${LONG}` }),
      finding("severeThreat", {
        checker: "reputation_lookup",
        reason: `Suspected phishing. Advisory provided by Google: ${ADVISORY}`
      }),
      finding("notHttps")
    ])
  ],
  [HOSTILE, outcomesWith([finding("harmfulFile", { points: 80, details: { file: MARKUP } })])]
])

/** The service with these outcomes. It answers for `slow.example` at the end of the test, and fails for any other URL. */
const service = (env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const end = yield* Deferred.make<ReadonlyArray<Outcome>>()
    const port = yield* serviceUnderTest({
      checkers: {
        hasAddresses: true,
        checkAll: (url) =>
          url === "https://slow.example/"
            ? Deferred.await(end)
            : Effect.fromNullable(outcomesByUrl.get(url)).pipe(Effect.orDieWith(() => new Error("boom")))
      },
      env,
      feeds: {
        feed_a: feedWith({ sourceName: "feed.example" }),
        feed_b: feedWith({ sourceName: "B & Co" })
      }
    })
    // Else the server would wait 30 s for its idle timeout.
    yield* Effect.addFinalizer(() => Deferred.succeed(end, []))
    return `http://127.0.0.1:${port}/`
  })

/** A reverse proxy that serves the service on a port below a path. */
const below = (path: string, port: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Http.createServer((request, response) => {
        const { method, url = "" } = request
        // An idle connection would delay the end of the service.
        const headers = { ...request.headers, connection: "close" }
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
        // The browser drops requests when a page is left.
        forwarded.on("error", () => response.destroy())
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

/** Presses Enter in the field. */
const enter = (page: Page, text: string) =>
  Effect.promise(async () => {
    await page.fill("#text", text)
    await page.press("#text", "Enter")
  })

/** Checks a text and waits for the answer. */
const check = (page: Page, text: string) =>
  Effect.zipRight(
    enter(page, text),
    Effect.promise(() => page.waitForSelector("#submit:not([aria-busy])"))
  )

const textOf = (page: Page, selector: string) => Effect.promise(() => page.innerText(selector))

/** The verdict and the site of each link in the list of a message. */
const rows = (page: Page) =>
  Effect.promise(async () => {
    const items = await page.locator(".link > summary").all()
    return Promise.all(
      items.map((item) => Promise.all([".verdict", ".site"].map((part) => item.locator(part).innerText())))
    )
  })

const isVisible = (page: Page, selector: string) => Effect.promise(() => page.isVisible(selector))

/** The value of an expression in the page. */
const evaluate = (page: Page, expression: string): Effect.Effect<unknown> =>
  Effect.promise(() => page.evaluate(expression))

const press = (page: Page, key: string) => Effect.promise(() => page.keyboard.press(key))

const focused = (page: Page) => evaluate(page, "document.activeElement.id")

const inScheme = (page: Page, colorScheme: "light" | "dark") =>
  Effect.promise(() => page.emulateMedia({ colorScheme }))

const ALL_RULES = {}
const CONTRAST = { runOnly: ["color-contrast"] }

/** Asserts that what is shown is accessible in both schemes (which differ only in their colours), and fits 320 pixels. */
const assertAccessible = (page: Page, shown: string, rules: object = CONTRAST) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* violations(page, rules), [], shown)
    yield* inScheme(page, "dark")
    assert.deepStrictEqual(yield* violations(page, CONTRAST), [], `${shown}, dark`)
    yield* inScheme(page, "light")
    assert.strictEqual(yield* evaluate(page, "document.documentElement.scrollWidth"), 320, shown)
  })

/** A phone from before 2016: the narrowest screen that is in use. */
const narrow: BrowserContextOptions = { viewport: { width: 320, height: 640 } }

/**
 * One browser for all tests. Not with `layer` of `@effect/vitest`, which replaces `it` in every file that the same worker
 * runs later: their tests would share one clock.
 */
const browser = ManagedRuntime.make(Browser.layer)
afterAll(() => browser.dispose())

const inBrowser = <A, E>(name: string, test: () => Effect.Effect<A, E, Browser | Scope.Scope>) =>
  it.scoped(name, () =>
    Effect.flatMap(
      Effect.promise(() => browser.runPromise(Browser)),
      (browser) => Effect.provideService(test(), Browser, browser)
    )
  )

describe.skipIf(!isInstalled)("in a browser", () => {
  describe("the page for people", () => {
    inBrowser("says what to do, in words, a colour and an icon, and is accessible on a narrow screen", () =>
      Effect.gen(function* () {
        const folder = yield* ServiceProcess.temporaryFolder
        const [ALLOW_LIST, BLOCK_LIST] = [join(folder, "allow.txt"), join(folder, "block.txt")]
        writeFileSync(ALLOW_LIST, "allowed.example\n")
        writeFileSync(BLOCK_LIST, "blocked.example\n")
        const { complaints, page } = yield* visitUnbuilt(
          yield* service({
            ALLOW_LIST,
            BLOCK_LIST,
            CONTACT_URL: "mailto:a@example.com",
            REPUTATION_API_KEY: "key"
          }),
          narrow
        )
        assert.isFalse(yield* isVisible(page, "#result"))
        yield* assertAccessible(page, "the first screen", ALL_RULES)

        const red = "rgb(179, 32, 44)"
        const amber = "rgb(255, 194, 77)"
        const blue = "rgb(44, 95, 184)"
        for (const [text, outcome, mark, colour, isWarning] of [
          [LONG, "phishing", "phishing", red, true],
          ["https://blocked.example/", "phishing", "phishing", red, true],
          ["https://suspicious.example/", "suspicious", "suspicious", amber, true],
          ["https://short.example/abc", "hidden", "hidden", amber, false],
          ["https://incomplete.example/", "incomplete", "incomplete", amber, false],
          ["http://bad..host", "malformed", "malformed", blue, false],
          ["https://allowed.example/", "allowed", "allowed", blue, false],
          ["http://example.com/", "little", "nothing", blue, false],
          ["https://example.com/", "nothing", "nothing", blue, false]
        ] as const) {
          yield* check(page, text)
          assert.deepStrictEqual(
            yield* evaluate(
              page,
              `({
                headline: document.querySelector("#headline").innerText,
                colour: getComputedStyle(document.querySelector(".banner")).backgroundColor,
                mark: document.querySelector("#mark").getAttribute("href"),
                hasMark: document.querySelector(document.querySelector("#mark").getAttribute("href")) !== null,
                help: document.querySelector("#help").checkVisibility(),
                mistake: document.querySelector("#mistake").checkVisibility(),
                why: document.querySelector("#because").checkVisibility() ? document.querySelector("#why").innerText : ""
              })`
            ),
            {
              headline: english.say(outcome),
              colour,
              mark: `#mark-${mark}`,
              hasMark: true,
              help: isWarning,
              mistake: isWarning,
              why: ["allowed", "incomplete", "nothing"].includes(outcome)
                ? ""
                : isWarning
                  ? "Why"
                  : "What we noticed"
            },
            text
          )
          // One of each colour. The rest has the same styles.
          if ([LONG, "https://short.example/abc", "https://allowed.example/"].includes(text))
            yield* assertAccessible(page, outcome, text === LONG ? ALL_RULES : CONTRAST)
        }
        assert.strictEqual(
          yield* textOf(page, "#announcement"),
          "We found nothing wrong. 6 checks found nothing bad. That is no guarantee: new traps appear every day. Enter no password if you did not expect this."
        )

        yield* check(page, "Dear Alice, how are you? Yours, Bob (bob@example.com)")
        assert.strictEqual(
          yield* textOf(page, "#error"),
          said(Texts.refusalOf("Yours, Bob (bob@example.com)"))
        )
        assert.isFalse(yield* isVisible(page, "#result"))
        yield* assertAccessible(page, "not a link")

        yield* enter(page, "https://slow.example/")
        assert.strictEqual(
          (yield* textOf(page, "#waiting")).trim(),
          "Checking. This takes a few seconds at most."
        )
        assert.strictEqual(
          yield* textOf(page, "#announcement"),
          "Checking. This takes a few seconds at most."
        )
        yield* assertAccessible(page, "waiting")
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser(
      "offers an example while the field is empty, and has folded details, for the keyboard too",
      () =>
        Effect.gen(function* () {
          const origin = yield* service()
          const { complaints, page } = yield* visitUnbuilt(origin, {
            permissions: ["clipboard-read", "clipboard-write"]
          })
          assert.strictEqual(yield* focused(page), "text")
          assert.isTrue(yield* isVisible(page, "#example"))
          yield* Effect.promise(() => page.keyboard.type("https://incomplete.example/"))
          assert.isFalse(yield* isVisible(page, "#example"))
          yield* press(page, "Shift+Enter")
          yield* press(page, "Enter")
          yield* Effect.promise(() => page.waitForSelector("#result:not([hidden])"))
          assert.strictEqual(yield* focused(page), "text")
          assert.strictEqual(yield* textOf(page, "#subject"), "incomplete.example")
          assert.isFalse(yield* isVisible(page, ".checkers"))

          const order: Array<unknown> = []
          for (let stop = 0; stop < 4; stop++) {
            yield* press(page, "Tab")
            order.push(yield* evaluate(page, "document.activeElement.id || document.activeElement.innerText"))
          }
          assert.deepStrictEqual(order, ["submit", "picture", "How do I copy a link?", "Details"])
          yield* press(page, "Enter")
          assert.deepStrictEqual(yield* Effect.promise(() => page.locator(".checkers li").allInnerTexts()), [
            "Our own check\nfound nothing\n0.0 ms",
            "feed.example\ntook too long\n10 ms",
            "Google Safe Browsing\nswitched off",
            "B & Co\nfound nothing, in older data\n30 ms",
            "List C\nfailed\n40 ms",
            "List D\nfound nothing\n50 ms"
          ])
          assert.strictEqual(yield* textOf(page, ".score"), english.say("score", { score: 0 }))
          assert.strictEqual(
            yield* textOf(page, ".coverage"),
            "3 checks answered. 2 checks did not answer: this result is without what they know."
          )
          yield* press(page, "Tab")
          yield* press(page, "Enter")
          yield* Effect.promise(() => page.waitForSelector(".share:has-text('Copied')"))
          assert.strictEqual(
            yield* evaluate(page, "navigator.clipboard.readText()"),
            `${origin}#url=https%3A%2F%2Fincomplete.example%2F`
          )
          yield* press(page, "Tab")
          yield* press(page, "Enter")
          yield* Effect.promise(() => page.waitForSelector(".copy:has-text('Copied')"))
          assert.strictEqual(
            yield* evaluate(page, "navigator.clipboard.readText()"),
            Texts.curl(`${origin}api/check?findings=true`, "https://incomplete.example/")
          )
          yield* press(page, "Tab")
          yield* press(page, "Tab")
          yield* press(page, "Enter")
          assert.deepStrictEqual(
            [
              yield* focused(page),
              yield* Effect.promise(() => page.inputValue("#text")),
              yield* isVisible(page, "#result")
            ],
            ["text", "", false]
          )

          // An e-mail, of which the button's link is copied with it.
          yield* evaluate(
            page,
            `navigator.clipboard.write([new ClipboardItem({
            "text/plain": new Blob(["Pay now, or read example.com/help"], { type: "text/plain" }),
            "text/html": new Blob(['<a href="https://suspicious.example/">Pay now</a>, or read example.com/help'], { type: "text/html" })
          })])`
          )
          yield* press(page, "Control+v")
          yield* press(page, "Enter")
          yield* Effect.promise(() => page.waitForSelector("#links:not([hidden])"))
          assert.strictEqual(yield* textOf(page, "#subject"), "suspicious.example")
          assert.strictEqual(yield* textOf(page, "#disguise"), "The message shows “Pay now” in its place.")
          assert.deepStrictEqual(yield* rows(page), [["Nothing found", "example.com"]])

          yield* Effect.promise(async () => {
            await page.click("#again")
            await page.click("#example")
            await page.waitForSelector("#result[data-outcome=phishing]", { timeout: 10_000 })
          })
          assert.strictEqual(yield* textOf(page, "#subject"), EXAMPLE.replace("http://", ""))
          assert.deepStrictEqual(complaints, [])
        })
    )

    inBrowser("finds the trap in messages in three languages that begin with a genuine link", () =>
      Effect.gen(function* () {
        const { complaints, page, requests } = yield* visitUnbuilt(yield* service(), {
          ...narrow,
          permissions: ["clipboard-read", "clipboard-write"]
        })
        for (const [index, { language, disguise, headline, html, text, shown }] of messages.entries()) {
          if (index > 0) yield* Effect.promise(() => page.click("#again"))
          yield* evaluate(
            page,
            `navigator.clipboard.write([new ClipboardItem(Object.fromEntries(${JSON.stringify([
              ["text/plain", text],
              ...(html === undefined ? [] : [["text/html", html]])
            ])}.map(([type, content]) => [type, new Blob([content], { type })])))])`
          )
          assert.isFalse(yield* isVisible(page, "#result"), language)
          yield* press(page, "Control+v")
          yield* press(page, "Enter")
          yield* Effect.promise(() => page.waitForSelector("#result[data-outcome=phishing]"))
          assert.strictEqual(yield* textOf(page, "#headline"), headline, language)
          assert.strictEqual(yield* evaluate(page, "document.title"), "Do not open it – Link check", language)
          assert.match(
            yield* textOf(page, "#announcement"),
            /^Do not open it\. \d links checked\. /,
            language
          )
          assert.isTrue(yield* isVisible(page, "#one"), language)
          assert.strictEqual(yield* textOf(page, "#subject"), TRAP.replace("https://", ""), language)
          if (disguise !== "") assert.strictEqual(yield* textOf(page, "#disguise"), disguise, language)
          assert.deepStrictEqual(yield* rows(page), shown, language)
          const sent = requests.filter((address) => address.includes("/api/check"))
          assert.strictEqual(sent.length, index + 1, language)
        }
        // The last message, in Polish, has all kinds of rows.
        yield* assertAccessible(page, "links of a message", ALL_RULES)
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser("says that an attachment of a mail was not read, with a link in its text and without", () =>
      Effect.gen(function* () {
        const { page } = yield* visitUnbuilt(yield* service(), narrow)
        const mail = (text: string) =>
          [
            "From: a@example.com",
            "To: b@example.com",
            'Content-Type: multipart/mixed; boundary="b1"',
            "",
            "--b1",
            "Content-Type: text/plain",
            "",
            text,
            "--b1",
            "Content-Type: application/pdf; name=bill.pdf",
            "Content-Disposition: attachment; filename=bill.pdf",
            "Content-Transfer-Encoding: base64",
            "",
            "JVBERg==",
            "--b1--"
          ].join("\n")
        yield* enter(page, mail("See https://example.com/"))
        yield* Effect.promise(() => page.waitForSelector("#unread:not([hidden])"))
        assert.include(yield* textOf(page, "#unread"), "an attachment that we cannot read")
        yield* enter(page, mail("See the bill"))
        yield* Effect.promise(() => page.waitForSelector("#error:not(:empty)"))
        assert.include(yield* textOf(page, "#error"), "an attachment that we cannot read")
        yield* check(page, "https://example.com/")
        yield* Effect.promise(() => page.waitForSelector("#result:not([hidden])"))
        assert.isFalse(yield* isVisible(page, "#unread"))
      })
    )

    inBrowser("is never blue while a link is unchecked or unanswered, and checks the next ten links", () =>
      Effect.gen(function* () {
        const folder = yield* ServiceProcess.temporaryFolder
        const ALLOW_LIST = join(folder, "allow.txt")
        writeFileSync(ALLOW_LIST, "allowed.example\n")
        const { complaints, page, requests } = yield* visitUnbuilt(yield* service({ ALLOW_LIST }), narrow)
        const shown = evaluate(
          page,
          `({
            headline: document.querySelector("#headline").innerText,
            colour: getComputedStyle(document.querySelector(".banner")).backgroundColor,
            rows: document.querySelectorAll("#links-list > li").length,
            more: document.querySelector("#more").innerText,
            announcement: document.querySelector("#announcement").textContent
          })`
        )
        const links = numbered(14)
        yield* check(page, links.join("\n"))
        assert.deepStrictEqual(yield* shown, {
          headline: "We checked the first 10 of 14 links",
          colour: AMBER,
          rows: 10,
          more: "Check the next 4 links",
          announcement:
            "We checked the first 10 of 14 links. We found nothing serious in these. The others may be a trap: check them before you open them."
        })
        yield* assertAccessible(page, "ten of fourteen links", ALL_RULES)
        yield* Effect.promise(async () => {
          await page.click("#more")
          await page.waitForSelector("#more", { state: "hidden" })
        })
        assert.strictEqual(yield* focused(page), "headline")
        assert.deepInclude(yield* shown, {
          headline: "We found nothing wrong",
          colour: "rgb(44, 95, 184)",
          rows: 14
        })
        assert.strictEqual(yield* textOf(page, "#links-title"), "14 links checked")
        assert.strictEqual(requests.filter((address) => address.includes("/api/check")).length, 2)

        yield* check(page, `${links[0]} ${TRAP} https://incomplete.example/ https://suspicious.example/`)
        assert.deepStrictEqual(
          (yield* rows(page)).map(([verdict]) => verdict),
          ["Be careful", "Not fully checked", "Nothing found"]
        )
        yield* check(page, `${links[0]} https://incomplete.example/`)
        assert.deepInclude(yield* shown, { headline: "Not fully checked", colour: AMBER })
        assert.strictEqual(yield* textOf(page, "#subject"), "incomplete.example")
        yield* check(page, `${links[0]} https://allowed.example/`)
        assert.deepInclude(yield* shown, { headline: "We found nothing serious" })
        assert.isFalse(yield* isVisible(page, "#one"))
        assert.deepStrictEqual(yield* rows(page), [
          ["Allowed", "allowed.example"],
          ["Nothing found", "example.com"]
        ])
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser("checks as many links as the rate limit leaves, and says when to try the others again", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* visitUnbuilt(yield* service({ RATE_LIMIT: "6" }))
        yield* check(page, numbered(14).join(" "))
        assert.strictEqual(yield* textOf(page, "#headline"), "We checked the first 5 of 14 links")
        assert.strictEqual(yield* textOf(page, "#more"), "Check the next 6 links")
        yield* Effect.promise(async () => {
          await page.click("#more")
          await page.waitForSelector("#more-error:not(:empty)")
        })
        assert.strictEqual(
          yield* textOf(page, "#more-error"),
          "Too many checks came from your Internet connection. Others may share it. Try again in 15 minutes."
        )
        assert.strictEqual(yield* textOf(page, "#headline"), "We checked the first 5 of 14 links")
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser("tries again after Retry-After when the service is too busy, twice", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* visitUnbuilt(yield* service())
        let busy = 2
        yield* Effect.promise(async () => {
          await page.clock.install({ time: 0 })
          await page.clock.pauseAt(1000)
          await page.route("**/api/checks", (route) =>
            busy-- > 0 ? route.fulfill({ status: 503, headers: { "retry-after": "1" } }) : route.continue()
          )
        })
        const checkWithTime = (text: string) =>
          Effect.zipRight(
            enter(page, text),
            Effect.promise(async () => {
              while ((await page.locator("#submit[aria-busy]").count()) > 0) await page.clock.runFor(100)
            })
          )
        yield* checkWithTime("https://example.com/")
        assert.strictEqual(yield* textOf(page, "#headline"), english.say("nothing"))
        busy = 3
        yield* checkWithTime("https://example.com/")
        assert.strictEqual(
          yield* textOf(page, "#error"),
          "The service is not available at the moment. Try again in 1 second."
        )
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser(
      "shows untrusted text as text, links only to Google's advisory, and keeps the link out of the history",
      () =>
        Effect.gen(function* () {
          const origin = yield* service()
          const { complaints, page, requests } = yield* visitUnbuilt(origin)
          const links = `Array.from(document.querySelectorAll("#result :is(#reasons, #subject, .facts) :is(a, img, script)"), (found) => found.outerHTML)`
          yield* check(page, LONG)
          assert.deepStrictEqual(yield* evaluate(page, links), [
            `<a href="${ADVISORY}" rel="noreferrer">Advisory provided by Google</a>`
          ])
          yield* check(page, HOSTILE)
          assert.strictEqual(yield* textOf(page, "#headline"), "Do not open it")
          assert.strictEqual(
            yield* textOf(page, "#subject"),
            HOSTILE.replace("https://", "").replace("\u202e", "\\u{202e}")
          )
          assert.strictEqual(
            yield* textOf(page, "#reasons"),
            `The file “${MARKUP.replace("\u202e", "\\u{202e}")}” starts a program when you open it.`
          )
          assert.deepStrictEqual(
            yield* evaluate(
              page,
              `({ inResult: ${links}, address: location.href, title: document.title, historyLength: history.length })`
            ),
            { inResult: [], address: origin, title: "Do not open it – Link check", historyLength: 2 }
          )
          assert.deepStrictEqual(
            requests.filter((address) => !address.startsWith(origin)),
            []
          )
          assert.deepStrictEqual(complaints, [])
        })
    )

    inBrowser("is filled by a link or by an app that shares one, and waits for the button", () =>
      Effect.gen(function* () {
        const origin = yield* service()
        const { complaints, page, requests } = yield* visitUnbuilt(
          `${origin}share?title=Parcel&text=Pay%20https%3A%2F%2Fexample.com%2F%3Fa%2Bb`
        )
        yield* Effect.promise(() => page.waitForSelector("#submit"))
        const state = evaluate(
          page,
          `({
            text: document.querySelector("#text").value,
            address: location.href,
            historyLength: history.length,
            focused: document.activeElement.id
          })`
        )
        yield* Effect.promise(() => page.waitForFunction("document.querySelector('#text').value !== ''"))
        assert.deepStrictEqual(yield* state, {
          text: "Pay https://example.com/?a+b",
          address: origin,
          historyLength: 2,
          focused: "submit"
        })
        yield* check(page, "https://example.com/")
        yield* evaluate(page, "void (location.hash = '#url=https%3A%2F%2Fother.example')")
        yield* Effect.promise(() =>
          page.waitForFunction("document.querySelector('#text').value.includes('other')")
        )
        assert.isFalse(yield* isVisible(page, "#result"))
        assert.strictEqual(requests.filter((address) => address.includes("/api/check")).length, 1)

        const devTools = yield* Effect.promise(() => page.context().newCDPSession(page))
        const [manifest, { installabilityErrors }] = yield* Effect.promise(() =>
          Promise.all([devTools.send("Page.getAppManifest"), devTools.send("Page.getInstallabilityErrors")])
        )
        assert.deepStrictEqual([manifest.url, manifest.errors], [`${origin}App/manifest.webmanifest`, []])
        // Profiles of tests install nothing. Chromium without windows says nothing of it: Pages.test.ts has a test for the manifest.
        assert.deepStrictEqual(
          installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito"),
          []
        )
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser("opens no keyboard on a phone, and shows the verdict or the error on its screen", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* visitUnbuilt(yield* service(), {
          viewport: { width: 360, height: 740 },
          hasTouch: true,
          isMobile: true
        })
        assert.strictEqual(yield* focused(page), "")
        yield* check(page, "https://suspicious.example/")
        assert.strictEqual(yield* focused(page), "headline")
        assert.isBelow(
          Number(yield* evaluate(page, "document.querySelector('#result').getBoundingClientRect().top")),
          40
        )
        yield* Effect.promise(() => page.setViewportSize({ width: 740, height: 360 }))
        yield* check(page, "just text")
        assert.strictEqual(yield* focused(page), "")
        assert.isAtMost(
          Number(yield* evaluate(page, "document.querySelector('#error').getBoundingClientRect().bottom")),
          361
        )
        assert.deepStrictEqual(complaints, [])
      })
    )

    inBrowser(
      "sends one request for a double click, with a proxy's session, and forgets it after another text",
      () =>
        Effect.gen(function* () {
          const origin = yield* service()
          const { complaints, page, requests } = yield* visitUnbuilt(origin)
          const checks = () => requests.filter((address) => address.includes("/api/check")).length
          const sent = Effect.promise(() => page.waitForRequest("**/api/check*"))
          yield* enter(page, "https://slow.example/")
          yield* Effect.promise(() => page.dblclick("#submit"))
          yield* enter(page, "https://slow.example/")
          assert.isTrue(yield* isVisible(page, "#waiting"))
          assert.strictEqual(checks(), 1)
          for (const [text, error] of [
            ["just text", NOT_A_LINK],
            ["  ", EMPTY]
          ] as const) {
            yield* enter(page, text)
            yield* evaluate(page, "new Promise(requestAnimationFrame)")
            assert.strictEqual(yield* textOf(page, "#error"), error)
            assert.strictEqual(yield* textOf(page, "#announcement"), "")
            yield* Effect.all([sent, enter(page, "https://slow.example/")], { concurrency: 2 })
          }
          assert.strictEqual(checks(), 3)
          yield* Effect.promise(() =>
            page.context().addCookies([{ name: "session", value: "1", url: origin }])
          )
          const [request] = yield* Effect.all([sent, check(page, "https://example.com/")], { concurrency: 2 })
          const headers = yield* Effect.promise(() => request.allHeaders())
          assert.strictEqual(headers.cookie, "session=1")
          assert.strictEqual(yield* textOf(page, "#headline"), english.say("nothing"))
          assert.deepStrictEqual(complaints, [])
        })
    )

    inBrowser("says why there is no result, and hides the previous one", () =>
      Effect.gen(function* () {
        const { complaints, page, requests } = yield* visitUnbuilt(yield* service({ RATE_LIMIT: "3" }))
        const shownError = Effect.gen(function* () {
          assert.isFalse(yield* isVisible(page, "#result"))
          assert.isFalse(yield* isVisible(page, "#waiting"))
          return yield* textOf(page, "#error")
        })
        const isInvalid = Effect.promise(() => page.getAttribute("#text", "aria-invalid"))
        for (const [text, error] of [
          ["  ", EMPTY],
          ["just text", NOT_A_LINK]
        ] as const) {
          yield* check(page, text)
          assert.strictEqual(yield* shownError, error)
          assert.deepStrictEqual([yield* focused(page), yield* isInvalid], ["text", "true"])
        }
        assert.deepStrictEqual(
          requests.filter((address) => address.includes("/api/check")),
          []
        )

        yield* check(page, "https://example.com/")
        assert.strictEqual(yield* textOf(page, "#error"), "")
        assert.isNull(yield* isInvalid)
        yield* check(page, "https://bug.example/")
        assert.strictEqual(
          yield* shownError,
          "The service failed to check it (status 500). This says nothing about the link."
        )
        yield* check(page, `https://example.com/${"x".repeat(70_000)}`)
        assert.strictEqual(
          yield* shownError,
          "This link is too long for us to check. Do not open it, unless you expected it."
        )

        yield* check(page, "https://example.com/")
        assert.strictEqual(
          yield* shownError,
          "Too many checks came from your Internet connection. Others may share it. Try again in 15 minutes."
        )

        for (const body of ["<html>Log in first</html>", '{"error":"Not found"}', "null"]) {
          yield* Effect.promise(() => page.route("**/api/check*", (route) => route.fulfill({ body })))
          yield* check(page, "https://example.com/")
          assert.strictEqual(
            yield* shownError,
            "Something other than the service answered. This says nothing about the link."
          )
          yield* Effect.promise(() => page.unroute("**/api/check*"))
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
  })

  describe("the documentation", () => {
    inBrowser(
      "lists the contract and executes a request, also below the path of a proxy, links home and is dark in the dark",
      () =>
        Effect.gen(function* () {
          const { port, path } = yield* below("/scoring/", (yield* ServiceProcess.make({})).port)
          const origin = `http://127.0.0.1:${port}${path}`
          const { complaints, page, requests } = yield* visit(`${origin}docs`, { colorScheme: "dark" })
          yield* Effect.promise(async () => {
            await page.click("#operations-check-check .opblock-summary-control")
            await page.click("text=Try it out")
            await page.click("text=Execute")
            await page.waitForSelector(".live-responses-table")
          })
          assert.match(yield* textOf(page, ".live-responses-table"), /"verdict":/)
          assert.include(requests, `${origin}api/check`)
          const colours = evaluate(
            page,
            `[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector("#documentation")).filter]`
          )
          assert.deepStrictEqual(yield* colours, ["rgb(27, 27, 27)", "invert(0.893) hue-rotate(180deg)"])
          yield* inScheme(page, "light")
          assert.deepStrictEqual(yield* colours, ["rgb(255, 255, 255)", "none"])
          yield* Effect.promise(() => page.click("text=Check a link"))
          yield* Effect.promise(() => page.waitForURL(origin))
          yield* check(page, "http://paypa1-secure.example/login")
          assert.strictEqual(yield* textOf(page, "#headline"), "Do not open it")
          assert.strictEqual(page.url(), origin)
          assert.deepStrictEqual(
            requests.filter((address) => !address.startsWith(origin) && !address.startsWith("data:")),
            []
          )
          assert.deepStrictEqual(complaints, [])
        })
    )
  })
})
