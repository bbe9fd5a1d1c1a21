/**
 * Rows made from parts of observed ones. From them the model learns that ordinary sites have login pages, and that a URL on
 * a phishing host stays phishing with an ordinary path.
 */

import type { LabelledUrl } from "./Corpus/LabelledUrl.ts"
import * as Extraction from "./Extraction.ts"
import * as Random from "./Random.ts"

export const SOURCE = "synthetic"

/** How many rows of each kind; at most the number of observed rows. */
const LOGIN_PAGES = 16_000
const ORDINARY_PATHS = 12_000
const SEED = 11

/** Prefixes of hosts with login pages. */
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

/** Path and query, as written. */
const pathOf = (url: string): string => /^[a-z]+:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? ""

const isNotRoot = (path: string): boolean => path.length > 1

/**
 * Benign rows with login pages of real firms on the domains of other ordinary sites, and phishing rows with paths of
 * ordinary sites on phishing hosts. `logins` are the benign rows of login pages.
 */
export const makeRows = (
  rows: ReadonlyArray<LabelledUrl>,
  logins: ReadonlyArray<LabelledUrl>
): ReadonlyArray<LabelledUrl> => {
  const next = Random.random(SEED)
  const pick = <A>(from: ReadonlyArray<A>): A | undefined => from[Math.floor(next() * from.length)]
  const benign = rows.filter(({ isPhishing }) => !isPhishing)
  const phishing = rows.filter(({ isPhishing }) => isPhishing)
  const loginPaths = logins.map(({ url }) => pathOf(url)).filter(isNotRoot)
  const synthetic: Array<LabelledUrl> = []
  for (let count = 0; count < Math.min(LOGIN_PAGES, rows.length); count++) {
    const row = pick(benign)
    const url = row && Extraction.parse(row.url)
    const path = pick(loginPaths)
    if (row === undefined || url === undefined || path === undefined) continue
    synthetic.push({
      ...row,
      source: SOURCE,
      url: `https://${pick(prefixes)}${Extraction.siteOf(url)}${path}`
    })
  }
  for (let count = 0; count < Math.min(ORDINARY_PATHS, rows.length); count++) {
    const row = pick(phishing)
    const url = row && Extraction.parse(row.url)
    const path = pathOf(pick(benign)?.url ?? "")
    if (row === undefined || url === undefined || !isNotRoot(path)) continue
    synthetic.push({ ...row, source: SOURCE, url: `https://${url.host}${path}` })
  }
  return synthetic
}
