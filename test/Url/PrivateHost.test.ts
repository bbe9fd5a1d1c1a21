import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as PrivateHost from "../../src/Url/PrivateHost.ts"

describe("PrivateHost", () => {
  it.each([
    "localhost",
    "intranet",
    "app.localhost",
    "printer.local",
    "printer.lan",
    "db.internal",
    "nas.home.arpa",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "[::]",
    "[::1]",
    "[fc00::1]",
    "[fdff::1]",
    "[fe80::1]",
    ""
  ])("%j is private", (host) => {
    assert.isTrue(PrivateHost.isPrivate(host))
  })

  it.each([
    "example.com",
    "local.example.com",
    "notlocal.example",
    "mylocal.net",
    "localhost.example.com",
    "10.example.com",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.2.1",
    "192.169.0.0",
    "198.51.100.7",
    "[2001:db8::1]",
    "[::2]",
    "[fbff::1]",
    "[fec0::1]",
    "not an.address1",
    "[nonsense]"
  ])("%j is not private", (host) => {
    assert.isFalse(PrivateHost.isPrivate(host))
  })

  it("never throws", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: "binary" }), FastCheck.boolean(), (text, bracketed) => {
        assert.isBoolean(PrivateHost.isPrivate(bracketed ? `[${text}]` : text))
      }),
      { numRuns: 2000 }
    )
  })
})
