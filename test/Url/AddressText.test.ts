import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as AddressText from "../../src/Url/AddressText.ts"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"

const label = "a".repeat(59)

describe("a shown address", () => {
  it.each<[submitted: string, shown: string]>([
    ["https://evil.example/", "evil.example"],
    ["https://user@evil.example:8443/a?b#c", "evil.example/a"],
    [`https://b.example/${label}`, `b.example/${label.slice(0, 50)}…`],
    [`https://${label}.evil.example/`, `…${label.slice(0, 47)}.evil.example`],
    [`https://${label}.evil.example/path`, `…${label.slice(0, 47)}.evil.example`],
    ["https://b\u00fccher.example/\u00fc", "xn--bcher-kva.example/%C3%BC"]
  ])("of %s is %s", (submitted, shown) => {
    assert.strictEqual(AddressText.short(Either.getOrThrow(CanonicalUrl.parse(submitted))), shown)
  })
})
