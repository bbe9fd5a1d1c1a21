import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as PrivateHost from "../../src/Url/PrivateHost.ts"
import { addresses } from "../fixtures/Addresses.ts"
import { anyCharacter } from "../fixtures/AnyCharacter.ts"

const hostOf = (address: string) => (address.includes(":") ? `[${address}]` : address)

describe("PrivateHost", () => {
  it.each([
    ...addresses.private.map(hostOf),
    "localhost",
    "intranet",
    "app.localhost",
    "printer.local",
    "printer.lan",
    "db.internal",
    "nas.home.arpa",
    ""
  ])("%j is private", (host) => {
    assert.isTrue(PrivateHost.isPrivate(host))
  })

  it.each([
    ...[...addresses.public, ...addresses.neither].map(hostOf),
    "[fbff::1]",
    "[fec0::1]",
    "[nonsense]",
    "example.com",
    "local.example.com",
    "notlocal.example",
    "mylocal.net",
    "localhost.example.com",
    "10.example.com",
    "not an.address1"
  ])("%j is not private", (host) => {
    assert.isFalse(PrivateHost.isPrivate(host))
  })

  it("never throws", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: anyCharacter }), FastCheck.boolean(), (text, bracketed) => {
        assert.isBoolean(PrivateHost.isPrivate(bracketed ? `[${text}]` : text))
      }),
      { numRuns: 2000 }
    )
  })
})
