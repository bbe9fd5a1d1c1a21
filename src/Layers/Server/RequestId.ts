import { randomUUID } from "node:crypto"

/** The forms that proxies and tracers commonly send (UUID, hexadecimal, ULID, base64url). No character can end a log line. */
const WELL_FORMED = /^[\w.-]{1,128}$/

/**
 * The id of one request in the log and in the response: the value of `X-Request-Id` if it is well-formed, else a new UUID.
 * The client chooses it, so it must not be the key of anything.
 *
 * @example requestIdOf("8f1c-42") === "8f1c-42"
 */
export const requestIdOf = (header: string | ReadonlyArray<string> | undefined): string =>
  typeof header === "string" && WELL_FORMED.test(header) ? header : randomUUID()
