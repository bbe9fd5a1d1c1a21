import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, ManagedRuntime, type Scope } from "effect"
import type { BrowserContextOptions, Page, Response } from "playwright-core"
import { languages } from "../../src/Http/Pages/Languages.ts"
import { Browser, isInstalled, violations, visit } from "../fixtures/Browser.ts"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import { english, formatterIn } from "../fixtures/Texts.ts"

const pictures = new URL("../fixtures/pictures/", import.meta.url)
const held: Readonly<Record<string, ReadonlyArray<string>>> = JSON.parse(
  readFileSync(new URL("pictures.json", pictures), "utf8")
)

const TRAP = "http://paypa1-secure.example/login"
const FIVE = `${TRAP} https://www.example.com/help https://bit.ly/abc https://paypal.com.shop.example/x https://www.google.com/url?q=https%3A%2F%2Fshop.example%2Fa`

/** The address of the built service, without lists. */
class Service extends Context.Tag("test/Service")<Service, string>() {
  static readonly layer = Layer.scoped(
    Service,
    Effect.map(ServiceProcess.make({ RATE_LIMIT: "5000" }), ({ port }) => `http://127.0.0.1:${port}/`)
  )
}

const shared = ManagedRuntime.make(Layer.merge(Browser.layer, Service.layer))
afterAll(() => shared.dispose())

const inBrowser = <A, E>(name: string, test: () => Effect.Effect<A, E, Browser | Service | Scope.Scope>) =>
  it.scoped(name, () =>
    Effect.flatMap(
      Effect.promise(() => shared.runPromise(Effect.context<Browser | Service>())),
      (services) => Effect.provide(test(), services)
    )
  )

const check = (page: Page, text: string) =>
  Effect.promise(async () => {
    await page.fill("#text", text)
    await page.click("#submit")
    await page.waitForSelector("#result:not([hidden]), #error:not(:empty)")
  })

const textOf = (page: Page, selector: string) => Effect.promise(() => page.innerText(selector))

const evaluate = (page: Page, expression: string): Effect.Effect<unknown> =>
  Effect.promise(() => page.evaluate(expression))

/** The width of the page, and elements whose text is wider than they are. */
const LAYOUT = `[document.documentElement.scrollWidth].concat(Array.from(document.querySelectorAll("button, h1, h2, h3, label, summary, p, li, a, select"))
  .filter((found) => found.checkVisibility() && getComputedStyle(found).display !== "inline" && found.scrollWidth > found.clientWidth + 1 && !found.matches(".visually-hidden"))
  .map((found) => found.outerHTML))`

/** With the rules that are asserted: the last two differ only in their colours. */
const allMedia = [
  [{ colorScheme: "light" }, {}],
  [{ colorScheme: "dark" }, { runOnly: ["color-contrast"] }],
  [{ colorScheme: "light", forcedColors: "active" }, { runOnly: ["color-contrast"] }]
] as const

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 } }

describe.skipIf(!isInstalled)("the page for people", () => {
  for (const language of languages)
    inBrowser(`fits screens of 320, 390 and 1280 pixels in ${language}, and is accessible`, () =>
      Effect.gen(function* () {
        const { say } = formatterIn(language)
        const { complaints, page } = yield* visit(yield* Service, {
          locale: language,
          viewport: { width: 320, height: 640 }
        })
        assert.strictEqual(yield* textOf(page, "#submit"), say("check"))
        for (const text of ["", "just text", "https://www.раураl.com/login", `${FIVE} https://x.example`]) {
          yield* check(page, text)
          yield* evaluate(
            page,
            "document.querySelectorAll('details').forEach((found) => { found.open = true })"
          )
          yield* Effect.promise(() => page.waitForTimeout(0))
          for (const width of [1280, 390, 320]) {
            yield* Effect.promise(() => page.setViewportSize({ width, height: 640 }))
            assert.deepStrictEqual(yield* evaluate(page, LAYOUT), [width], `${text} ${width}`)
          }
          // The languages differ only in their texts: once is enough for the others.
          for (const [media, rules] of language === "en" ? allMedia : []) {
            yield* Effect.promise(() => page.emulateMedia({ forcedColors: "none", ...media }))
            assert.deepStrictEqual(yield* violations(page, rules), [], `${text} ${JSON.stringify(media)}`)
          }
        }
        yield* Effect.promise(() => page.setViewportSize({ width: 1280, height: 640 }))
        assert.deepStrictEqual(yield* violations(page), [])
        assert.strictEqual(yield* textOf(page, "#headline"), say("phishing"))
        assert.deepStrictEqual(complaints, [])
      })
    )

  inBrowser("marks a text that it cannot check with a border that people see, in the dark too", () =>
    Effect.gen(function* () {
      const { page } = yield* visit(yield* Service)
      yield* check(page, "just text")
      for (const colorScheme of ["light", "dark"] as const) {
        yield* Effect.promise(() => page.emulateMedia({ colorScheme }))
        const contrast = yield* evaluate(
          page,
          `(() => {
            const { backgroundColor, borderTopColor } = getComputedStyle(document.querySelector("#text[aria-invalid=true]"))
            const [darker, lighter] = [backgroundColor, borderTopColor].map((colour) => {
              const [red, green, blue] = colour.match(/[\\d.]+/g).map((part) => {
                const share = part / 255
                return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
              })
              return 0.2126 * red + 0.7152 * green + 0.0722 * blue
            }).sort((left, right) => left - right)
            return (lighter + 0.05) / (darker + 0.05)
          })()`
        )
        // WCAG 2.2, 1.4.11
        assert.isAtLeast(Number(contrast), 3, colorScheme)
      }
    })
  )

  inBrowser("remembers another language on the device only", () =>
    Effect.gen(function* () {
      const origin = yield* Service
      const { complaints, page, requests } = yield* visit(origin, { locale: "de-DE" })
      const title = (language: (typeof languages)[number]) => formatterIn(language).say("title")
      assert.strictEqual(yield* textOf(page, "h1"), title("de"))
      yield* Effect.promise(() => page.click("#languages [lang=nl]"))
      yield* Effect.promise(() => page.waitForURL("**/?language=nl"))
      yield* Effect.promise(() => page.goto(`${origin}#url=https%3A%2F%2Fexample.com`))
      yield* Effect.promise(() => page.waitForURL("**/?language=nl*"))
      yield* Effect.promise(() => page.waitForSelector("#languages [aria-current]"))
      assert.strictEqual(yield* textOf(page, "h1"), title("nl"))
      assert.strictEqual(yield* Effect.promise(() => page.inputValue("#text")), "https://example.com")
      assert.deepStrictEqual(yield* Effect.promise(() => page.context().cookies()), [])
      const files = requests
        .filter((address) => address.endsWith(".json"))
        .map((address) => address.slice(-7))
      assert.deepStrictEqual([...new Set(files)].sort(), ["de.json", "nl.json"])
      assert.deepStrictEqual(complaints, [])
    })
  )

  inBrowser("shows the site, names in other letters both ways, and where a redirector leads", () =>
    Effect.gen(function* () {
      const { page } = yield* visit(yield* Service, phone)
      yield* check(page, "https://www.раураl.com/login")
      assert.strictEqual(yield* textOf(page, "#subject"), "www.раураl.com/login")
      assert.strictEqual(yield* textOf(page, "#subject strong"), "раураl.com")
      assert.deepStrictEqual(
        yield* evaluate(
          page,
          "Array.from(document.querySelectorAll('#subject mark'), (found) => found.textContent)"
        ),
        ["раура"]
      )
      assert.strictEqual(
        yield* textOf(page, "#letters"),
        english.say("otherLetters", { scripts: "Cyrillic", ascii: "www.xn--l-7sba6dbr.com" })
      )
      assert.notInclude(yield* textOf(page, "#reasons"), "7sba6dbr")
      // By hand: axe reads the colours that forced ones replace.
      yield* Effect.promise(() => page.emulateMedia({ colorScheme: "dark", forcedColors: "active" }))
      assert.deepStrictEqual(
        yield* evaluate(
          page,
          "['body', '#subject mark', '#subject strong'].map((found) => getComputedStyle(document.querySelector(found))).map(({ backgroundColor, color }, index) => index === 0 ? backgroundColor : color)"
        ),
        ["rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgb(255, 255, 255)"]
      )
      yield* Effect.promise(() => page.emulateMedia({ colorScheme: "light", forcedColors: "none" }))
      yield* check(page, "https://www.google.com/url?q=https%3A%2F%2Fshop.example%2Fa")
      assert.deepStrictEqual(
        [yield* textOf(page, "#subject"), yield* textOf(page, "#through")],
        ["shop.example", "First it goes through www.google.com."]
      )
      yield* check(page, `https://shop.example/${"a".repeat(300)}`)
      assert.match(yield* textOf(page, "#subject"), /^shop\.example\/a{29}…a{30}$/)
    })
  )

  inBrowser("shows times of more than a second with the spaces of French", () =>
    Effect.gen(function* () {
      const { page } = yield* visit(yield* Service, { ...phone, locale: "fr" })
      yield* Effect.promise(() =>
        page.route("**/api/checks", async (route) => {
          const response = await route.fetch()
          const body: { results: ReadonlyArray<object> } = await response.json()
          const results = body.results.map((result) => ({ ...result, executionTimeMs: { heuristics: 1234 } }))
          await route.fulfill({ response, json: { ...body, results } })
        })
      )
      yield* check(page, TRAP)
      yield* evaluate(page, "document.querySelectorAll('details').forEach((found) => { found.open = true })")
      assert.strictEqual(yield* textOf(page, ".checkers .time"), "1\u202f234 ms")
    })
  )

  inBrowser("says that a link does not lead where its message says, and where to report it", () =>
    Effect.gen(function* () {
      const { page } = yield* visit(yield* Service, {
        ...phone,
        locale: "de-AT",
        permissions: ["clipboard-read", "clipboard-write"]
      })
      const { say } = formatterIn("de")
      yield* evaluate(
        page,
        `navigator.clipboard.write([new ClipboardItem({
          "text/plain": new Blob(["https://www.paypal.com/signin"], { type: "text/plain" }),
          "text/html": new Blob(['<a href="https://quietharbour.example/y">https://www.paypal.com/signin</a>'], { type: "text/html" })
        })])`
      )
      yield* Effect.promise(async () => {
        await page.focus("#text")
        await page.keyboard.press("Control+v")
        await page.click("#submit")
        await page.waitForSelector("#report a")
      })
      assert.strictEqual(yield* textOf(page, "#headline"), say("disguised"))
      assert.strictEqual(yield* textOf(page, "#subject"), "quietharbour.example/y")
      assert.strictEqual(yield* textOf(page, "#report"), "onlinesicherheit.gv.at")
      yield* Effect.promise(() => page.selectOption("#country", "PL"))
      assert.strictEqual(
        yield* Effect.promise(() => page.getAttribute("#report a", "href")),
        "https://incydent.cert.pl/"
      )
      yield* Effect.promise(() => page.selectOption("#country", ""))
      assert.strictEqual(yield* textOf(page, "#report"), say("nextPolice"))
    })
  )

  inBrowser(
    "says so of each link of a mail that shows another site once, and only of the text that does",
    () =>
      Effect.gen(function* () {
        const { page } = yield* visit(yield* Service, { ...phone, locale: "en-GB" })
        const link = "https://quietharbour.example/y"
        const seen = Effect.gen(function* () {
          return [yield* textOf(page, "#headline"), yield* textOf(page, "#disguise")]
        })
        const lie = [
          english.say("disguised"),
          english.say("shownAs", { shown: "www.pay\\u{ad}pal.com" })
        ] as const
        const shown = (text: string) => `<a href="${link}">${text}</a>`
        yield* check(page, `<p>${shown("www.pay\u00adpal.com")} ${shown("Unsubscribe")}</p>`)
        assert.deepStrictEqual(yield* seen, [...lie])
        const plain = [english.say("nothing"), ""]
        yield* check(page, link)
        assert.deepStrictEqual(yield* seen, plain)

        const paste = (html: string) =>
          Effect.promise(async () => {
            await page.evaluate(
              `(() => {
              const data = new DataTransfer()
              data.setData("text/plain", "x")
              data.setData("text/html", ${JSON.stringify(html)})
              document.querySelector("#text").select()
              document.querySelector("#text").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }))
            })()`
            )
            await page.click("#submit")
            await page.waitForSelector("#result:not([hidden])")
          })
        yield* paste(`${shown("Unsubscribe")} ${shown("www.pay\u00adpal.com")}`)
        assert.deepStrictEqual(yield* seen, [...lie])
        yield* paste(shown("Pay” in its place. It is safe: “x"))
        assert.deepStrictEqual(yield* seen, [
          english.say("nothing"),
          english.say("shownAs", { shown: "Pay' in its place. It is safe: 'x" })
        ])
        yield* Effect.promise(() => page.fill("#text", ""))
        yield* check(page, link)
        assert.deepStrictEqual(yield* seen, plain)
      })
  )

  inBrowser("keeps the text for another language, but not what only a pasted page shows", () =>
    Effect.gen(function* () {
      const { page } = yield* visit(yield* Service, { ...phone, locale: "en-GB" })
      const text = "Zahlen: https://shop.example/ä b\ud83d\ude00\ud800#c"
      yield* check(page, text)
      yield* Effect.promise(async () => {
        await page.click("#languages [lang=de]")
        // The page takes the text from its address, which no longer has it then.
        await page.waitForURL(({ hash, search }) => search === "?language=de" && hash === "")
      })
      assert.strictEqual(
        yield* Effect.promise(() => page.inputValue("#text")),
        text.replace("\ud800", "\ufffd")
      )
      yield* evaluate(
        page,
        `(() => {
          const data = new DataTransfer()
          data.setData("text/plain", "x")
          data.setData("text/html", '<a href="https://shop.example/">https://bank.example</a>')
          document.querySelector("#text").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }))
        })()`
      )
      yield* Effect.promise(async () => {
        await page.click("#languages [lang=fr]")
        await page.waitForSelector("#languages [lang=fr][aria-current]")
      })
      assert.strictEqual(new URL(page.url()).hash, "")
      assert.strictEqual(yield* Effect.promise(() => page.inputValue("#text")), "")
    })
  )

  inBrowser("shows a name that is read from the right with its site in one piece", () =>
    Effect.gen(function* () {
      const { page } = yield* visit(yield* Service, phone)
      yield* check(page, "https://\u05d0\u05d1\u05d2.\u05d3\u05d4\u05d5.com/x")
      assert.isTrue(
        yield* evaluate(
          page,
          `(() => {
            const range = document.createRange()
            range.selectNodeContents(document.querySelector("#subject").firstChild)
            return range.getBoundingClientRect().right <= document.querySelector("#subject strong").getBoundingClientRect().left + 1
          })()`
        )
      )
    })
  )

  inBrowser("names where to report although the system's language is not a tag", () =>
    Effect.gen(function* () {
      const { complaints, page } = yield* visit(yield* Service, { ...phone, locale: "en-US" })
      yield* Effect.promise(async () => {
        await page.addInitScript(
          "Object.defineProperty(navigator, 'languages', { get: () => ['en-US@posix'] })"
        )
        await page.reload()
      })
      yield* check(page, TRAP)
      yield* Effect.promise(() => page.waitForSelector("#report:not(:empty)", { timeout: 5000 }))
      assert.strictEqual(yield* Effect.promise(() => page.inputValue("#country")), "US")
      assert.deepStrictEqual(complaints, [])
    })
  )

  inBrowser("says that the service was not reached if the reader of pictures cannot be loaded", () =>
    Effect.gen(function* () {
      const { page } = yield* visit(yield* Service, { ...phone, locale: "en-GB" })
      yield* Effect.promise(async () => {
        await page.context().setOffline(true)
        await page.setInputFiles("#file", fileURLToPath(new URL("plain.webp", pictures)))
        await page.waitForSelector("#error:not(:empty)")
      })
      assert.strictEqual(yield* textOf(page, "#error"), english.say("unreachable"))
    })
  )

  inBrowser("sends nothing of a payment that follows a link in the same picture", () =>
    Effect.gen(function* () {
      const { page } = yield* visit(yield* Service, { ...phone, locale: "en-GB" })
      const posted: Array<string | null> = []
      page.on("request", (request) => {
        if (request.method() !== "GET") posted.push(request.postData())
      })
      const codes = ["https://shop.example/", "BCD\n002\n1\nSCT\n\nA\n\n\n\n\npay.example.com/private"]
      yield* Effect.promise(async () => {
        await page.addInitScript(`globalThis.BarcodeDetector = class {
          static getSupportedFormats = async () => ["qr_code"]
          detect = async () => ${JSON.stringify(codes.map((rawValue) => ({ rawValue })))}
        }`)
        await page.reload()
        await page.setInputFiles("#file", fileURLToPath(new URL("plain.webp", pictures)))
        await page.waitForSelector("#found:not(:empty)")
        await page.click("#submit")
        await page.waitForSelector("#error:not(:empty), #result:not([hidden])")
      })
      assert.include(yield* textOf(page, "#error"), english.say("payment"))
      assert.deepStrictEqual(posted, [])
    })
  )

  inBrowser(
    "names the police where it knows no page for reports, and remembers the country on the device",
    () =>
      Effect.gen(function* () {
        const { page } = yield* visit(yield* Service, { ...phone, locale: "es-MX" })
        const { say } = formatterIn("es")
        const report = Effect.gen(function* () {
          yield* check(page, TRAP)
          yield* Effect.promise(() => page.waitForSelector("#report:not(:empty)"))
          return [yield* textOf(page, "#report"), yield* Effect.promise(() => page.inputValue("#country"))]
        })
        assert.deepStrictEqual(yield* report, [say("nextPolice"), ""])
        for (const [country, name] of [
          ["PL", "CERT Polska"],
          ["", say("nextPolice")]
        ] as const) {
          yield* Effect.promise(async () => {
            await page.selectOption("#country", "AU")
            await page.selectOption("#country", country)
            await page.reload()
          })
          assert.deepStrictEqual(yield* report, [name, country])
        }
      })
  )

  inBrowser("shows five links in 1,400 pixels of a phone, also in longer words, the worst one open", () =>
    Effect.gen(function* () {
      const { page } = yield* visit(yield* Service, { ...phone, locale: "pt-PT" })
      yield* check(page, FIVE)
      yield* Effect.promise(() => page.waitForSelector("#report a"))
      assert.isAtMost(Number(yield* evaluate(page, "document.querySelector('#result').offsetHeight")), 1400)
      assert.deepStrictEqual(
        yield* evaluate(
          page,
          "Array.from(document.querySelectorAll('.link .site'), (found) => found.innerText)"
        ),
        ["shop.example", "bit.ly", "example.com", "shop.example"]
      )
      assert.isAtMost(Number(yield* evaluate(page, "document.querySelectorAll('#reasons li').length")), 3)
    })
  )

  inBrowser(
    "reads the QR codes of pictures, shows them, and sends nothing before the button is pressed",
    () =>
      Effect.gen(function* () {
        const origin = yield* Service
        const { complaints, page, requests } = yield* visit(origin)
        const posted: Array<string | null> = []
        page.on("request", (request) => {
          if (request.method() !== "GET") posted.push(request.postData())
        })
        for (const [name, codes] of Object.entries(held)) {
          yield* Effect.promise(async () => {
            await page.setInputFiles("#file", fileURLToPath(new URL(`${name}.webp`, pictures)))
            await page.waitForSelector("#found:not(:empty), #error:not(:empty)")
          })
          const error = yield* textOf(page, "#error")
          const value = yield* Effect.promise(() => page.inputValue("#text"))
          if (codes.length === 0)
            assert.strictEqual(error, `${english.say("noCode")} ${english.say("noCodeHelp")}`, name)
          else {
            assert.sameMembers(value.split("\n"), codes.join("\n").split("\n"), name)
            assert.strictEqual(
              yield* textOf(page, "#found"),
              english.say("pictureFound", { count: codes.length }),
              name
            )
          }
          assert.deepStrictEqual(posted, [], name)
          if (["wifi", "login-secret", "upi", "bank-transfer", "contact"].includes(name)) {
            yield* Effect.promise(async () => {
              await page.click("#submit")
              await page.waitForSelector("#error:not(:empty)")
            })
            assert.include(yield* textOf(page, "#error"), "Nothing of it was sent to us.", name)
            assert.deepStrictEqual(posted, [], name)
          }
          // As the button does.
          yield* evaluate(page, "document.querySelector('#again').click()")
        }
        yield* check(page, held.plain?.join() ?? "")
        assert.deepStrictEqual(posted, [JSON.stringify({ urls: held.plain })])
        assert.deepStrictEqual(
          requests.filter((address) => !address.startsWith(origin)),
          []
        )
        assert.deepStrictEqual(complaints, [])
      })
  )

  for (const [name, detect, formats, native] of [
    ["finds", "async () => [{ rawValue: 'https://native.example/a' }]", ["qr_code"], true],
    ["does not find", "async () => []", ["qr_code"], false],
    ["fails to read", "async () => { throw new Error('no service') }", ["qr_code"], false],
    ["does not know", "async () => [{ rawValue: 'https://native.example/a' }]", ["ean_13"], false]
  ] as const)
    inBrowser(
      `reads pictures without the package qr only if the browser's own reader works: it ${name} it`,
      () =>
        Effect.gen(function* () {
          const { complaints, page, requests } = yield* visit(yield* Service)
          yield* Effect.promise(async () => {
            await page.addInitScript(`globalThis.BarcodeDetector = class {
            static getSupportedFormats = async () => ${JSON.stringify(formats)}
            detect = ${detect}
          }`)
            await page.reload()
          })
          const read = (picture: string) =>
            Effect.promise(async () => {
              await page.setInputFiles("#file", fileURLToPath(new URL(`${picture}.webp`, pictures)))
              await page.waitForSelector("#found:not(:empty), #error:not(:empty)")
              return page.inputValue("#text")
            })
          assert.strictEqual(yield* read("plain"), native ? "https://native.example/a" : held.plain?.join())
          assert.strictEqual(
            requests.some((address) => address.endsWith("/qr.browser.js")),
            !native
          )
          if (!native) {
            yield* evaluate(page, "document.querySelector('#again').click()")
            assert.strictEqual(yield* read("photo"), "")
            assert.include(yield* textOf(page, "#error"), english.say("noCode"))
          }
          assert.deepStrictEqual(complaints, [])
        })
    )

  inBrowser("takes a picture that is pasted or dropped", () =>
    Effect.gen(function* () {
      const { page } = yield* visit(yield* Service)
      const bytes = readFileSync(new URL("two.webp", pictures)).toString("base64")
      for (const [type, field] of [
        ["paste", "clipboardData"],
        ["drop", "dataTransfer"]
      ]) {
        yield* evaluate(
          page,
          `(() => {
            const bytes = Uint8Array.from(atob("${bytes}"), (unit) => unit.charCodeAt(0))
            const data = new DataTransfer()
            data.items.add(new File([bytes], "two.webp", { type: "image/webp" }))
            const event = new ${type === "paste" ? "ClipboardEvent" : "DragEvent"}("${type}", { ${field}: data, bubbles: true, cancelable: true })
            document.querySelector("#text").dispatchEvent(event)
          })()`
        )
        yield* Effect.promise(() => page.waitForSelector("#found:not(:empty)"))
        const value = yield* Effect.promise(() => page.inputValue("#text"))
        assert.sameMembers(value.split("\n"), held.two?.slice() ?? [], type)
        yield* evaluate(page, "document.querySelector('#again').click()")
      }
      yield* Effect.promise(async () => {
        await page.setInputFiles("#file", {
          name: "a.png",
          mimeType: "image/png",
          buffer: Buffer.from("not a picture")
        })
        await page.waitForSelector("#error:not(:empty)")
      })
      assert.include(yield* textOf(page, "#error"), english.say("unreadablePicture"))
    })
  )

  inBrowser("loads at most 60 KB", () =>
    Effect.gen(function* () {
      const { page } = yield* visit("about:blank", { ...phone, locale: "de-DE" })
      const sizes: Array<Promise<number>> = []
      page.on("response", (response: Response) => {
        sizes.push(response.finished().then(async () => (await response.request().sizes()).responseBodySize))
      })
      const origin = yield* Service
      yield* Effect.promise(() => page.goto(origin, { waitUntil: "networkidle" }))
      const bytes = yield* Effect.promise(() => Promise.all(sizes))
      const total = bytes.reduce((sum, size) => sum + size, 0)
      assert.isAtMost(total, 60 * 1024)
      assert.isAbove(total, 10 * 1024)
    })
  )
})
