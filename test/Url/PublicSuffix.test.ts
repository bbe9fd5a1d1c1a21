import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as PublicSuffix from "../../src/Url/PublicSuffix.ts"
import { anyCharacter } from "../fixtures/AnyCharacter.ts"

describe("registrableDomain", () => {
  it.each([
    ["example.com", "example.com"],
    ["a.b.example.co.uk", "example.co.uk"],
    ["a.tenant.vercel.app", "tenant.vercel.app"],
    ["user.github.io", "user.github.io"],
    ["city.kawasaki.jp", "city.kawasaki.jp"],
    ["a.b.unknown", "b.unknown"],
    ["a_b.example.com", "example.com"]
  ])("of %s is %s", (host, domain) => {
    assert.strictEqual(PublicSuffix.registrableDomain(host), domain)
  })

  it.each(["com", "co.uk", "vercel.app", "localhost", "192.0.2.1", "[2001:db8::1]", ""])(
    "of %j is none",
    (host) => {
      assert.isUndefined(PublicSuffix.registrableDomain(host))
    }
  )
})

describe("isPublicSuffix", () => {
  it.each(["com", "co.uk", "vercel.app", "github.io", "s3.amazonaws.com", "anything.ck"])(
    "%s is on the list",
    (host) => {
      assert.isTrue(PublicSuffix.isPublicSuffix(host))
    }
  )

  it.each([
    "example.com",
    "tenant.vercel.app",
    "localhost",
    "unknown",
    "www.ck",
    "192.0.2.1",
    "[2001:db8::1]",
    ""
  ])("%j is not", (host) => {
    assert.isFalse(PublicSuffix.isPublicSuffix(host))
  })
})

it.each([
  ["www.example.co.uk", "example.co.uk", false],
  ["a.tenant.vercel.app", "tenant.vercel.app", true],
  ["vercel.app", undefined, true],
  ["co.uk", undefined, false],
  ["192.0.2.1", undefined, false]
] as const)("parse reads the domain of %s and the kind of its suffix", (host, domain, isPrivate) =>
  assert.deepStrictEqual(PublicSuffix.parse(host), { domain, isPrivate })
)

describe("isRegion", () => {
  it.each(["s3.amazonaws.com", "ec2-192-0-2-7.compute-1.amazonaws.com", "p01--garden.code.run"])(
    "%s is below a firm's domain",
    (host) => {
      assert.isTrue(PublicSuffix.isRegion(host))
    }
  )

  it.each(["com", "co.uk", "github.io", "service.gov.uk", "localhost", "192.0.2.1", ""])(
    "%j is not",
    (host) => {
      assert.isFalse(PublicSuffix.isRegion(host))
    }
  )
})

it("registrableDomain returns a part of any string, or undefined", () => {
  const anyHost = FastCheck.oneof(
    FastCheck.string({ unit: anyCharacter, maxLength: 40 }),
    FastCheck.array(
      FastCheck.constantFrom(".", "..", "a", "com", "co.uk", "[", "]", ":", "%", "1", "\ud800"),
      { maxLength: 10 }
    ).map((pieces) => pieces.join(""))
  )
  FastCheck.assert(
    FastCheck.property(anyHost, (host) => {
      const domain = PublicSuffix.registrableDomain(host)
      assert.isTrue(domain === undefined || (domain !== "" && host.includes(domain)))
      assert.isBoolean(PublicSuffix.isPublicSuffix(host))
    }),
    { numRuns: 3_000 }
  )
})

describe("hostAndDomains", () => {
  it.each([
    ["example.com", ["example.com"]],
    ["a.b.example.co.uk", ["a.b.example.co.uk", "b.example.co.uk", "example.co.uk"]],
    ["a.tenant.vercel.app", ["a.tenant.vercel.app", "tenant.vercel.app"]],
    ["co.uk", ["co.uk"]],
    ["192.0.2.1", ["192.0.2.1"]],
    ["[2001:db8::1]", ["[2001:db8::1]"]]
  ])("of %s are %j", (host, suffixes) => {
    assert.deepStrictEqual(PublicSuffix.hostAndDomains(host), suffixes)
  })

  it("of a host above the limit are the host itself and the shortest ones", () => {
    const labels = Array.from({ length: 60 }, (_, index) => `l${index}`)
    const suffixes = PublicSuffix.hostAndDomains(`${labels.join(".")}.example.com`)
    assert.strictEqual(suffixes.length, PublicSuffix.MAX_DOMAINS)
    assert.strictEqual(suffixes[0], `${labels.join(".")}.example.com`)
    assert.strictEqual(
      suffixes[1],
      `${labels.slice(60 - PublicSuffix.MAX_DOMAINS + 2).join(".")}.example.com`
    )
    assert.deepStrictEqual(suffixes.slice(-2), ["l59.example.com", "example.com"])
  })

  it("of a host at the limit are all", () => {
    const labels = Array.from({ length: PublicSuffix.MAX_DOMAINS - 1 }, (_, index) => `l${index}`)
    const suffixes = PublicSuffix.hostAndDomains(`${labels.join(".")}.example.com`)
    assert.deepStrictEqual(
      suffixes,
      [...labels.keys(), labels.length].map((from) => [...labels.slice(from), "example.com"].join("."))
    )
  })
})

describe("hostAndParents", () => {
  it.each([
    ["a.example.co.uk", ["a.example.co.uk", "example.co.uk", "co.uk", "uk"]],
    ["intranet", ["intranet"]],
    ["[::1]", ["[::1]"]]
  ])("of %s are %j", (host, expected) => {
    assert.deepStrictEqual(PublicSuffix.hostAndParents(host), expected)
  })

  it("is the host itself and the shortest parents if there are too many", () => {
    const host = `${"a.".repeat(100)}example.com`
    const hosts = PublicSuffix.hostAndParents(host)
    assert.strictEqual(hosts.length, PublicSuffix.MAX_DOMAINS)
    assert.strictEqual(hosts[0], host)
    assert.deepStrictEqual(hosts.slice(-3), ["a.example.com", "example.com", "com"])
  })
})

describe("addressesIn", () => {
  it.each([
    ["192.0.2.1.sslip.io", ["192.0.2.1"]],
    ["bank.192.0.2.1.nip.io", ["192.0.2.1"]],
    ["nf-192-0-2-67.sslip.io", ["192.0.2.67"]],
    ["a.192-0-2-1.backname.io", ["192.0.2.1"]],
    ["192-0-2-1.a.sslip.io", []],
    // sslip.io takes the first one, others the last.
    ["192-0-2-1.192-0-2-2.sslip.io", []],
    ["192-0-2-1.192.0.2.2.nip.io", []],
    ["1-192-0-2-1.sslip.io", []],
    ["2.nf-192-0-2-67.sslip.io", ["192.0.2.67"]],
    ["1192.0.2.1.nip.io", []],
    ["192.0.2.1.example.com", []],
    ["a.192-0-2-1.plesk.page", []],
    ["192-0-2-1.compute-1.amazonaws.com", []],
    ["sslip.io", []],
    ["192.0.2.1", []]
  ])("of %s are %j", (host, addresses) => {
    assert.deepStrictEqual(PublicSuffix.addressesIn(host), addresses)
  })
})
