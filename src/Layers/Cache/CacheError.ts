import { errors } from "@upstash/redis"
import { Schema } from "effect"

export const reasons = ["Timeout", "Unreachable", "Refused", "Malformed"] as const

/**
 * Why the cache database gave no answer. Holds nothing that was sent or received: the messages of the client library
 * repeat the command, keys and values included.
 *
 * - `Timeout`: the budget of the command ran out.
 * - `Unreachable`: no connection, or it broke before the answer was complete; `code` is Node's (`ECONNREFUSED`).
 * - `Refused`: it answered with an error, for example for a wrong token, a used-up quota or a full database; `code` is
 *   Redis's (`WRONGPASS`), when it is a known one.
 * - `Malformed`: what came is not an answer to what was asked.
 */
export class CacheError extends Schema.TaggedError<CacheError>()("CacheError", {
  reason: Schema.Literal(...reasons),
  code: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    return this.code === undefined ? this.reason : `${this.reason} (${this.code})`
  }
}

/**
 * First words of Redis's and Upstash's error messages that tell an operator what to do. Only these are passed on: any
 * other word comes from outside and might be a secret of ours sent back.
 */
const redisCodes = ["WRONGPASS", "NOAUTH", "NOPERM", "OOM", "READONLY", "LOADING", "BUSY", "WRONGTYPE", "ERR"]

/** From the text of an error reply: `"OOM command not allowed when used memory > 'maxmemory'."` gives `OOM`. */
export const refused = (text: string): CacheError => {
  const code = redisCodes.find((code) => text.startsWith(`${code} `))
  return new CacheError({ reason: "Refused", ...(code === undefined ? {} : { code }) })
}

/** From whatever a call of the client library was rejected with. */
export const fromRejection = (rejection: unknown): CacheError => {
  if (rejection instanceof errors.UpstashJSONParseError) return new CacheError({ reason: "Malformed" })
  if (rejection instanceof errors.UpstashError) return refused(rejection.message)
  // fetch puts what went wrong on the network into the cause; the library's own mishaps on odd answers have none
  if (rejection instanceof TypeError && rejection.cause instanceof Error) {
    const { cause } = rejection
    const code = "code" in cause && typeof cause.code === "string" ? { code: cause.code } : {}
    return new CacheError({ reason: "Unreachable", ...code })
  }
  return new CacheError({ reason: "Malformed" })
}
