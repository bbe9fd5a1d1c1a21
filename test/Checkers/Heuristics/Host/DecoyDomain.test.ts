import { assert, describe, it } from "@effect/vitest"
import * as DecoyDomain from "../../../../src/Checkers/Heuristics/Host/DecoyDomain.ts"
import * as Host from "../../../../src/Checkers/Heuristics/Host.ts"

describe("a decoy domain", () => {
  const shown = (host: string) => {
    const name = Host.parse(host)
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
