import { assert, describe, it } from "@effect/vitest"
import * as PublicAddress from "../../src/Lists/PublicAddress.ts"
import { addresses } from "../fixtures/Addresses.ts"

describe("PublicAddress", () => {
  it.each([
    ...addresses.private,
    ...addresses.neither,
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:10.0.0.1",
    "fe80::1%eth0",
    "",
    "localhost",
    "example.com"
  ])("%s is not public", (address) => {
    assert.isFalse(PublicAddress.isPublic(address))
  })

  it.each([...addresses.public, "::ffff:8.8.8.8"])("%s is public", (address) => {
    assert.isTrue(PublicAddress.isPublic(address))
  })
})
