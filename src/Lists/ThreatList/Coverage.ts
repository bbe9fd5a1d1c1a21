/**
 * A set of bits with two uses:
 * - in a list: how a listed expression (`host/path?query`) covers URLs;
 * - in a lookup: how an expression of the URL may match. It matches a listed one if both sets have a bit in common.
 */
export type Coverage = number

/** A listed URL, host, path and query, matches itself. */
export const EXACT: Coverage = 1

/** The page of a listed URL matches with any query, on its host and the subdomains. Not on shared hosts. */
export const PAGE: Coverage = 2

/** A listed directory or host root matches everything below it, on its host and the subdomains. */
export const BELOW: Coverage = 4

/** The normal form of a listed URL on a shared host matches other spellings of it (see `ContentForms`). */
export const CONTENT: Coverage = 8

/** A listed directory or host root. */
export const DIRECTORY: Coverage = EXACT | PAGE | BELOW

export const ALL: Coverage = DIRECTORY | CONTENT

/** How many bits the set takes. */
export const BITS = 4
