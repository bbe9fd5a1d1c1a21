import { createHash } from "node:crypto"
import { Either } from "effect"
import * as CanonicalUrl from "../../src/Checkers/CanonicalUrl.ts"
import * as SharedHost from "../../src/Checkers/Hosts/SharedHost.ts"

/** What rows are compared by. */
export interface Address {
  /** The canonical URL without scheme and port: the same page, however it is written. */
  readonly page: string
  /** What one party has: the host, and on a shared host the page. */
  readonly owned: string
}

export const addressOf = ({ host, path, query }: CanonicalUrl.CanonicalUrl): Address => {
  const page = `${host}${path}${query === undefined ? "" : `?${query}`}`
  return { page, owned: SharedHost.isShared(host) ? page : host }
}

const FINGERPRINT_CHARS = 12

/** 72 bits of a SHA-256, to know a page of a source again without its address. */
export const fingerprint = (source: string, { page }: Address): string =>
  createHash("sha256").update(`${source} ${page}`).digest("base64url").slice(0, FINGERPRINT_CHARS)

/** Undefined for a string that is no URL with a host. */
export const parse = (url: string): Address | undefined =>
  Either.getOrUndefined(Either.map(CanonicalUrl.parse(url), addressOf))
