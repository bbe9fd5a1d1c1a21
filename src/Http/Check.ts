import { Effect, Either, Schema } from "effect"
import { type Checked, Checkers } from "../Checkers/Checkers.ts"
import { resultOf } from "../Checkers/Result.ts"
import { CheckRequest, checkEndpoint, type ScanResult } from "./Api.ts"
import { json, refusal } from "./Response.ts"
import type { Observe } from "./ResultTelemetry.ts"
import type { PostRoute } from "./Route.ts"

/** Far above any URL that a browser takes, and small enough to buffer for every open connection. */
export const MAX_BODY_BYTES = 64 * 1024

/** Built from the fields, because `Schema.is(CheckRequest)` rejects plain objects. */
const isCheckRequest = Schema.is(Schema.Struct(CheckRequest.fields))

/** The values of `findings` that switch it on: `?findings` has an empty one. */
const ON: ReadonlySet<string | null> = new Set(["true", "1", ""])

/** `heuristics=ok, feed_a=stale, ...`: an RFC 9651 dictionary of tokens, in the order of `executionTimeMs`. */
const checkerStatus = ({ outcomes }: Checked): string =>
  outcomes.map(({ checker, status }) => `${checker}=${status}`).join(", ")

/** POST /api/check: runs the six checkers on one URL, and scores. */
export const route = (observe: (route: string) => Observe) =>
  Effect.map(Checkers, (checkers): PostRoute => {
    const observed = observe(checkEndpoint.path)
    return {
      path: checkEndpoint.path,
      method: checkEndpoint.method,
      audience: "clients",
      body: { maxBytes: MAX_BODY_BYTES, cost: "one" },
      handle: (body, { query }) => {
        if (!isCheckRequest(body)) return Either.left(refusal("MissingUrl"))
        const { url } = body
        const respond = Effect.map(checkers.checkAll(url), (checked) => {
          const result = resultOf(url, checked) satisfies Omit<
            typeof ScanResult.Encoded,
            "executionTimeMs" | "checkers"
          >
          observed(result)
          const { executionTimeMs, override, reasons, score, verdict } = result
          const scored = { url, score, verdict, reasons, executionTimeMs }
          const status = { "checker-status": checkerStatus(checked) }
          return json(
            200,
            ON.has(query.get("findings")) ? result : scored,
            override === undefined ? status : { ...status, "list-override": override }
          )
        })
        return Either.right({ cost: 1, respond })
      }
    }
  })
