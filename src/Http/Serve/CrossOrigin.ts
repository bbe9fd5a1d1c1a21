import type { AppConfigShape } from "../../Layers/AppConfig.ts"
import type { HttpResponse } from "../../Layers/Server.ts"

export type Headers = Readonly<Record<string, string>>

/** Two hours, the longest that any browser caches a preflight. */
const PREFLIGHT_MAX_AGE_SECONDS = 7200

const exposed = {
  "access-control-expose-headers":
    "checker-status,list-override,retry-after,ratelimit,ratelimit-policy,x-request-id"
}

/** What a page of another origin may send. Tracers of browsers add the last three to every request. */
const ALLOWED_HEADERS = "content-type, traceparent, tracestate, b3"

/** The response to a preflight (https://fetch.spec.whatwg.org/#http-cors-protocol). */
export const preflight: HttpResponse = {
  status: 204,
  headers: {
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers": ALLOWED_HEADERS,
    "access-control-max-age": String(PREFLIGHT_MAX_AGE_SECONDS)
  },
  body: ""
}

/** The response to `OPTIONS` for paths that pages of other origins may not read. */
export const options: HttpResponse = { status: 204, headers: { allow: "GET, HEAD, OPTIONS" }, body: "" }

/**
 * The headers that let a page of another origin read a response, by the `Origin` of the request. `Vary: Origin` is always
 * sent, unless all origins are allowed: else a shared cache would serve the response for one origin to another.
 */
export const headersByOrigin = (
  corsOrigins: AppConfigShape["corsOrigins"]
): ((origin: string | undefined) => Headers) => {
  if (corsOrigins === "*") {
    const everyOrigin = { "access-control-allow-origin": "*", ...exposed }
    return () => everyOrigin
  }
  const allowed = new Set(corsOrigins)
  const others = { vary: "Origin", ...exposed }
  return (origin) =>
    origin !== undefined && allowed.has(origin)
      ? { "access-control-allow-origin": origin, ...others }
      : others
}
