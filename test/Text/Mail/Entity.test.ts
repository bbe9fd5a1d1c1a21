import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { linksInMail } from "../../../src/Text/Mail.ts"

it.effect.each(["utf-16", "unicode", "ucs-2"])(
  "reads bytes that are not the declared %s as both",
  (charset) =>
    Effect.gen(function* () {
      const page = '\u0001<a href="https://bad.example/">x</a>'
      const { links } = yield* Effect.promise(() =>
        linksInMail(
          `From: a@a.example\nTo: b@b.example\nContent-Type: text/html; charset=${charset}\n\n${page}`
        )
      )
      assert.deepStrictEqual(
        links.map(({ url }) => url),
        ["https://bad.example/"]
      )
    })
)
