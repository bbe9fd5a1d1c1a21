import { Effect, Either, Predicate, Schema } from "effect"
import { type Checked, Checkers } from "../Checkers/Checkers.ts"
import { AppConfig } from "../Layers/AppConfig.ts"
import type { Slices } from "../Layers/Time/Slices.ts"
import { ChecksRequest, checksEndpoint, MAX_CHECKS_BODY_BYTES, MAX_URL_BYTES, MAX_URLS } from "./Api.ts"
import * as Check from "./Check.ts"
import { jsonText, refusal } from "./Response.ts"
import type { PostRoute } from "./Route.ts"

/** What JSON makes of one UTF-16 unit at most: `\u0000`. */
const MAX_BYTES_PER_UNIT = 6

const isTooLarge = (url: string): boolean =>
  MAX_BYTES_PER_UNIT * url.length + 2 > MAX_URL_BYTES &&
  Buffer.byteLength(JSON.stringify(url)) > MAX_URL_BYTES

/** Built from the fields, because `Schema.is(ChecksRequest)` rejects plain objects. */
const isChecksRequest = Schema.is(Schema.Struct(ChecksRequest.fields))

/**
 * The `urls` of a body; undefined if they are no list of 1 to `max` strings. Compares their number first: the schema would check
 * each of the 65,000 strings that fit into a body.
 */
const urlsOf = (body: unknown, max: number): ReadonlyArray<string> | undefined =>
  Predicate.hasProperty(body, "urls") &&
  Array.isArray(body.urls) &&
  body.urls.length <= max &&
  isChecksRequest(body)
    ? body.urls
    : undefined

/** POST /api/checks: checks many URLs together, equal ones once, and responds with all results in order. */
export const route = Effect.fnUntraced(function* (slices: Slices) {
  const { rateLimit } = yield* AppConfig
  const checkers = yield* Checkers
  const maxUrls = Math.min(MAX_URLS, rateLimit)

  const resultText = (url: string, checked: Checked): string =>
    JSON.stringify({
      ...Check.scanResult(url, checked, true),
      checkers: Check.byChecker(checked.outcomes, ({ status }) => status)
    })

  return {
    path: checksEndpoint.path,
    method: checksEndpoint.method,
    audience: "clients",
    body: { maxBytes: MAX_CHECKS_BODY_BYTES, cost: "known from the body" },
    handle: (body) => {
      const urls = urlsOf(body, maxUrls)
      if (urls === undefined) return Either.left(refusal("NoUrls", { maxUrls }))
      if (urls.some(isTooLarge)) return Either.left(refusal("UrlTooLarge", { maxBytes: MAX_URL_BYTES }))
      const distinct = [...new Set(urls)]
      const respond = Effect.map(checkers.checkMany(distinct, slices, resultText), (texts) => {
        const textByUrl = new Map(distinct.map((url, index) => [url, texts[index]]))
        return jsonText(200, `{"results":[${urls.map((url) => textByUrl.get(url)).join(",")}]}`)
      })
      return Either.right({ cost: urls.length, respond })
    }
  } satisfies PostRoute
})
