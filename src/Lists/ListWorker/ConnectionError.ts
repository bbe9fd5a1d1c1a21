import { errorCodeOf } from "../../Layers/ErrorCode.ts"
import * as HttpRequest from "../../Layers/Outbound/HttpRequest.ts"
import * as PublicAddress from "../PublicAddress.ts"
import { ThrownListError } from "./ThrownListError.ts"

/** Converts an error of a connection. Only its code stays: the message may hold the address, and the address a key. */
export const fromConnection = (cause: unknown): ThrownListError => {
  const code = errorCodeOf(cause) ?? "no connection"
  if (code === PublicAddress.NOT_PUBLIC) return new ThrownListError("ForbiddenRedirect", code)
  return new ThrownListError(code === HttpRequest.CONNECT_TIMED_OUT ? "Timeout" : "Unreachable", code)
}

/** Rejects with `Timeout` when the promise has not settled after so many milliseconds. */
export const orTimeout = async <A>(promise: Promise<A>, timeoutMs: number, detail: string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ThrownListError("Timeout", detail)), timeoutMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
