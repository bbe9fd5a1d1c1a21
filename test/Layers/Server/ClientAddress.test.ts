import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { clientAddress } from "../../../src/Layers/Server/ClientAddress.ts"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

describe("clientAddress", () => {
  const cases: ReadonlyArray<readonly [string, string | undefined, string | undefined, number, string]> = [
    ["an IPv4 peer counts as itself", "198.51.100.7", undefined, 0, "198.51.100.7"],
    ["an IPv4-mapped peer counts as its IPv4 address", "::ffff:198.51.100.7", undefined, 0, "198.51.100.7"],
    ["the same in hexadecimal", "::ffff:c633:6407", undefined, 0, "198.51.100.7"],
    ["the same with few digits", "::ffff:102:304", undefined, 0, "1.2.3.4"],
    ["the same in upper case", "::FFFF:C633:6407", undefined, 0, "198.51.100.7"],
    ["the same with its zeros", "0000:0000:0000:0000:0000:ffff:0102:0304", undefined, 0, "1.2.3.4"],
    ["the same with zeros and dots", "0:0:0:0:0:FFFF:1.2.3.4", undefined, 0, "1.2.3.4"],
    ["the same with zeros in part", "0:0::0:ffff:1.2.3.4", undefined, 0, "1.2.3.4"],
    ["the same with zeros at its end", "0:0:0:0:0:ffff::", undefined, 0, "0.0.0.0"],
    ["the same with a zone", "::ffff:102:304%eth0", undefined, 0, "1.2.3.4"],
    ["not IPv4-mapped: one group off", "::ffff:0:102:304", undefined, 0, "0:0:0:0::/64"],
    ["not IPv4-mapped: one group after ffff", "::ffff:102", undefined, 0, "0:0:0:0::/64"],
    ["not IPv4-mapped: compatible", "::1.2.3.4", undefined, 0, "0:0:0:0::/64"],
    ["an IPv4-mapped entry in hexadecimal", "198.51.100.7", "::FFFF:0102:0304", 1, "1.2.3.4"],
    ["the same with brackets and port", "198.51.100.7", "[0:0:0:0:0:ffff:102:304]:443", 1, "1.2.3.4"],
    ["an IPv6 peer counts as its /64", "2001:db8:1:2:3:4:5:6", undefined, 0, "2001:db8:1:2::/64"],
    ["another address of that /64 is the same caller", "2001:0DB8:1:2::9", undefined, 0, "2001:db8:1:2::/64"],
    ["a compressed address keeps its groups", "2001:db8::1", undefined, 0, "2001:db8:0:0::/64"],
    ["loopback", "::1", undefined, 0, "0:0:0:0::/64"],
    ["a zone does not matter", "fe80::1%eth0", undefined, 0, "fe80:0:0:0::/64"],
    ["no peer", undefined, undefined, 0, "unknown"],
    ["the header is ignored without trusted proxies", "198.51.100.7", "203.0.113.9", 0, "198.51.100.7"],
    ["one proxy: the last entry", "198.51.100.7", "1.1.1.1, 203.0.113.9", 1, "203.0.113.9"],
    ["two proxies: the last but one", "198.51.100.7", "1.1.1.1, 203.0.113.9, 10.0.0.1", 2, "203.0.113.9"],
    ["a header too short for the proxies", "198.51.100.7", "203.0.113.9", 2, "198.51.100.7"],
    ["an empty header", "198.51.100.7", "", 1, "198.51.100.7"],
    ["an entry that is no address", "198.51.100.7", "1.1.1.1, evil", 1, "198.51.100.7"],
    ["an entry with a port", "198.51.100.7", "203.0.113.9:4711", 1, "203.0.113.9"],
    ["an IPv6 entry", "198.51.100.7", "2001:db8:9::1", 1, "2001:db8:9:0::/64"],
    ["a bracketed IPv6 entry with a port", "198.51.100.7", "[2001:db8:9::1]:443", 1, "2001:db8:9:0::/64"],
    ["spaces around entries", "198.51.100.7", " 203.0.113.9 ", 1, "203.0.113.9"]
  ]
  for (const [name, peer, forwardedFor, proxies, expected] of cases)
    it(`returns ${expected}: ${name}`, () =>
      assert.strictEqual(clientAddress(peer, forwardedFor, proxies), expected))

  it("counts every spelling of an IPv4-mapped address as the IPv4 address", () => {
    const byte = FastCheck.integer({ min: 0, max: 255 })
    const spelling = FastCheck.record({
      bytes: FastCheck.tuple(byte, byte, byte, byte),
      zeros: FastCheck.constantFrom("::", "0:0:0:0:0:", "0000:000:00:0:0:", "::0:", "0::", "0:0::0:"),
      isDotted: FastCheck.boolean(),
      width: FastCheck.integer({ min: 1, max: 4 }),
      isUpperCase: FastCheck.boolean()
    })
    FastCheck.assert(
      FastCheck.property(spelling, ({ bytes, zeros, isDotted, width, isUpperCase }) => {
        const [a, b, c, d] = bytes
        const group = (high: number, low: number) => (high * 256 + low).toString(16).padStart(width, "0")
        const text = `${zeros}ffff:${isDotted ? bytes.join(".") : `${group(a, b)}:${group(c, d)}`}`
        const address = isUpperCase ? text.toUpperCase() : text
        assert.strictEqual(clientAddress(address, undefined, 0), bytes.join("."))
        assert.strictEqual(clientAddress("10.0.0.9", address, 1), bytes.join("."))
      }),
      { numRuns: 2000 }
    )
  })

  it("does not depend on what the client writes before the trusted entries", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string(), FastCheck.integer({ min: 1, max: 4 }), (forged, proxies) => {
        const trusted = ["203.0.113.9", "10.0.0.1", "10.0.0.2", "10.0.0.3"].slice(0, proxies).join(", ")
        assert.strictEqual(clientAddress("10.0.0.9", `${forged},${trusted}`, proxies), "203.0.113.9")
      }),
      { numRuns: 2000 }
    )
  })

  it("returns an address for any header", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.fullUnicodeString(),
        FastCheck.integer({ min: 0, max: 32 }),
        (header, proxies) => {
          const caller = clientAddress("198.51.100.7", header, proxies)
          assert.match(caller, /^(?:[0-9.]+|[0-9a-f:]+\/64)$/)
        }
      ),
      { numRuns: 2000 }
    )
  })

  it("does not keep the header in memory that an address was a part of", () => {
    const heapUsed = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const padding = "x".repeat(10_000)
    const before = heapUsed()
    const addresses = Array.from({ length: 1_000 }, (_, at) =>
      clientAddress("10.0.0.9", Buffer.from(`${padding}, 192.168.100.${at % 256}`).toString(), 1)
    )
    assert.isBelow(heapUsed() - before, (addresses.length * padding.length) / 4)
  })
})
