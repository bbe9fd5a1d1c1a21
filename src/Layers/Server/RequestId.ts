import { randomUUID } from "node:crypto"

/** What proxies and tracers commonly make (UUIDs, hexadecimal, ULIDs, base64url), and nothing that could end a log line. */
const WELL_FORMED = /^[\w.-]{1,128}$/

/**
 * The name of one request in the log and in the answer: the one that came in `X-Request-Id` if it is well-formed, else a
 * new one. Callers choose theirs, so it proves nothing and must not be the key of anything.
 *
 * @example of("8f1c-42") === "8f1c-42"
 */
export const of = (incoming: string | ReadonlyArray<string> | undefined): string =>
  typeof incoming === "string" && WELL_FORMED.test(incoming) ? incoming : randomUUID()
