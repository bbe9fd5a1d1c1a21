import { assert, describe, it } from "@effect/vitest"
import { resultOf } from "../../src/Checkers/Result.ts"
import * as Submission from "../../src/Url/Submission.ts"

const addressesOf = (url: string): unknown =>
  resultOf(url, { outcomes: [], decisions: [], addresses: Submission.read(url, 0).addresses }).addresses

describe("the addresses of a result", () => {
  for (const [url, addresses] of [
    ["not a url", undefined],
    [
      "https://login.shop.example.co.uk/a",
      [{ relation: "submitted", host: "login.shop.example.co.uk", domain: "example.co.uk" }]
    ],
    ["http://192.0.2.7/", [{ relation: "submitted", host: "192.0.2.7" }]],
    [
      "https://www.bücher.example/",
      [
        {
          relation: "submitted",
          host: "www.xn--bcher-kva.example",
          domain: "xn--bcher-kva.example",
          unicode: "www.bücher.example"
        }
      ]
    ],
    [
      "https://www.google.com/url?q=https%3A%2F%2Fshop.example%2F",
      [
        { relation: "submitted", host: "www.google.com", domain: "google.com" },
        { relation: "destination", host: "shop.example", domain: "shop.example" }
      ]
    ]
  ] as const)
    it(`are who owns ${url}, and where it leads`, () => {
      assert.deepStrictEqual(addressesOf(url), addresses)
    })
})
