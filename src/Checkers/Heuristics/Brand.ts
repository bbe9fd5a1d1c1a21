/** How hosts and paths use the names of brands that do not own them. */

import * as Hosts from "../../Url/Hosts.ts"
import * as PublicSuffix from "../../Url/PublicSuffix.ts"
import * as BrandName from "./Brand/BrandName.ts"
import * as Brands from "./Brand/Brands.ts"
import * as Scripts from "./Host/Scripts.ts"
import type * as Host from "./Host.ts"
import * as Words from "./Words.ts"

/**
 * How a host that is not a brand's own uses the brand's name, from the weakest evidence to the strongest:
 *
 * - `brandAmongWords`: the name among other words, `paypal-museum.example`;
 * - `brandInSubdomain`: the name in a subdomain, alone or with lure words, `paypal.example.net`;
 * - `brandInDomain`: the same in the registrable domain, `paypal-secure.example`;
 * - `brandLookAlike`: spelled to look like the name, `paypa1-secure.example`;
 * - `brandSplit`: a name whose letters are two or three labels, `myetherw.allet.example`;
 * - `brandDomainInHost`: contains the brand's whole domain, `paypal.com.example.net`, `paypal.com-pay.example`;
 * - `brandHomograph`: the whole name of a large brand in characters that look alike, `paypa1.example`.
 *
 * A name that is also an everyday word counts only with a word in the same label that asks: `apple-verify.example`,
 * `irs-refund.example`; never `apple-repair.example`. So does software that firms run themselves, except on free hosting:
 * `zimbra-portal.webflow.io`, not `zimbra.firm.example`.
 */
const kinds = [
  "brandAmongWords",
  "brandInSubdomain",
  "brandInDomain",
  "brandLookAlike",
  "brandSplit",
  "brandDomainInHost",
  "brandHomograph"
] as const

/** A use of a brand's name in a host. */
export interface BrandEvidence extends BrandName.NamedBy {
  readonly kind: (typeof kinds)[number]
  /**
   * Words beside the name that ask for credentials, codes or money, whatever other words there are. Of an everyday name only in
   * the same label.
   */
  readonly asking: ReadonlyArray<string>
}

/** A name beside a word that asks is stronger than any other. */
const strengthOf = ({ asking, kind }: BrandEvidence): number =>
  kinds.indexOf(kind) + (asking.length > 0 ? kinds.length : 0)

/** Only the last labels and the first words of a label are read. */
const MAX_LABELS = 12
const MAX_LABEL_WORDS = 12

/** A label of a host and its words in Latin letters. */
interface Label {
  readonly text: string
  readonly words: ReadonlyArray<string>
  /** It has `SPACED` letters, which may disguise a name. */
  readonly isSpaced: boolean
}

/** Single letters in a row: of five, as in `p-a-y-p-a-l`, seldom initials. */
const SPACED = /(?<![a-z\d])[a-z\d](?:-[a-z\d](?![a-z\d])){4,}/g

const labelOf = (text: string): Label => {
  const latin = Scripts.latinOf(text)
  const joined = latin.includes("-") ? latin.replace(SPACED, (letters) => letters.replaceAll("-", "")) : latin
  return { text, words: Words.split(joined, MAX_LABEL_WORDS), isSpaced: joined !== latin }
}

/** The strongest use of a brand's name in a host that belongs to no brand. */
export const findInHost = (host: Host.HostName): BrandEvidence | undefined => {
  const homograph = BrandName.findHomograph(host)
  if (homograph !== undefined) return { kind: "brandHomograph", ...homograph, asking: [] }
  if (host.roles.includes("carriesNames")) return undefined
  const subdomains = host.subdomains.slice(-MAX_LABELS).filter((label) => label !== "www")
  const labels = [...subdomains, host.name].map(labelOf)
  let strongest: BrandEvidence | undefined
  // Of equally strong ones the last label's first.
  for (let at = labels.length - 1; at >= 0; at--)
    for (const each of findInLabel(host, labels, at))
      if (strongest === undefined || strengthOf(each) > strengthOf(strongest)) strongest = each
  return strongest
}

/** A name of two shorter words may be a site and its host: `drop.box.com`, `us.bank.example`. */
const LONG_NAME_CHARS = 8
const MIN_SPLIT_PART_CHARS = 2
const MIN_SHORT_NAME_PART_CHARS = 3

/**
 * The letters of a name in the labels from `at` to `end`. Words that ask or that phishing often adds may follow:
 * `spark.asse-pushtan.example`. In two labels a name of six or seven letters counts with these, or in front of another domain: 400
 * phishing hosts of the development data have one so, nearly all by two campaigns, and no benign one.
 */
const findOverLabels = (labels: ReadonlyArray<Label>, at: number, end: number): Array<BrandEvidence> => {
  const last = labels[end]
  if (last === undefined) return []
  // Nearly all are no name: no array is made for them.
  let name = ""
  for (let each = at; each < end; each++) name += labels[each]?.text ?? ""
  name += last.words[0] ?? ""
  const brand = Brands.byName.get(name)
  if (brand === undefined || brand.everyday) return []
  const [word = "", ...others] = last.words
  const parts = [...labels.slice(at, end).map(({ text }) => text), word]
  const shortest = Math.min(...parts.map(({ length }) => length))
  const isDomainNext = end + 1 === labels.length
  const counts =
    name.length >= LONG_NAME_CHARS
      ? shortest >= MIN_SPLIT_PART_CHARS
      : end === at + 1 && shortest >= MIN_SHORT_NAME_PART_CHARS && (!isDomainNext || others.length > 0)
  // Without such words, a dot between the words of a name is that of a site and its host: `china.mobile.example`.
  const isOrdinary =
    others.length > 0
      ? !others.some(BrandName.areAffixes) && askingAmong(others, asking).length === 0
      : Brands.isSpelledAs(name, parts)
  return isOrdinary || !counts ? [] : [{ kind: "brandSplit", brand, name, asking: [] }]
}

const MAX_DOMAIN_LABELS = 3

/** A brand's whole domain in front of the host's own, whatever the brand's name is: `my.gov.au.example`. */
const findWholeDomain = (labels: ReadonlyArray<Label>, at: number): Array<BrandEvidence> => {
  for (let end = at + 2; end <= Math.min(at + MAX_DOMAIN_LABELS, labels.length); end++) {
    const brand = Brands.ownerOf(labels.slice(at, end).map(({ text }) => text))
    if (brand !== undefined) return [{ kind: "brandDomainInHost", brand, name: brand.names[0], asking: [] }]
  }
  return []
}

/** What phishing asks for. */
const asking = Words.withRole("credential", "account", "code", "payment", "fee", "refund")

/**
 * What phishing in the name of an everyday brand asks for, without what honest namesakes are about: `fidelity-payments`,
 * `visa-fees`, `target-delivery`.
 */
const credentials = Words.withRole("credential", "code", "refund")
const money = Words.withRole("credential", "code", "refund", "payment", "fee")
const moneyOrParcels = Words.withRole("credential", "code", "refund", "payment", "fee", "parcel")
const askingOfEveryday = ({ sector }: Brands.Brand): ReadonlySet<string> => {
  if (sector === "post") return moneyOrParcels
  return sector === "state" || sector === "transport" || sector === "telecom" ? money : credentials
}

const calculators = Words.withRole("calculator")
const calculated = Words.withRole("fee", "refund", "payment")

const thirdParty = Words.withRole("thirdParty")

/** Shorter words are the beginning or the end of many others: `sport` of `transport`. */
const MIN_PART_CHARS = 6
const MAX_PART_CHARS = 16

/** The longest of the wanted parts that a word begins with or ends in. */
const partOf = (word: string, max: number, isWanted: (part: string) => boolean) => {
  for (let length = Math.min(max, word.length); length >= MIN_PART_CHARS; length--) {
    const [start, end] = [word.slice(0, length), word.slice(-length)]
    if (isWanted(start)) return start
    if (isWanted(end)) return end
  }
  return undefined
}

/** Whether a word is, begins with or ends in one of these: `museum`, `museumutrecht`. */
const hasPartOf = (words: ReadonlySet<string>, word: string): boolean =>
  partOf(word, MAX_PART_CHARS, (part) => words.has(part)) !== undefined

/** Whether a word is, begins with or ends in one of clubs, shops and other firms. */
const isThirdPartyWord = (word: string): boolean => thirdParty.has(word) || hasPartOf(thirdParty, word)

const besideBanks = Words.withRole("bank")

/**
 * What asks in compounds. Not bills and accounts, which firms have in their names (`rechnungsportal`), and of everyday names not
 * credentials: `otto-sicherheitstechnik`.
 */
const inCompounds = Words.withRole("credential", "code", "fee", "refund")
const inCompoundsOfEveryday = Words.withRole("code", "fee", "refund")
/** A shorter rest is an ending of a word. */
const MIN_REST_CHARS = 3

/**
 * The word that asks at the beginning or the end of a compound: `pushtan` of `pushtanhilfe`; none of `gebuehrenrechner` and
 * `privatebanking`.
 */
const askingIn = (word: string, wanted: ReadonlySet<string>): string | undefined => {
  const max = Math.min(MAX_PART_CHARS, word.length - MIN_REST_CHARS)
  const compounds = wanted === asking ? inCompounds : inCompoundsOfEveryday
  const asks = (part: string) => wanted.has(part) && compounds.has(part) && !besideBanks.has(part)
  const part = partOf(word, max, asks)
  return part === undefined || isThirdPartyWord(word) || hasPartOf(calculators, word) ? undefined : part
}

/**
 * The words that ask, and of those in one word (`securelogin`) the first. Hyphens in a word (`push-tan`, `mot-de-passe`) do not
 * count. A calculator of money does not ask for it.
 */
const askingAmong = (words: ReadonlyArray<string>, wanted: ReadonlySet<string>): ReadonlyArray<string> => {
  const asks = (word: string): boolean => wanted.has(word)
  const found = words.flatMap((word, at) => {
    if (asks(word)) return word
    const [next = "", afterNext = ""] = words.slice(at + 1)
    const joined = [`${word}${next}`, `${word}${next}${afterNext}`].find(asks)
    return BrandName.affixesOf(word)?.find(asks) ?? askingIn(word, wanted) ?? joined ?? []
  })
  return words.some((word) => calculators.has(word)) ? found.filter((word) => !calculated.has(word)) : found
}

const codes = Words.withRole("code")

/** Whether words beside a name that many banks share ask for what the banks themselves do not put beside it: `tan`, `verify`. */
const asksBeyondBank = (words: ReadonlyArray<string>): boolean =>
  askingAmong(words, asking).some((word) => codes.has(word) || !besideBanks.has(word))

const findInLabel = (
  host: Host.HostName,
  labels: ReadonlyArray<Label>,
  at: number
): ReadonlyArray<BrandEvidence> => {
  const [label, next] = [labels[at], labels[at + 1]]
  if (label === undefined) return []
  const { words } = label
  const isCompanyService = Hosts.hasRole(
    next === undefined ? host.suffix : host.registrable,
    "companyService"
  )
  const wholeDomains = isCompanyService ? [] : findWholeDomain(labels, at)
  const found =
    next === undefined
      ? []
      : [...wholeDomains, ...findOverLabels(labels, at, at + 1), ...findOverLabels(labels, at, at + 2)]
  for (let start = 0; start < words.length; start++) {
    const match = BrandName.find(words, start)
    if (match === undefined) continue
    const { brand, end, name, rest } = match
    const isLookAlike = match.isLookAlike || (label.isSpaced && !label.text.includes(name))
    const others = [...words.slice(0, start), rest, ...words.slice(end)].filter((word) => word !== "")
    if (next === undefined && Brands.isSharedUnder(brand, host.suffix) && !asksBeyondBank(others)) continue
    const beside = labels.flatMap((other) => (other === label ? [] : other.words))
    const everyday = brand.everyday || (brand.selfHosted && host.hostingFirm?.kind !== "freeHosting")
    const asks = everyday
      ? askingAmong(others, askingOfEveryday(brand))
      : askingAmong([...others, ...beside], asking)
    const text = words.slice(start, end).join("-")
    const isDomain =
      end < words.length
        ? brand.domains.includes(`${text}.${words[end]}`)
        : next !== undefined && Brands.startsDomain(brand, text, next.words[0] ?? "")
    const isOrdinary = asks.length === 0 && !isLookAlike
    if (isOrdinary && everyday && !isDomain) continue
    if (isOrdinary && isCompanyService) continue
    const ordinaryKind = next === undefined ? "brandInDomain" : "brandInSubdomain"
    const namedKind = others.every(BrandName.areAffixes) ? ordinaryKind : "brandAmongWords"
    const kind = isDomain ? "brandDomainInHost" : isLookAlike ? "brandLookAlike" : namedKind
    found.push({ kind, brand, name, asking: asks })
  }
  return found
}

/** What phishing says beside a brand's name, and clubs, shops and other firms do not, although it asks for nothing by itself. */
const enticing = Words.withRole("parcel", "reward", "business")

/**
 * Whether a domain names a brand, which may be an everyday word, beside a word of clubs, shops and other firms, and the host has no
 * word that asks or entices: `paypal-museum.example`, `ledger-accounting.example`; not `paypal-museum-login.example`. Never for
 * wallets and exchanges whose names are not everyday words: what is sold beside them is mostly phishing.
 */
export const isThirdPartyHost = ({ name, subdomains }: Host.HostName): boolean => {
  const { words } = labelOf(name)
  const beside = subdomains.slice(-MAX_LABELS).flatMap((label) => labelOf(label).words)
  return words.some((_, start) => {
    const match = BrandName.find(words, start)
    if (match === undefined || match.isLookAlike) return false
    const { brand, end, rest } = match
    const others = [...words.slice(0, start), rest, ...words.slice(end)]
    const all = [...others, ...beside]
    return (
      (brand.everyday || brand.sector !== "crypto") &&
      others.some(isThirdPartyWord) &&
      !all.some((word) => enticing.has(word)) &&
      askingAmong(all, asking).length === 0
    )
  })
}

const MAX_SEGMENTS = 16
const MAX_SEGMENT_CHARS = 40
/** More words are a headline: `paypal-raises-fees`. */
const MAX_WORDS = 3
/** Numbers are not words: `paypal-login-11-22`. */
const MAX_NUMBERS = 3

/** Files that are not pages: `/img/facebook.svg`. */
const NO_PAGE = /\.(?:svg|png|jpe?g|gif|webp|ico|css|js|json|xml|gz|zip|txt|md|pdf|woff2?|map|org)$/

const segmentsOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/", MAX_SEGMENTS + 1)
    .filter((segment) => segment !== "" && segment.length <= MAX_SEGMENT_CHARS)
    .map((segment) => segment.toLowerCase())

/** The words of a short segment that is a page, without numbers and, of a file, its extension; else none. */
const wordsOfPage = (segment: string): ReadonlyArray<string> => {
  const dot = segment.indexOf(".")
  if (dot !== -1 && NO_PAGE.test(segment)) return []
  const name = dot === -1 ? segment : segment.slice(0, dot)
  const words = Words.split(name, MAX_WORDS + MAX_NUMBERS + 1).filter((word) => /\D|^$/.test(word))
  return words.length <= MAX_WORDS ? words : []
}

/**
 * The first brand that a short path segment names, ignoring its extension: `/secure/paypal-login.php` has paypal,
 * `/news/paypal-raises-fees` none. Look-alikes and everyday words do not count, because paths are full of other words.
 */
export const findInPath = (path: string): BrandName.NamedBy | undefined => {
  for (const segment of segmentsOf(path)) {
    const words = wordsOfPage(segment)
    for (let at = 0; at < words.length; at++) {
      const match = BrandName.findExact(words, at)
      if (match === undefined || match.brand.everyday) continue
      if (match.brand.selfHosted && segment === match.name) continue
      if ([...words.slice(0, at), match.rest, ...words.slice(match.end)].every(BrandName.areAffixes))
        return match
    }
  }
  return undefined
}

/** A domain at the start of a segment: of `www.paypal.com`, `paypal.com:443`, `paypal.com-verify`. */
const DOMAIN = /^(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,12}(?=[:_-]|$)/

/** Whether a domain is one tenant's below a brand's: `example.onmicrosoft.com`, whose sign-in has any host. */
const isTenants = (domain: string): boolean =>
  PublicSuffix.hostAndParents(domain).some((name, at) => at > 0 && Hosts.hasRole(name, "tenants"))

/**
 * A brand's domain in a path, before a page that asks to sign in: `paypal.com` of `/paypal.com/signin`. Nothing on the brand's
 * own host, on sites that quote the domains of others, and in paths that only tell of the domain (`/status/paypal.com`).
 */
export const findDomainInPath = (host: string, path: string): string | undefined => {
  if (!path.includes(".")) return undefined
  const segments = segmentsOf(path)
  for (const [at, segment] of segments.entries()) {
    const [domain] = DOMAIN.exec(segment) ?? []
    if (domain === undefined) continue
    if (![segment.slice(domain.length), ...segments.slice(at + 1)].some(asksForCredentials)) continue
    if (isTenants(domain) || !Brands.isOtherBrands(domain, host)) continue
    return PublicSuffix.hostAndParents(host).some((name) => Hosts.hasRole(name, "quoting"))
      ? undefined
      : domain
  }
  return undefined
}

const askingToSignIn = Words.withRole("credential")

/** Whether a segment names a page that asks to sign in: `login.php`, `sign-in`; not a long headline about signing in. */
const asksForCredentials = (segment: string): boolean =>
  wordsOfPage(segment).some(
    (word, at, words) => askingToSignIn.has(word) || askingToSignIn.has(`${word}${words[at + 1] ?? ""}`)
  )
