import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { canonicalHost, isIpAddress } from "../../../src/Url/CanonicalUrl/CanonicalHost.ts"

const canonicalHostOf = (text: string): string => canonicalHost(Buffer.from(text).toString("latin1"))

describe("canonicalHost", () => {
  it.each([
    ["255.0.0.1", "255.0.0.1"],
    ["12.0x12.01234", "12.18.2.156"],
    ["012.034.01.055", "10.28.1.45"],
    ["0x12.0x43.0x44.0x01", "18.67.68.1"],
    ["0X12.0X43.0x44.0x01.", "18.67.68.1"],
    ["167838211", "10.1.2.3"],
    ["3279880203", "195.127.0.11"],
    ["4294967295", "255.255.255.255"],
    ["0x7f000001", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["0x", "0.0.0.0"],
    ["\uff11\uff12\uff17\u30020.0.1", "127.0.0.1"],
    [`${"0".repeat(2000)}1.1.1.1`, "1.1.1.1"]
  ])("%s is the IPv4 address %s", (host, address) => {
    assert.strictEqual(canonicalHostOf(host), address)
    assert.isTrue(isIpAddress(canonicalHostOf(host)))
  })

  it.each([
    "123.123.0.0.1",
    "1.2.3.00x0",
    "276.2.3",
    "256.1.1.1",
    "4294967296",
    "1.2.3.08",
    "1.2.3.4.example",
    "example.1",
    "-1.2.3.4"
  ])("%s is a name, not an address", (host) => {
    assert.strictEqual(canonicalHostOf(host), host)
    assert.isFalse(isIpAddress(host))
  })

  it.each([
    ["[2001:0DB8:0000::1]", "[2001:db8::1]"],
    ["[2001:db8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"],
    ["[2001:db8:0:1:1:1:1:1]", "[2001:db8:0:1:1:1:1:1]"],
    ["[::192.9.5.5]", "[::c009:505]"],
    ["[fe80::1%eth0]", "[fe80::1]"],
    ["[::1].", "[::1]"],
    ["[::ffff:1.2.3.4]", "1.2.3.4"],
    ["[::FFFF:0102:0304]", "1.2.3.4"],
    ["[::ffff:0:0]", "0.0.0.0"],
    ["[::ffff:1]", "[::ffff:1]"],
    ["[::ffff:0:1:2]", "[::ffff:0:1:2]"],
    ["[64:ff9b::1.2.3.4]", "1.2.3.4"],
    ["[64:ff9b::5]", "0.0.0.5"],
    ["[64:ff9b::]", "0.0.0.0"],
    ["[64:ff9b::1:2:3]", "[64:ff9b::1:2:3]"],
    ["[64:ff9b:1::1.2.3.4]", "[64:ff9b:1::102:304]"]
  ])("%s is the address %s", (host, address) => {
    assert.strictEqual(canonicalHostOf(host), address)
    assert.isTrue(isIpAddress(address))
  })

  it.each([
    "[]",
    "[:]",
    "[::1",
    "::1]",
    "[1.2.3.4]",
    "[::1::]",
    "[::g]",
    "[1:2:3:4:5:6:7:8:9]",
    "a:b",
    "[[::1]]"
  ])("%s is not an address: its colons and brackets are escaped", (host) => {
    assert.match(canonicalHostOf(host), /%(?:3A|5B|5D)/)
    assert.notMatch(canonicalHostOf(host), /[:[\]]/)
  })

  it.each([
    ["B\u00fcCHER.example", "xn--bcher-kva.example"],
    ["\uff37\uff37\uff37\uff0eexample\uff61com", "www.example.com"],
    ["ex\u00adam\u200bple.com", "example.com"],
    ["\u3002\u3002\u00fc\u3002\u3002com\u3002", "xn--tda.com"],
    ["xn--TDA.com", "xn--tda.com"],
    // Chromium decodes what becomes an escape; the URL standard refuses it.
    ["\uff0565vil.example.net", "evil.example.net"],
    ["\uff05\uff14\uff11.com", "a.com"],
    ["\ufe6a2e\uff052Eevil\uff052eexample", "evil.example"],
    ["\uff053192.0.2.1", "192.0.2.1"],
    ["xn--a.com", "xn--a.com"]
  ])("%s is the international name %s", (host, ascii) => {
    assert.strictEqual(canonicalHostOf(host), ascii)
  })

  it.each([
    ["xn--a.\u00fc", "xn--a.%C3%BC"],
    ["\u00dc!", "%C3%9C!"],
    ["\u00fc/evil", "%C3%BC%2Fevil"],
    ["\uff0f.com", "%EF%BC%8F.com"],
    ["\uff052f.com", "%EF%BC%852f.com"],
    ["\uff05c3\uff05bc.com", "%EF%BC%85c3%EF%BC%85bc.com"],
    [
      "[2001:db8::\uff11\uff11\uff11\uff11\uff11]",
      "%5B2001%3Adb8%3A%3A%EF%BC%91%EF%BC%91%EF%BC%91%EF%BC%91%EF%BC%91%5D"
    ]
  ])("%s is left unchanged, because IDNA rejects it", (host, escaped) => {
    assert.strictEqual(canonicalHostOf(host), escaped)
  })

  it("leaves bytes that are not UTF-8 unchanged", () => {
    assert.strictEqual(canonicalHost("\u0001\u0080\u00c0AZ@[.com"), "%01%80%C0az%40%5B.com")
  })

  it("canonicalizes every spelling of an IPv4 address to its four numbers", () => {
    const octet = FastCheck.integer({ min: 0, max: 255 })
    const spelled = (radix: 8 | 10 | 16) => (value: number) =>
      `${radix === 8 ? "0" : radix === 16 ? "0X" : ""}${value.toString(radix)}`
    const radix = FastCheck.constantFrom(8 as const, 10 as const, 16 as const)
    FastCheck.assert(
      FastCheck.property(octet, octet, octet, octet, radix, (a, b, c, d, radix) => {
        const dotted = `${a}.${b}.${c}.${d}`
        const write = spelled(radix)
        const spellings = [
          [a, b, c, d],
          [a, b, c * 0x100 + d],
          [a, b * 0x10000 + c * 0x100 + d],
          [((a * 0x100 + b) * 0x100 + c) * 0x100 + d]
        ].map((numbers) => numbers.map(write).join("."))
        for (const spelling of spellings) assert.strictEqual(canonicalHostOf(spelling), dotted)
        assert.strictEqual(canonicalHostOf(`[::ffff:${dotted}]`), dotted)
        assert.strictEqual(canonicalHostOf(`[64:ff9b::${dotted}]`), dotted)
      }),
      { numRuns: 2_000 }
    )
  })
})
