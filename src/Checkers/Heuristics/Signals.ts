/** The findings for facts: what the text of a URL says by itself, without network, lists that change, and the model. */

import type { InvalidUrl } from "../../Url/CanonicalUrl.ts"
import * as Hosts from "../../Url/Hosts.ts"
import type { Found } from "../Kinds.ts"
import * as Brands from "./Brand/Brands.ts"
import type { BrandEvidence } from "./Brand.ts"
import type { HostName } from "./Host.ts"
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
  if (brand !== undefined) signals.push(brandSignal(brand, name))
  const everyday = hostingFirm === undefined || brand !== undefined ? undefined : Brands.byName.get(name.name)
  if (everyday !== undefined)
    signals.push({ kind: "brandInDomain", brand: Brands.shown(everyday, name.name), host })
  if (international?.mixed !== undefined)
    signals.push({ kind: "mixedScripts", label: international.label, scripts: international.mixed })
  else if (international !== undefined)
    signals.push({ kind: "internationalHost", label: international.label })
  if (decoy !== undefined) signals.push({ kind: "decoyDomain", shown: decoy, registrable })
  if (luresInName.length > 1) signals.push({ kind: "lureInDomain", words: luresInName })
  else if (facts.lures.length > 0 && brand === undefined)
    signals.push({ kind: "lureInHost", words: facts.lures })
  if (brand === undefined && path.brand !== undefined)
    signals.push({ kind: "brandInPath", brand: Brands.shown(path.brand.brand, path.brand.name) })
  if (path.lures.length > 0) signals.push({ kind: "lureInPath", words: path.lures })
  if (facts.machineName !== undefined)
    signals.push({ kind: "machineName", label: name.name, pattern: facts.machineName })
  if (facts.abusedSuffix !== undefined) signals.push({ kind: "abusedSuffix", suffix: facts.abusedSuffix })
  if (hostingFirm !== undefined) signals.push({ kind: hostingFirm.kind, suffix: hostingFirm.suffix })
}

const codeWords = Words.withRole("code")

/** Hosting firms make up names, such as `paypal-clone-tan-six`: there the words for codes are words like others. */
const brandSignal = (
  { asking, brand: owner, kind, name }: BrandEvidence,
  { host, hostingFirm }: HostName
): Found => {
  const brand = Brands.shown(owner, name)
  if (
    kind === "brandHomograph" ||
    kind === "brandDomainInHost" ||
    kind === "brandSplit" ||
    asking.length === 0
  )
    return { kind, brand, host }
  const isBank = owner.sector === "bank" && hostingFirm === undefined
  const codes = isBank ? asking.filter((word) => codeWords.has(word)) : []
  if (codes.length > 0) return { kind: "bankCodeLure", brand, host, words: codes }
  return { kind: "brandLure", brand, host, words: asking.slice(0, MAX_WORDS) }
}

/** As many as a reason quotes. */
const MAX_WORDS = 3

/** What the writer of a link chooses on any host. */
const addOtherSignals = ({ host, path, url }: UrlFacts, signals: Array<Found>): void => {
  const { brandDomain, file, hasMailAddress, softwareFolder } = path
  if (brandDomain !== undefined)
    signals.push({ kind: "brandDomainInPath", shown: brandDomain, host: url.host })
  if (file !== undefined) signals.push(file)
  if (softwareFolder !== undefined) signals.push({ kind: "pageAmongSoftware", folder: softwareFolder })
  if (hasMailAddress) signals.push({ kind: "mailAddress" })
  if (host.isShortener && !Hosts.hasRole(url.host, "ownPages"))
    signals.push({ kind: "shortener", host: url.host })
}
