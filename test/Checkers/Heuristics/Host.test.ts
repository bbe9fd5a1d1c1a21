import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Host from "../../../src/Checkers/Heuristics/Host.ts"

describe("a host name", () => {
  it("is split at its registrable domain", () => {
    assert.deepStrictEqual(Host.parse("a.shop.example.co.uk"), {
      host: "a.shop.example.co.uk",
      hostAndParents: ["a.shop.example.co.uk", "shop.example.co.uk", "example.co.uk", "co.uk", "uk"],
      roles: [],
      registrable: "example.co.uk",
      name: "example",
      suffix: "co.uk",
      chosen: "a.shop.example",
      subdomains: ["a", "shop"],
      hostingFirm: undefined
    })
  })

  it("is split at the customer's part under a hosting firm", () => {
    const hostingFirm = {
      kind: "freeHosting",
      suffix: "weeblysite.com",
      tenant: "someone.weeblysite.com"
    } as const
    assert.deepStrictEqual(Host.parse("www.someone.weeblysite.com"), {
      host: "www.someone.weeblysite.com",
      hostAndParents: ["www.someone.weeblysite.com", "someone.weeblysite.com", "weeblysite.com", "com"],
      roles: ["freeHosting"],
      registrable: "someone.weeblysite.com",
      name: "someone",
      suffix: "weeblysite.com",
      chosen: "www.someone",
      subdomains: ["www"],
      hostingFirm
    })
  })

  it.each(["localhost", "com", "co.uk", "github.io", "service.gov.uk", ""])(
    "%j has no registrable domain",
    (host) => {
      assert.isUndefined(Host.parse(host))
    }
  )

  it.each([
    ["s3.amazonaws.com", { kind: "freeHosting", suffix: "s3.amazonaws.com", tenant: "s3.amazonaws.com" }],
    [
      "s3.dualstack.us-east-1.amazonaws.com",
      {
        kind: "freeHosting",
        suffix: "s3.dualstack.us-east-1.amazonaws.com",
        tenant: "s3.dualstack.us-east-1.amazonaws.com"
      }
    ],
    // Each host by that rule of the Public Suffix List is one tenant's.
    ["ec2-192-0-2-7.compute-1.amazonaws.com", undefined],
    [
      "p01--garden--0a1b2c3d.code.run",
      { kind: "freeHosting", suffix: "code.run", tenant: "p01--garden--0a1b2c3d.code.run" }
    ]
  ] as const)(
    "is registrable as a whole if it is a region or a server of a firm: %s",
    (host, hostingFirm) => {
      const name = Host.parse(host)
      assert.strictEqual(name?.registrable, host)
      assert.deepStrictEqual(name?.hostingFirm, hostingFirm)
    }
  )

  it("is the concatenation of its parts", () => {
    const label = FastCheck.stringMatching(/^[a-z0-9]{1,10}$/)
    const suffix = FastCheck.constantFrom(
      "com",
      "co.uk",
      "weebly.com",
      "weeblysite.com",
      "duckdns.org",
      "example"
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(label, { minLength: 1, maxLength: 5 }), suffix, (labels, end) => {
        const host = `${labels.join(".")}.${end}`
        const name = Host.parse(host)
        if (name === undefined) return
        assert.strictEqual([...name.subdomains, name.name, name.suffix].join("."), host)
        assert.strictEqual(`${name.name}.${name.suffix}`, name.registrable)
      }),
      { numRuns: 1000 }
    )
  })
})

describe("a hosting firm", () => {
  const tenant = (host: string) => Host.hostingFirmOf(host)?.tenant

  it("has a tenant for each host", () => {
    assert.strictEqual(tenant("someone.github.io"), "someone.github.io")
    assert.strictEqual(tenant("deep.down.someone.github.io"), "someone.github.io")
    assert.strictEqual(Host.hostingFirmOf("nas.duckdns.org")?.kind, "dynamicDns")
  })

  it("has one tenant if its customers differ by path", () => {
    assert.strictEqual(tenant("sites.google.com"), "sites.google.com")
  })

  it.each(["weebly.com", "www.weebly.com", "support.webflow.io", "notweebly.com", "example.com"])(
    "is none for %s",
    (host) => {
      assert.isUndefined(Host.hostingFirmOf(host))
    }
  )
})

describe("a decoy domain", () => {
  const shown = (host: string) => {
    const name = Host.parse(host)
    return name && Host.decoyDomainOf(name)
  }

  it.each([
    ["login.example.com.evil.net", "example.com"],
    ["example.org.evil.net", "example.org"],
    ["shop.example.co.jp.evil.net", "example.co.jp"],
    ["parcel.com-track.net", "parcel.com"],
    ["parcel.com-track.evil.net", "parcel.com"]
  ])("%s shows %s", (host, domain) => {
    assert.strictEqual(shown(host), domain)
  })

  it.each([
    "www.example.com",
    "com.example.net",
    "www.com.example.net",
    "www.com-example.net",
    "de.example.net",
    "www.example.co.uk",
    "www.example.com.s3.amazonaws.com"
  ])("%s shows none", (host) => {
    assert.isUndefined(shown(host))
  })
})
