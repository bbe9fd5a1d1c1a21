/** How reasons show an address: in printable ASCII, without its query, and not too long. */

import type { CanonicalUrl } from "../CanonicalUrl.ts"
import type { Address } from "../Submission.ts"

const MAX_CHARS = 60

/**
 * The host and path; the beginning of a long one, but the end of a long host, because the end shows the owner.
 *
 * Of `https://evil.example/a?b` it is `evil.example/a`, of `https://evil.example/` it is `evil.example`.
 */
export const short = ({ host, path }: Pick<CanonicalUrl, "host" | "path">): string => {
  if (host.length > MAX_CHARS) return `…${host.slice(-MAX_CHARS)}`
  const text = path === "/" ? host : host + path
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text
}

/** A reason about an address: as it is for the submitted one; for any other it says that the link leads there. */
export const inReason = ({ relation, url }: Address, reason: string): string =>
  relation === "submitted"
    ? reason
    : `The link leads to ${short({ host: url.host, path: "/" })}: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`
