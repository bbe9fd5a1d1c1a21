/** The findings for facts: what the text of a URL says by itself, without network, lists that change, and the model. */

import type { InvalidUrl } from "../../Url/CanonicalUrl.ts"
import * as Hosts from "../../Url/Hosts.ts"
import type { Found, NamedBrand } from "../Kinds.ts"
import * as BrandOwner from "./Brand/BrandOwner.ts"
import type { BrandEvidence } from "./Brand.ts"
import type { HostFacts } from "./HostFacts.ts"
import { isCommand, type UrlFacts } from "./UrlFacts.ts"
import * as Words from "./Words.ts"

/** Schemes whose URL is itself a program or a page. */
const scriptSchemes: ReadonlySet<string> = new Set(["javascript", "data", "vbscript"])

/** The signals of a submitted string that is not a URL with a host. */
export const signalsOfInvalid = ({ reason, scheme }: InvalidUrl, submitted: string): ReadonlyArray<Found> =>
  reason === "OpaqueScheme"
    ? [{ kind: scriptSchemes.has(scheme) ? "scriptScheme" : "otherScheme", scheme }]
    : [{ kind: "malformed", problem: reason, shown: withoutSecrets(submitted.trim()) }]

const SCHEME_AND_SLASHES = /^[a-z][a-z0-9+.-]{0,20}:[/\\]{1,3}/i
const QUERY_OR_FRAGMENT = /[?#]|%3f|%23/i

/** With `...` in place of what may be secret: user info, query and fragment. Takes linear time. */
const withoutSecrets = (text: string): string => {
  const end = text.search(QUERY_OR_FRAGMENT)
  const address = end === -1 ? text : `${text.slice(0, end)}...`
  const at = Math.max(address.lastIndexOf("@"), address.lastIndexOf("%40"))
  return at === -1 ? address : `${SCHEME_AND_SLASHES.exec(address)?.[0] ?? ""}...${address.slice(at)}`
}

/**
 * All signals of a URL, each kind at most once. `isPopular`: the host is a popular site's own, so its name is not evidence. The
 * names, ports and pages of a private host are its owner's choice.
 */
export const signalsOf = (facts: UrlFacts, isPopular: boolean): ReadonlyArray<Found> => {
  const { host, url, userInfo } = facts
  const signals: Array<Found> = []
  if (userInfo !== undefined)
    signals.push(
      userInfo.kind === "userInfo"
        ? { kind: userInfo.kind, host: url.host }
        : { kind: userInfo.kind, shown: userInfo.shown, host: url.host }
    )
  if (host.isPrivate && !isCommand(url)) signals.push({ kind: "privateHost", host: url.host })
  if (!host.isPrivate && !isPopular) addNameSignals(facts, signals)
  if (!host.isPrivate || isCommand(url)) addOtherSignals(facts, signals)
  if (url.scheme !== "https") signals.push({ kind: "notHttps" })
  return signals
}

/** What the name of a host says, and what is a signal only beside it. */
const addNameSignals = ({ host: facts, path }: UrlFacts, signals: Array<Found>): void => {
  const { brand, decoy, host, international, luresInName, name } = facts
  if (facts.isAddress) signals.push({ kind: "ipHost", host })
  if (name === undefined || facts.isBrandsOwn) return
  const { hostingFirm, registrable } = name
  if (brand !== undefined) signals.push(brandSignal(brand, facts))
  if (international?.mixed !== undefined)
    signals.push({ kind: "mixedScripts", label: international.label, scripts: international.mixed })
  else if (international !== undefined)
    signals.push({ kind: "internationalHost", label: international.label })
  if (decoy !== undefined) signals.push({ kind: "decoyDomain", shown: decoy, registrable })
  if (luresInName.length > 1) signals.push({ kind: "lureInDomain", words: luresInName })
  else if (facts.lures.length > 0 && brand === undefined)
    signals.push({ kind: "lureInHost", words: facts.lures })
  if (brand === undefined && path.brand !== undefined)
    signals.push({ kind: "brandInPath", brand: named(path.brand) })
  if (path.lures.length > 0) signals.push({ kind: "lureInPath", words: path.lures })
  if (facts.machineName !== undefined)
    signals.push({ kind: "machineName", label: name.name, pattern: facts.machineName })
  if (facts.abusedSuffix !== undefined) signals.push({ kind: "abusedSuffix", suffix: facts.abusedSuffix })
  if (hostingFirm !== undefined) signals.push({ kind: hostingFirm.kind, suffix: hostingFirm.suffix })
}

const brandSignal = (evidence: BrandEvidence, { host, name }: HostFacts): Found => {
  const brand = named(evidence)
  const codes = evidence.brand.sector === "bank" ? evidence.asking.filter(Words.isBankCode) : []
  switch (evidence.kind) {
    case "brandHomograph":
    case "brandDomainInHost":
    case "brandSplit":
      return { kind: evidence.kind, brand, host }
    default:
      if (codes.length > 0 && name?.hostingFirm === undefined)
        return { kind: "bankCodeLure", brand, host, words: codes }
      return evidence.asking.length > 0
        ? { kind: "brandLure", brand, host, words: evidence.asking.slice(0, MAX_WORDS) }
        : { kind: evidence.kind, brand, host }
  }
}

/** As many as a reason quotes. */
const MAX_WORDS = 3

const ownPagesOnly = Hosts.namesWith("ownPages")

/** What the writer of a link chooses on any host. */
const addOtherSignals = ({ host, path, url }: UrlFacts, signals: Array<Found>): void => {
  const { brandDomain, file, hasMailAddress, softwareFolder } = path
  if (brandDomain !== undefined)
    signals.push({ kind: "brandDomainInPath", shown: brandDomain, host: url.host })
  if (file !== undefined) signals.push(file)
  if (softwareFolder !== undefined) signals.push({ kind: "pageAmongSoftware", folder: softwareFolder })
  if (hasMailAddress) signals.push({ kind: "mailAddress" })
  if (host.isShortener && !ownPagesOnly.has(url.host)) signals.push({ kind: "shortener", host: url.host })
}

/** The brand as sentences show it. `name` is the one of its names that was found. */
const named = ({ brand, name }: Pick<BrandEvidence, "brand" | "name">): NamedBrand => {
  const domain = BrandOwner.domainToShow(brand, name)
  return { name: BrandOwner.shownName(name, domain), domain }
}
