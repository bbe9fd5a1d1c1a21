import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as DecoyDomain from "../../../../src/Checkers/Heuristics/Host/DecoyDomain.ts"
import * as Hosting from "../../../../src/Checkers/Heuristics/Host/Hosting.ts"
import * as HostName from "../../../../src/Checkers/Heuristics/Host/HostName.ts"

describe("a host name", () => {
  it("is taken apart at its registrable domain", () => {
    assert.deepStrictEqual(HostName.parse("a.shop.example.co.uk"), {
      host: "a.shop.example.co.uk",
      registrable: "example.co.uk",
      name: "example",
      suffix: "co.uk",
      chosen: "a.shop.example",
      subdomains: ["a", "shop"],
      publisher: undefined
    })
  })

  it("is taken apart at the customer's part where a publisher serves many", () => {
    const publisher = {
      kind: "freeHosting",
      suffix: "weeblysite.com",
      tenant: "someone.weeblysite.com"
    } as const
    assert.deepStrictEqual(HostName.parse("www.someone.weeblysite.com"), {
      host: "www.someone.weeblysite.com",
      registrable: "someone.weeblysite.com",
      name: "someone",
      suffix: "weeblysite.com",
      chosen: "www.someone",
      subdomains: ["www"],
      publisher
    })
  })

  it.each(["localhost", "com", "co.uk", "github.io", ""])("%j is held by nobody", (host) => {
    assert.isUndefined(HostName.parse(host))
  })

  it("is read at its end when it is too long for the DNS", () => {
    assert.strictEqual(HostName.parse(`${"a.".repeat(1000)}example.com`)?.registrable, "example.com")
  })

  it("is put together again from its parts", () => {
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
        const name = HostName.parse(host)
        if (name === undefined) return
        assert.strictEqual([...name.subdomains, name.name, name.suffix].join("."), host)
        assert.strictEqual(`${name.name}.${name.suffix}`, name.registrable)
      }),
      { seed: 1, numRuns: 1000 }
    )
  })
})

describe("a publisher", () => {
  const tenant = (host: string) => Hosting.publisherOf(host)?.tenant

  it("tells its customers apart by host", () => {
    assert.strictEqual(tenant("someone.github.io"), "someone.github.io")
    assert.strictEqual(tenant("deep.down.someone.github.io"), "someone.github.io")
    assert.strictEqual(Hosting.publisherOf("nas.duckdns.org")?.kind, "dynamicDns")
  })

  it("or by path", () => {
    assert.strictEqual(tenant("sites.google.com"), "sites.google.com")
  })

  it.each(["weebly.com", "www.weebly.com", "support.webflow.io", "notweebly.com", "example.com"])(
    "does not speak for %s",
    (host) => {
      assert.isUndefined(Hosting.publisherOf(host))
    }
  )
})

describe("a decoy domain", () => {
  const shown = (host: string) => {
    const name = HostName.parse(host)
    return name && DecoyDomain.decoyDomainOf(name)
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
    "www.example.com.proxy.example.edu",
    "www.example.com.s3.amazonaws.com"
  ])("%s shows none", (host) => {
    assert.isUndefined(shown(host))
  })
})
