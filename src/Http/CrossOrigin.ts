import type { AppConfigShape } from "../Layers/AppConfig.ts"

type Headers = Readonly<Record<string, string>>

/** A browser asks again after this many seconds; two hours is the most that any of them honours. */
const PREFLIGHT_SECONDS = 7200

const exposed = {
  "access-control-expose-headers": "checker-status,retry-after,ratelimit,ratelimit-policy,x-request-id"
}

/** What the answer to a preflight has beside the headers of every answer (https://fetch.spec.whatwg.org/#http-cors-protocol). */
export const preflight: Headers = {
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": String(PREFLIGHT_SECONDS)
}

/**
 * The headers that let a page of another origin read an answer, for the origin that the request names. They are made once:
 * the answers of any two requests with one origin have the same object.
 *
 * Unless all origins may call, every answer says that it varies, also one to an origin that may not: a cache would give that
 * one to all of them.
 */
export const headers = (
  corsOrigins: AppConfigShape["corsOrigins"]
): ((origin: string | undefined) => Headers) => {
  if (corsOrigins === "*") {
    const anybody = { "access-control-allow-origin": "*", ...exposed }
    return () => anybody
  }
  const allowed = new Map(
    corsOrigins.map((origin) => [
      origin,
      { "access-control-allow-origin": origin, vary: "Origin", ...exposed }
    ])
  )
  const [only] = allowed.size === 1 ? allowed.values() : []
  const others: Headers = only ?? { vary: "Origin", ...exposed }
  return (origin) => allowed.get(origin ?? "") ?? others
}
