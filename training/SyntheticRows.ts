/**
 * Rows put together from parts of observed ones, so that the model learns what anybody may write behind a host: ordinary
 * sites have login pages too, and an ordinary path does not clear a host.
 */

import * as Extraction from "./Extraction.ts"
import type { LabelledUrl } from "./LabelledUrls.ts"
import * as Random from "./Random.ts"

export const SOURCE = "made"
export const WEIGHT = 0.5

/** At most as many of each as there are rows. */
const LOGIN_PAGES = 16_000
const PADDED_PAGES = 12_000
const SEED = 11

/** Firms put these before their domain for pages behind a password. */
const prefixes: ReadonlyArray<string> = [
  "",
  "",
  "",
  "www.",
  "login.",
  "secure.",
  "online.",
  "account.",
  "my.",
  "auth."
]

/** What stands behind the host, as written. */
const restOf = (url: string): string => /^[a-z]+:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? ""

const isDeep = (rest: string): boolean => rest.length > 1

/**
 * Login pages of real firms on the domains of other ordinary sites, benign; pages of ordinary sites on hosts of phishing,
 * phishing. `logins` are benign.
 */
export const of = (
  rows: ReadonlyArray<LabelledUrl>,
  logins: ReadonlyArray<LabelledUrl>
): ReadonlyArray<LabelledUrl> => {
  const next = Random.random(SEED)
  const pick = <A>(from: ReadonlyArray<A>): A | undefined => from[Math.floor(next() * from.length)]
  const benign = rows.filter(({ isPhishing }) => !isPhishing)
  const phishing = rows.filter(({ isPhishing }) => isPhishing)
  const loginPages = logins.map(({ url }) => restOf(url)).filter(isDeep)
  const made: Array<LabelledUrl> = []
  for (let count = 0; count < Math.min(LOGIN_PAGES, rows.length); count++) {
    const row = pick(benign)
    const url = row && Extraction.parsed(row.url)
    const page = pick(loginPages)
    if (row === undefined || url === undefined || page === undefined) continue
    made.push({ ...row, source: SOURCE, url: `https://${pick(prefixes)}${Extraction.holder(url)}${page}` })
  }
  for (let count = 0; count < Math.min(PADDED_PAGES, rows.length); count++) {
    const row = pick(phishing)
    const url = row && Extraction.parsed(row.url)
    const page = restOf(pick(benign)?.url ?? "")
    if (row === undefined || url === undefined || !isDeep(page)) continue
    made.push({ ...row, source: SOURCE, url: `https://${url.host}${page}` })
  }
  return made
}
