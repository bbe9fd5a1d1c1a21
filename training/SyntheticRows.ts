/**
 * Rows made from parts of observed ones. From them the model learns that ordinary sites have login pages, that their names
 * contain words which phishing uses too, and that a URL on a phishing host stays phishing with an ordinary path.
 */

import * as HostFacts from "../src/Checkers/Heuristics/HostFacts.ts"
import type { LabelledUrl } from "./Corpus/LabelledUrl.ts"
import * as Extraction from "./Extraction.ts"
import * as OrdinaryNames from "./OrdinaryNames.ts"
import * as Random from "./Random.ts"

export const SOURCE = "synthetic"

/** How many rows of each kind; at most the number of observed rows. */
const LOGIN_PAGES = 48_000
const INSTITUTIONS = 12_000
const HOSTED_PAGES = 7_500
const ORDINARY_PATHS = 12_000
const SEED = 12

/**
 * Of the login pages, those on the subdomain of a real one. Of these, those with the path of another page, and of such paths
 * those of common software.
 */
const REAL_SUBDOMAIN_SHARE = 0.5
const SOFTWARE_PATH_SHARE = 0.2
/** Of the pages on made-up names, those that are home pages, and of the institutions those on a subdomain. */
const HOME_PAGE_SHARE = 0.3
/** Of the pages on free hosting, those whose name is a project's. */
const PROJECT_SHARE = 0.2

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

interface LoginPage {
  /** With the dot; empty for a page on the domain itself. */
  readonly subdomain: string
  readonly path: string
}

const loginPageOf = ({ url: text }: LabelledUrl): ReadonlyArray<LoginPage> => {
  const url = Extraction.parse(text)
  const path = pathOf(text)
  if (url === undefined || !isNotRoot(path)) return []
  return [{ subdomain: url.host.slice(0, -Extraction.siteOf(url).length), path }]
}

/** The first label of a registrable domain, and the rest. */
const split = (site: string): { readonly name: string; readonly suffix: string } => {
  const dot = site.indexOf(".")
  return { name: site.slice(0, dot), suffix: site.slice(dot + 1) }
}

/**
 * Benign rows with login pages of real firms on the domains of other ordinary sites, on names like those of banks and shops
 * and on free hosting, and phishing rows with paths of ordinary sites on phishing hosts. `logins` are the benign rows of
 * login pages.
 */
export const makeRows = (
  rows: ReadonlyArray<LabelledUrl>,
  logins: ReadonlyArray<LabelledUrl>
): ReadonlyArray<LabelledUrl> => {
  const next = Random.random(SEED)
  const pick = <A>(from: ReadonlyArray<A>): A | undefined => from[Math.floor(next() * from.length)]
  const benign = rows.filter(({ isPhishing }) => !isPhishing)
  const phishing = rows.filter(({ isPhishing }) => isPhishing)
  const loginPages = logins.flatMap(loginPageOf)
  const synthetic: Array<LabelledUrl> = []
  const loginPath = (): string =>
    next() < SOFTWARE_PATH_SHARE ? OrdinaryNames.loginPath(next) : (pick(loginPages)?.path ?? "/")
  /** Adds up to `count` benign rows, each made from the domain of an ordinary site. IP addresses have none. */
  const addBenign = (count: number, hostAndPath: (site: string) => string): void => {
    for (let added = 0; added < Math.min(count, rows.length); added++) {
      const row = pick(benign)
      const url = row && Extraction.parse(row.url)
      if (row === undefined || url === undefined || HostFacts.factsOf(url.host).name === undefined) continue
      synthetic.push({ ...row, source: SOURCE, url: `https://${hostAndPath(Extraction.siteOf(url))}` })
    }
  }
  addBenign(LOGIN_PAGES, (site) => {
    const page = next() < REAL_SUBDOMAIN_SHARE ? pick(loginPages) : undefined
    const subdomain = page?.subdomain ?? pick(prefixes) ?? ""
    return `${subdomain}${site}${page === undefined || next() < SOFTWARE_PATH_SHARE ? loginPath() : page.path}`
  })
  addBenign(INSTITUTIONS, (site) => {
    const { name, suffix } = split(site)
    const subdomain = next() < HOME_PAGE_SHARE ? (pick(prefixes) ?? "") : ""
    const path = next() < HOME_PAGE_SHARE ? "/" : loginPath()
    return `${subdomain}${OrdinaryNames.institution(name, next)}.${suffix}${path}`
  })
  addBenign(HOSTED_PAGES, (site) => {
    const { name } = split(site)
    const label = next() < PROJECT_SHARE ? OrdinaryNames.project(name, next) : name
    const path = next() < HOME_PAGE_SHARE ? "/" : loginPath()
    return `${label}.${OrdinaryNames.hostingSuffix(next)}${path}`
  })
  for (let count = 0; count < Math.min(ORDINARY_PATHS, rows.length); count++) {
    const row = pick(phishing)
    const url = row && Extraction.parse(row.url)
    const path = pathOf(pick(benign)?.url ?? "")
    if (row === undefined || url === undefined || !isNotRoot(path)) continue
    synthetic.push({ ...row, source: SOURCE, url: `https://${url.host}${path}` })
  }
  return synthetic
}
