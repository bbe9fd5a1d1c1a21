/**
 * How an expression (`host/path?query`) of a threat list applies: a set of bits. In a lookup the same bits say as what each
 * expression of the URL may match.
 */
export type Coverage = number

/** A listed URL, host, path and query, matches itself. */
export const EXACT: Coverage = 1

/** The page of a listed URL matches with any query, on its host and the subdomains. */
export const PAGE: Coverage = 2

/** A listed directory or host root matches everything below it, on its host and the subdomains. */
export const BELOW: Coverage = 4

export const ALL: Coverage = EXACT | PAGE | BELOW

/** How many bits the set takes. */
export const BITS = 3
