import { Schema } from "effect"

export const reasons = ["Timeout", "Unreachable", "Refused", "Malformed"] as const

/**
 * Why a command to the cache database failed. Contains nothing that was sent or received but the codes below.
 *
 * - `Timeout`: no complete response within the command's timeout.
 * - `Unreachable`: no connection, or it broke before the response was complete; `code` is Node's (`ECONNREFUSED`).
 * - `Refused`: an error response, for example for a wrong token, an exceeded quota or a full database; `code` is Redis's
 *   (`WRONGPASS`), if it is a known one.
 * - `Malformed`: the response is not one to the command.
 */
export class CacheError extends Schema.TaggedError<CacheError>()("CacheError", {
  reason: Schema.Literal(...reasons),
  code: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    return this.code === undefined ? this.reason : `${this.reason} (${this.code})`
  }
}

/** The codes that Redis's and Upstash's messages start with. Others are dropped: a response could repeat a secret. */
const redisCodes = ["WRONGPASS", "NOAUTH", "NOPERM", "OOM", "READONLY", "LOADING", "BUSY", "WRONGTYPE", "ERR"]

/** The error for an error reply: `"OOM command not allowed when used memory > 'maxmemory'."` gives `OOM`. */
export const refused = (text: string): CacheError => {
  const code = redisCodes.find((code) => text.startsWith(`${code} `))
  return new CacheError({ reason: "Refused", ...(code === undefined ? {} : { code }) })
}
