import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Texts from "../../../src/Http/Pages/texts.browser.js"

/** Any UTF-16 code unit, also half of a surrogate pair. */
const anyUnit = FastCheck.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))

describe("texts", () => {
  it("know a response to a check by its fields", () => {
    const answer = { url: "x", score: 0, verdict: "safe", findings: [], executionTimeMs: {} }
    assert.isTrue(Texts.isResult(answer))
    for (const field of Object.keys(answer))
      assert.isFalse(Texts.isResult({ ...answer, [field]: undefined }), field)
    assert.isFalse(Texts.isResult(null))
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
    [429, "1", "Too many checks came from your address. Try again in 1 second."],
    [429, "59", "Too many checks came from your address. Try again in 59 seconds."],
    [429, "61", "Too many checks came from your address. Try again in 2 minutes."],
    [429, "7199", "Too many checks came from your address. Try again in 120 minutes."],
    [429, "86000", "Too many checks came from your address. Try again in 24 hours."],
    [429, null, "Too many checks came from your address. Try again later."],
    [503, "1", "The service is not available at the moment. Try again in 1 second."],
    [503, "Sat, 21 Nov 2026 12:00:00 GMT", "The service is not available at the moment. Try again later."],
    [400, null, "The service found no link in what was sent."],
    [413, null, "This is too long for a link: the service reads up to 64 KiB."],
    [500, null, "The service failed to check it (status 500). This says nothing about the link."],
    [502, null, "The service failed to check it (status 502). This says nothing about the link."]
  ] as const)
    it(`has an error text for ${status} with Retry-After ${retryAfter}`, () => {
      assert.strictEqual(Texts.errorText(status, retryAfter), words)
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
      ...FastCheck.sample(FastCheck.string({ unit: anyUnit, maxLength: 40 }), { seed: 1, numRuns: 200 })
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
