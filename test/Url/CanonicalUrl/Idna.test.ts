import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { toUnicode } from "tr46"
import { toAscii } from "../../../src/Url/CanonicalUrl/Idna.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"

interface VectorGroup {
  readonly vectors: ReadonlyArray<readonly [input: string, host: string]>
}

const { IdnaTestV2, toascii }: Readonly<Record<"IdnaTestV2" | "toascii", VectorGroup>> = JSON.parse(
  readFileSync(new URL("../../fixtures/idna-vectors.json", import.meta.url), "utf8")
)

const hostOf = (submitted: string): string | undefined =>
  Either.match(CanonicalUrl.parse(submitted), { onLeft: () => undefined, onRight: ({ host }) => host })

/** The URL standard leaves the length of a name to the DNS. */
const isTooLong = (submitted: string): boolean =>
  Either.match(CanonicalUrl.parse(submitted), {
    onLeft: ({ reason }) => reason === "HostTooLong",
    onRight: () => false
  })

describe("the test vectors of browsers", () => {
  // One test a group: more than a thousand rows.
  for (const [name, { vectors }] of Object.entries({ IdnaTestV2, toascii }))
    it(`${name}: every name is the host that browsers open, unless it is too long for the DNS`, () => {
      // Without a suffix that exists the character is meant as a dot.
      const names = vectors.filter(([input]) => input !== "www.lookout\u2027net")
      const wrong = names.filter(([input, host]) =>
        host.length > 253 || /[^.]{64}/.test(host)
          ? !isTooLong(`https://${input}/`)
          : hostOf(`https://${input}/`) !== host
      )
      assert.deepStrictEqual(wrong, [])
    })

  it("are complete", () => {
    assert.strictEqual(IdnaTestV2.vectors.length, 1063)
    assert.strictEqual(toascii.vectors.length, 36)
  })
})

describe("characters that browsers drop or map", () => {
  it.each([
    ["look\u180eout.net", "lookout.net"],
    ["look\u206bout.net", "lookout.net"],
    ["look\u00adout.net", "lookout.net"],
    ["look\u{e0100}out\ufe0f.net", "lookout.net"],
    ["\u1e9e.example", "xn--zca.example"],
    ["\u00df.example", "xn--zca.example"],
    ["\u{1d41b}ad\uff61example", "bad.example"]
  ])("%j is %s", (name, host) => {
    assert.strictEqual(toAscii(name), host)
    assert.strictEqual(hostOf(`http://${name}/`), host)
    assert.strictEqual(hostOf(`http://${encodeURIComponent(name)}/`), host)
  })

  it("are dropped in any number", () => {
    for (const count of [1, 600, 30_000])
      assert.strictEqual(hostOf(`https://look${"\u00ad".repeat(count)}out.net/`), "lookout.net")
  })

  it("are the ones that UTS 46 ignores, of all assigned code points", () => {
    // More than are converted if they are not dropped before.
    const MANY = 3000
    const wrong: Array<string> = []
    for (let code = 0x80; code <= 0xeffff; code++) {
      const character = String.fromCodePoint(code)
      if (/[\p{Lo}\p{Cs}\p{Cn}]/u.test(character) && !/\p{Default_Ignorable_Code_Point}/u.test(character))
        continue
      const isIgnored = toUnicode(`a${character}b`).domain === "ab"
      const isDropped = toAscii(`a${character.repeat(isIgnored ? MANY : 1)}b`) === "ab"
      if (isIgnored !== isDropped) wrong.push(code.toString(16))
    }
    assert.deepStrictEqual(wrong, [])
  }, 60_000)
})

describe("toAscii", () => {
  it.each([
    ["a name that UTS 46 rejects", "xn--a.\u00fc"],
    ["a label of mixed direction", "\u05d0a.example"],
    ["a joiner where no script joins", "pay\u200cpal.example"],
    ["a character that maps to a delimiter", "\u2100.example"],
    ["a character that no name has", "\u00fc!.example"]
  ])("rejects %s", (_, name) => {
    assert.isUndefined(toAscii(name))
  })

  it("converts names up to the maximum length of DNS, however they are composed", () => {
    // Four code points that compose to one.
    const decomposed = "\u03b1\u0313\u0300\u0345"
    const name = `${decomposed.repeat(50)}.${decomposed.repeat(50)}.${decomposed.repeat(50)}.example`
    assert.strictEqual(toAscii(name), toAscii(name.normalize("NFC")))
    assert.match(toAscii(name) ?? "", /^xn--[a-z0-9-]+\.xn--[a-z0-9-]+\.xn--[a-z0-9-]+\.example$/)
    assert.isDefined(toAscii("\u00fc".repeat(256)))
    assert.isUndefined(toAscii("\u00fc".repeat(257)))
    assert.isUndefined(toAscii("\ufdfa".repeat(15)))
  })
})
