import { Cause, Effect } from "effect"
import { errorNameOf } from "../../Layers/ErrorCode.ts"
import type { HttpResponse } from "../../Layers/Server.ts"
import type { ServerError } from "../Api.ts"
import { json } from "../JsonResponse.ts"

/** The response to a request that met a defect. */
export const serverError = (defect: unknown): HttpResponse =>
  json(500, {
    error: "Server error",
    detail: `${errorNameOf(defect) ?? "Unknown error"} while answering; the log tells more`
  } satisfies typeof ServerError.Encoded)

/** Turns a defect, or an interruption that the handler caused itself, into 500, and logs it. */
export const catchDefects = (response: Effect.Effect<HttpResponse>): Effect.Effect<HttpResponse> =>
  Effect.catchAllCause(response, (cause) =>
    Effect.as(Effect.logError("A request failed", cause), serverError(Cause.squash(cause)))
  )
