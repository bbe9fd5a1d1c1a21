import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as AddressText from "../../src/Url/AddressText.ts"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as Submission from "../../src/Url/Submission.ts"

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

describe("a reason", () => {
  const [submitted, destination] = Submission.read(
    "https://www.google.com/url?q=https%3A%2F%2Fevil.example%2Fa",
    0
  ).addresses
  const [, carried] = Submission.read(
    "https://garden.example/?next=https%3A%2F%2Fevil.example%2Fa",
    0
  ).addresses

  it.each<[reason: string, about: Submission.Address | undefined, shown: string]>([
    ["The address evil.example is a", submitted, "The address evil.example is a"],
    ["The address evil.example is a", destination, "The link leads to evil.example, which is a"],
    ["The address shows a", destination, "The link leads to evil.example: the address shows a"],
    ["URL holds an e-mail", destination, "The link leads to evil.example: URL holds an e-mail"],
    ["35 other pages", destination, "The link leads to evil.example: 35 other pages"],
    ["The address evil.example is a", carried, "The link contains an address on evil.example, which is a"],
    ["The address shows a", carried, "The link contains an address on evil.example: the address shows a"]
  ])("%j about %o reads %s", (reason, about, shown) => {
    assert.strictEqual(about && AddressText.inReason(about, reason), shown)
  })
})
