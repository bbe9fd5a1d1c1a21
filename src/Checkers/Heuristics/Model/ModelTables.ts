/** The four tables of weights, and which pieces of a URL have places in each. */

import type { Places } from "./ModelTables/Buckets.ts"
import * as HostTokens from "./ModelTables/HostTokens.ts"
import * as NGrams from "./ModelTables/NGrams.ts"
import * as RestTokens from "./ModelTables/PathTokens.ts"
import type { HostText, RestText } from "./ModelText.ts"

/** In the order in which the weights file holds them. */
export const tables = [
  { name: "url", bits: 18 },
  { name: "host", bits: 17 },
  { name: "path", bits: 16 },
  { name: "tokens", bits: 18 }
] as const

const maskOf = (table: 0 | 1 | 2 | 3): number => (1 << tables[table].bits) - 1

const URL_MASK = maskOf(0)
const HOST_MASK = maskOf(1)
const PATH_MASK = maskOf(2)
const TOKEN_MASK = maskOf(3)

export const urlLengths: NGrams.Lengths = { shortest: 3, longest: 5 }
export const hostLengths: NGrams.Lengths = { shortest: 2, longest: 5 }
export const restLengths: NGrams.Lengths = { shortest: 3, longest: 5 }

/** n-grams of host and rest. */
export const ofUrl = ({ host }: HostText, { rest }: RestText, places: Places): void => {
  places.count = 0
  NGrams.putAll(host + rest, true, urlLengths, URL_MASK, places)
}

/** n-grams of the host, digits as they are. */
export const ofHost = ({ host }: HostText, places: Places): void => {
  places.count = 0
  NGrams.putAll(host, false, hostLengths, HOST_MASK, places)
}

/** n-grams of path and query. */
export const ofRest = ({ rest }: RestText, places: Places): void => {
  places.count = 0
  NGrams.putAll(rest, true, restLengths, PATH_MASK, places)
}

export const ofHostTokens = (host: HostText, places: Places): HostTokens.HostKeys => {
  places.count = 0
  return HostTokens.putAll(host, TOKEN_MASK, places)
}

export const ofRestTokens = (rest: RestText, keys: HostTokens.HostKeys, places: Places): void => {
  places.count = 0
  RestTokens.putAll(rest, keys, TOKEN_MASK, places)
}

/** All tokens at once. */
const ofTokens = (host: HostText, rest: RestText, places: Places): void => {
  const keys = ofHostTokens(host, places)
  RestTokens.putAll(rest, keys, TOKEN_MASK, places)
}

/** What fills the places of each table, for a URL as a whole. */
export const readers: ReadonlyArray<(host: HostText, rest: RestText, places: Places) => void> = [
  ofUrl,
  (host, _, places) => ofHost(host, places),
  (_, rest, places) => ofRest(rest, places),
  ofTokens
]
