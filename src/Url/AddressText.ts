/** How reasons show an address: in printable ASCII, without its query, and not too long. */

import type { CanonicalUrl } from "./CanonicalUrl.ts"

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
