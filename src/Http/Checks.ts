import { Effect, Either, Predicate } from "effect"
import { type Checked, Checkers } from "../Checkers/Checkers.ts"
import { type Result, resultOf } from "../Checkers/Result.ts"
import { AppConfig } from "../Layers/AppConfig.ts"
import type { Slices } from "../Layers/Time/Slices.ts"
import { type CheckedUrl, checksEndpoint, MAX_CHECKS_BODY_BYTES, MAX_URL_BYTES, MAX_URLS } from "./Api.ts"
import { jsonText, refusal } from "./Response.ts"
import type { Observe } from "./ResultTelemetry.ts"
import type { PostRoute } from "./Route.ts"

const isTooLarge = (url: string): boolean => Buffer.byteLength(JSON.stringify(url)) > MAX_URL_BYTES

/**
 * The `urls` of a body; undefined if they are not a list of 1 to `max` strings. Not by the schema, which would check each of the
 * 65,000 strings that fit into a body before their number.
 */
const urlsOf = (body: unknown, max: number): ReadonlyArray<string> | undefined =>
  Predicate.hasProperty(body, "urls") &&
  Array.isArray(body.urls) &&
  body.urls.length > 0 &&
  body.urls.length <= max &&
  body.urls.every((url) => typeof url === "string" && url !== "")
    ? body.urls
    : undefined

/** The type of the records does not say that they have all checkers. */
type CheckedBody = Omit<typeof CheckedUrl.Encoded, "executionTimeMs" | "checkers"> &
  Pick<Result, "executionTimeMs" | "checkers">

/** POST /api/checks: checks many URLs together, equal ones once, and responds with all results in order. */
export const route = Effect.fnUntraced(function* (slices: Slices, observe: (route: string) => Observe) {
  const { rateLimit } = yield* AppConfig
  const checkers = yield* Checkers
  const observed = observe(checksEndpoint.path)

  const resultText = (url: string, checked: Checked): string => {
    const result = resultOf(url, checked) satisfies CheckedBody
    observed(result)
    return JSON.stringify(result)
  }

  return {
    path: checksEndpoint.path,
    method: checksEndpoint.method,
    audience: "clients",
    body: { maxBytes: MAX_CHECKS_BODY_BYTES, cost: "known from the body" },
    handle: (body, { isCounted }) => {
      const maxUrls = isCounted ? Math.min(MAX_URLS, rateLimit) : MAX_URLS
      const urls = urlsOf(body, maxUrls)
      if (urls === undefined) return Either.left(refusal("NoUrls", maxUrls))
      if (urls.some(isTooLarge)) return Either.left(refusal("UrlTooLarge", MAX_URL_BYTES))
      const distinct = [...new Set(urls)]
      const respond = Effect.map(checkers.checkMany(distinct, slices, resultText), (texts) => {
        const textByUrl = new Map(distinct.map((url, index) => [url, texts[index]]))
        return jsonText(200, `{"results":[${urls.map((url) => textByUrl.get(url)).join(",")}]}`)
      })
      return Either.right({ cost: urls.length, respond })
    }
  } satisfies PostRoute
})
