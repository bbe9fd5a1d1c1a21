import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Texts from "../../../src/Http/Pages/texts.browser.js"

/** Any UTF-16 code unit, also half of a surrogate pair. */
const anyUnit = FastCheck.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))

describe("texts", () => {
  it("know the results of links by their fields, number and order", () => {
    const result = { url: "x", score: 0, verdict: "safe", findings: [], executionTimeMs: {}, checkers: {} }
    assert.isDefined(Texts.resultsOf({ results: [result] }, ["x"]))
    for (const field of Object.keys(result))
      assert.isUndefined(Texts.resultsOf({ results: [{ ...result, [field]: undefined }] }, ["x"]), field)
    for (const body of [null, {}, { results: [] }, { results: [result, result] }, { results: [null] }])
      assert.isUndefined(Texts.resultsOf(body, ["x"]))
    assert.isUndefined(Texts.resultsOf({ results: [result, result] }, ["x", "y"]))
  })

  for (const [text, title, start] of [
    ["  ", "Paste a link first.", "Or the whole message"],
    ["just text", "This is not a link.", "We found no web address"],
    ["+49 151 23456789", "We can only check links.", "This looks like a phone number."],
    ["Call (030) 1234-567", "We can only check links.", "This looks like a phone number."],
    ["Pay EUR 12,50 on 24.11.2026", "This is not a link.", "We found no web address"],
    ["someone@example.com", "We can only check links.", "This has an e-mail address."],
    ["DE89 3704 0044 0532 0130 00", "We can only check links.", "This looks like a bank account."],
    ["pl61109010140000071219812874", "We can only check links.", "This looks like a bank account."]
  ] as const)
    it(`say "${title}" of ${JSON.stringify(text)}`, () => {
      const refusal = Texts.refusalOf(text)
      assert.strictEqual(refusal.title, title)
      assert.isTrue(refusal.help.startsWith(start), refusal.help)
    })

  it("shorten a link in the name of a button", () => {
    assert.strictEqual(Texts.shortName("https://example.com/a\u202e"), "example.com/a\\u{202e}")
    assert.strictEqual(Texts.shortName(`https://${"x".repeat(61)}`), `${"x".repeat(60)}…`)
  })

  it("make a link of the address that Google's terms ask for", () => {
    const address = "https://developers.google.com/safe-browsing/v4/advisory"
    assert.deepStrictEqual(Texts.splitAtAdvisory(`Suspected. Advisory: ${address}.`), [
      "Suspected. Advisory: ",
      address,
      "."
    ])
    assert.deepStrictEqual(Texts.splitAtAdvisory("Suspected"), ["Suspected", undefined, ""])
  })

  for (const [status, retryAfter, words] of [
    [429, 1, "Too many checks came from your address. Try again in 1 second."],
    [429, 59, "Too many checks came from your address. Try again in 59 seconds."],
    [429, 61, "Too many checks came from your address. Try again in 2 minutes."],
    [429, 7199, "Too many checks came from your address. Try again in 120 minutes."],
    [429, 86000, "Too many checks came from your address. Try again in 24 hours."],
    [429, Number.NaN, "Too many checks came from your address. Try again later."],
    [503, 1, "The service is not available at the moment. Try again in 1 second."],
    [503, Number.NaN, "The service is not available at the moment. Try again later."],
    [413, Number.NaN, "This link is too long for us to check. Do not open it, unless you expected it."],
    [500, Number.NaN, "The service failed to check it (status 500). This says nothing about the link."]
  ] as const)
    it(`has an error text for ${status} with Retry-After ${retryAfter}`, () => {
      assert.strictEqual(Texts.errorText(status, retryAfter, 1), words)
    })

  it("asks for one link at a time if several are too long together", () => {
    assert.strictEqual(
      Texts.errorText(413, Number.NaN, 2),
      "Some of these links are too long for us to check. Paste one link at a time."
    )
  })

  it("rounds durations", () => {
    assert.deepStrictEqual([0, 0.04, 9.94, 11.421, 2000].map(Texts.durationText), [
      "0.0 ms",
      "0.0 ms",
      "9.9 ms",
      "11 ms",
      "2,000 ms"
    ])
  })

  it("escapes invisible characters and leaves others unchanged", () => {
    assert.strictEqual(
      Texts.escapeInvisible("https://bücher.example/ä ö/日本?a=1#🎣"),
      "https://bücher.example/ä ö/日本?a=1#🎣"
    )
    assert.strictEqual(
      Texts.escapeInvisible("a\u202egnp\u200b\u00a0\n\u2028\u0000\ud800"),
      "a\\u{202e}gnp\\u{200b}\\u{a0}\\u{a}\\u{2028}\\u{0}\\u{d800}"
    )
  })

  it("shortens long text", () => {
    assert.strictEqual(Texts.shorten("x".repeat(600)), "x".repeat(600))
    assert.strictEqual(Texts.shorten("x".repeat(1600)), `${"x".repeat(600)}… and 1000 more characters`)
  })

  it("writes a curl command that a shell runs as one request with exactly this link", () => {
    const endpoint = "https://scoring.example.com/api/check"
    const bodiesReadByShell = (urls: ReadonlyArray<string>) => {
      const script = urls.map((url) => Texts.curl(endpoint, url)).join("\n")
      const curl = `curl() { [ $# = 6 ] && printf '%s\\n' "$2" "$6"; }\n`
      const { status, stdout } = spawnSync("sh", ["-c", curl + script], { encoding: "utf8" })
      assert.strictEqual(status, 0)
      const lines = stdout.split("\n")
      return urls.map((_, index) => {
        assert.strictEqual(lines[2 * index], endpoint)
        return JSON.parse(lines[2 * index + 1] ?? "")
      })
    }
    const urls = [
      "https://example.com/",
      "'; touch /tmp/x; '",
      "$(id)`id`\\'\"!!",
      "a\nb\u202e\ud800é",
      ...FastCheck.sample(FastCheck.string({ unit: anyUnit, maxLength: 40 }), { numRuns: 200 })
    ]
    assert.deepStrictEqual(
      bodiesReadByShell(urls),
      urls.map((url) => ({ url }))
    )
    // Without quotes and backslashes the link stays one word in other shells too.
    const plain = /^curl -i '[^']*' -H '[^']*' -d '\{"url":"(?:[^'"\\!]|\\u[0-9a-f]{4})*"\}'$/
    for (const url of urls) {
      assert.match(Texts.curl(endpoint, url), /^[\x20-\x7e]*$/)
      assert.match(Texts.curl(endpoint, url), plain)
    }
  })
})
