/** How reasons show an address: in printable ASCII, without its query, and not too long. */

import type { CanonicalUrl } from "./CanonicalUrl.ts"
import type { Address } from "./Submission.ts"

/** Of a host, or of a host and a path, before the ellipsis. */
const MAX_CHARS = 60

/** Shows a canonical host, a long one without its beginning, because the end shows the owner. */
export const shortHost = (host: string): string =>
  host.length > MAX_CHARS ? `…${host.slice(-MAX_CHARS)}` : host

/**
 * Shows a host and path, a long path without its end.
 *
 * Of `https://evil.example/a?b` it is `evil.example/a`, of `https://evil.example/` it is `evil.example`.
 */
export const short = ({ host, path }: CanonicalUrl): string => {
  if (path === "/" || host.length > MAX_CHARS) return shortHost(host)
  const text = host + path
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text
}

/** The capital of an ordinary first word, not of `URL`. */
const FIRST_CAPITAL = /^[A-Z](?![A-Z])/

/**
 * Words a reason about an address: unchanged for the submitted one; for any other it says that the link leads there, or that it
 * contains an address there.
 *
 * `The address evil.example is ...` becomes `The link leads to evil.example, which is ...`, and any other sentence
 * `The link leads to evil.example: ...`.
 */
export const inReason = ({ relation, url }: Address, reason: string): string => {
  if (relation === "submitted") return reason
  const host = shortHost(url.host)
  const aboutHost = `The address ${host} `
  const link =
    relation === "carried" ? `The link contains an address on ${host}` : `The link leads to ${host}`
  return reason.startsWith(aboutHost)
    ? `${link}, which ${reason.slice(aboutHost.length)}`
    : `${link}: ${reason.replace(FIRST_CAPITAL, (capital) => capital.toLowerCase())}`
}
