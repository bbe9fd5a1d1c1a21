import * as HttpRequest from "../../../Layers/Outbound/HttpRequest.ts"
import * as PublicLookup from "../../../Layers/Outbound/PublicLookup.ts"
import type { FeedError } from "../FeedError.ts"

/** What becomes a `FeedError` outside of the thread that makes lists. Thrown, as node's streams want it. */
export class ListFailure extends Error {
  readonly reason: FeedError["reason"]
  readonly detail: string | undefined

  constructor(reason: FeedError["reason"], detail?: string) {
    super(reason)
    this.reason = reason
    this.detail = detail
  }
}

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "no connection"

/** Keeps nothing of an error on the way to a server but its code: the rest of it knows the address, which may hold a key. */
export const ofTransport = (cause: unknown): ListFailure => {
  const code = codeOf(cause)
  if (code === PublicLookup.NOT_PUBLIC) return new ListFailure("ForbiddenRedirect", code)
  return new ListFailure(code === HttpRequest.CONNECT_TIMED_OUT ? "Timeout" : "Unreachable", code)
}
