import * as Idna from "../../Url/CanonicalUrl/Idna.ts"
import * as BrandAffixes from "./Brand/BrandAffixes.ts"
import * as BrandHomograph from "./Brand/BrandHomograph.ts"
import * as BrandMatch from "./Brand/BrandMatch.ts"
import * as BrandOwner from "./Brand/BrandOwner.ts"
import type { Brand } from "./Brand/Brands.ts"
import * as Hosting from "./Host/Hosting.ts"
import * as Scripts from "./Host/Scripts.ts"
import type * as Host from "./Host.ts"
import * as Words from "./Words.ts"

/**
 * How a host that is not a brand's own uses the brand's name:
 *
 * - `brandDomainInHost`: contains the brand's whole domain, `paypal.com.example.net`, `paypal.com-pay.example`;
 * - `brandHomograph`: the whole name of a large brand in characters that look alike, `paypa1.example`;
 * - `brandSplit`: a long name whose letters are two labels, `myetherw.allet.example`;
 * - `brandLookAlike`: spelled to look like the name, `paypa1-secure.example`;
 * - `brandInDomain`: the name in the registrable domain, alone or with lure words, `paypal-secure.example`;
 * - `brandInSubdomain`: the same in a subdomain, `paypal.example.net`;
 * - `brandAmongWords`: the name among other words, `paypal-museum.example`;
 * - `everydayBrand`: a name that is also an everyday word, with a word that asks for credentials in the same label or,
 *   after a hyphen, one that fits the brand's sector, or alone in a host that has another signal: `apple-verify.example`,
 *   `irs-refund.example`, `apple.example.top`; never `apple-repair.example`.
 */
export interface BrandEvidence {
  readonly kind:
    | "brandHomograph"
    | "brandSplit"
    | "brandDomainInHost"
    | "brandLookAlike"
    | "brandInDomain"
    | "brandInSubdomain"
    | "brandAmongWords"
    | "everydayBrand"
  readonly brand: Brand
  readonly name: string
  /**
   * Words beside the name that ask for credentials, codes or money, whatever other words there are. Of an everyday name only in
   * the same label.
   */
  readonly asking: ReadonlyArray<string>
}

const strengths = {
  brandHomograph: 8,
  brandSplit: 7,
  brandDomainInHost: 6,
  brandLookAlike: 5,
  brandInDomain: 4,
  brandInSubdomain: 3,
  brandAmongWords: 2,
  everydayBrand: 1
} as const

const stronger = (
  left: BrandEvidence | undefined,
  right: BrandEvidence | undefined
): BrandEvidence | undefined =>
  left === undefined ||
  (right !== undefined &&
    (right.asking.length > 0 === left.asking.length > 0
      ? strengths[right.kind] > strengths[left.kind]
      : right.asking.length > 0))
    ? right
    : left

/** Only the last labels and the first words of a label are read. */
const MAX_LABELS = 12
const MAX_WORDS = 12

/** The strongest use of a brand's name in a host that belongs to no brand. `isSuspicious`: the host has another signal. */
export const findInHost = (host: Host.HostName, isSuspicious: boolean): BrandEvidence | undefined => {
  const homograph = BrandHomograph.find(host)
  if (homograph !== undefined) return { kind: "brandHomograph", ...homograph, asking: [] }
  let evidence = findInLabel(host, host.name, "brandInDomain", undefined, isSuspicious)
  const labels = host.subdomains.slice(-MAX_LABELS)
  for (const [at, label] of labels.entries()) {
    if (label === "www") continue
    const next = labels[at + 1] ?? host.name
    evidence = stronger(evidence, findOverTwoLabels(label, next))
    evidence = stronger(evidence, findInLabel(host, label, "brandInSubdomain", next, isSuspicious))
  }
  return evidence === undefined || Hosting.carriesNames(host.host) ? undefined : evidence
}

/** Shorter names are two ordinary words: `face.book`. */
const MIN_SPLIT_CHARS = 8
const MIN_SPLIT_PART_CHARS = 2

const findOverTwoLabels = (label: string, next: string): BrandEvidence | undefined => {
  if (label.length < MIN_SPLIT_PART_CHARS || next.length < MIN_SPLIT_PART_CHARS) return undefined
  const joined = `${label}${next}`
  const match = joined.length < MIN_SPLIT_CHARS ? undefined : BrandMatch.findByName(joined)
  return match === undefined || match.brand.everyday
    ? undefined
    : { kind: "brandSplit", brand: match.brand, name: match.name, asking: [] }
}

/** What phishing asks for: credentials, accounts, codes, money. */
const askingWords = Words.wordsWith("credential", "account", "code", "payment", "fee", "refund")
const fees = Words.wordsWith("fee")
const calculators = Words.wordsWith("calculator")

/** The words that ask, and of those in one word (`securelogin`) the first or the last. A calculator of fees does not ask for them. */
const askingAmong = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const asking = words.flatMap((word) => BrandAffixes.partOf(word, askingWords) ?? [])
  return words.some((word) => calculators.has(word)) ? asking.filter((word) => !fees.has(word)) : asking
}

/** The words of all other labels. */
const wordsBeside = (host: Host.HostName, label: string): ReadonlyArray<string> =>
  [...host.subdomains.slice(-MAX_LABELS), host.name]
    .filter((other) => other !== label)
    .flatMap((other) => Words.split(other, MAX_WORDS))

const findInLabel = (
  host: Host.HostName,
  label: string,
  ordinaryKind: "brandInDomain" | "brandInSubdomain",
  nextLabel: string | undefined,
  isSuspicious: boolean
): BrandEvidence | undefined => {
  const unicode = Idna.toUnicode(label)
  const shown = unicode === label ? label : Scripts.toLatin(unicode)
  const words = Words.split(shown, MAX_WORDS)
  const written = shown === unicode ? words : Words.split(unicode, MAX_WORDS)
  let evidence: BrandEvidence | undefined
  for (const [at, word] of words.entries()) {
    const inWord = BrandMatch.findInWord(word)
    const joined = inWord === undefined || inWord.brand.everyday ? findInJoinedWords(words, at) : undefined
    const match =
      joined?.match ?? inWord ?? (host.hostingFirm === undefined ? undefined : BrandMatch.findAtStart(word))
    if (match === undefined) continue
    const { brand, name } = match
    const after = joined === undefined ? at + 1 : joined.end
    const others = [...words.slice(0, at), match.rest, ...words.slice(after)].filter((other) => other !== "")
    if (
      BrandOwner.isSharedUnder(match.brand, host.suffix) &&
      !asksBeyondBank(nextLabel === undefined ? others : [...others, ...Words.split(host.name, MAX_WORDS)])
    )
      continue
    const startsDomain =
      after < words.length
        ? joined === undefined && BrandOwner.ownsDomain(brand, `${word}.${words[after]}`)
        : nextLabel !== undefined && BrandOwner.startsDomain(brand, word, nextLabel.split("-", 1)[0] ?? "")
    const kind = startsDomain
      ? "brandDomainInHost"
      : kindOf(
          match,
          others,
          written !== words && isWrittenOtherwise(brand, words.slice(at, after), written.slice(at, after)),
          ordinaryKind,
          isSuspicious
        )
    if (kind === undefined) continue
    if (
      kind !== "brandLookAlike" &&
      Hosting.isCompanyService(ordinaryKind === "brandInSubdomain" ? host.registrable : host.suffix) &&
      !others.some(Words.isCredentialWord)
    )
      continue
    const asking = brand.everyday
      ? others.filter((word) => asksFor(brand, word))
      : askingAmong([...others, ...wordsBeside(host, label)])
    evidence = stronger(evidence, { kind, brand, name, asking })
  }
  return evidence
}

/** Whether a name has letters that the brand's does not, and is not written as its owner writes it. */
const isWrittenOtherwise = (
  brand: Brand,
  shown: ReadonlyArray<string>,
  written: ReadonlyArray<string>
): boolean =>
  shown.some((word, at) => word !== written[at]) && !BrandOwner.isNameWithAccents(brand, written.join(""))

/**
 * What phishing in the name of an everyday brand is about, other than credentials. Without what honest namesakes are about:
 * `fidelity-payments`, `office-gifts`, `target-delivery`.
 */
const topics: Readonly<Record<Brand["sector"], ReadonlySet<string>>> = {
  bank: Words.wordsWith("refund"),
  post: Words.wordsWith("payment", "fee", "parcel", "refund"),
  state: Words.wordsWith("payment", "fee", "refund"),
  transport: Words.wordsWith("payment", "fee", "refund"),
  telecom: Words.wordsWith("payment", "refund"),
  software: Words.wordsWith("payment", "refund"),
  shop: Words.wordsWith("refund"),
  crypto: Words.wordsWith("refund", "reward")
}

/** Whether a word beside an everyday name asks for credentials or for what phishing in that name is about. */
const asksFor = ({ sector }: Brand, word: string): boolean =>
  Words.isCredentialWord(word) || Words.isBankCode(word) || topics[sector].has(word)

const kindOf = (
  { brand, isLookAlike, rest, hasOtherLetters }: BrandMatch.BrandMatch,
  others: ReadonlyArray<string>,
  isTransliterated: boolean,
  ordinaryKind: "brandInDomain" | "brandInSubdomain",
  isSuspicious: boolean
): BrandEvidence["kind"] | undefined => {
  const isAlone = !hasOtherLetters && others.every(BrandAffixes.areAffixes)
  const asksForCredentials = others.some(Words.isCredentialWord)
  if (isTransliterated) return "brandLookAlike"
  if (isLookAlike) return isAlone || asksForCredentials || isSuspicious ? "brandLookAlike" : undefined
  if (brand.everyday) {
    const isWord = rest === ""
    const isMeant =
      (isWord && others.some((word) => asksFor(brand, word))) ||
      (isAlone ? asksForCredentials || isSuspicious : isSuspicious && others.some(isAffixWithLetters))
    return isMeant ? "everydayBrand" : undefined
  }
  return isAlone ? ordinaryKind : "brandAmongWords"
}

const bankWords = Words.wordsWith("bank")

/** Whether words beside a name that many banks share ask for what the banks themselves do not put beside it: `tan`, `verify`. */
const asksBeyondBank = (words: ReadonlyArray<string>): boolean =>
  askingAmong(words).some((word) => Words.isBankCode(word) || !bankWords.has(word))

const isAffixWithLetters = (word: string): boolean => /[a-z]/.test(word) && BrandAffixes.areAffixes(word)

interface Joined {
  readonly match: BrandMatch.BrandMatch
  /** Index of the first word after the name. */
  readonly end: number
}

const MAX_JOINED_WORDS = 4

/** A name written with hyphens: `wells-fargo`, `bank-of-america`, `pay-pal`. */
const findInJoinedWords = (words: ReadonlyArray<string>, at: number): Joined | undefined => {
  let text = words[at] ?? ""
  for (let end = at + 1; end < Math.min(words.length, at + MAX_JOINED_WORDS); end++) {
    text += words[end]
    const match = BrandMatch.findBySpelling(text)
    if (match !== undefined) return { match, end: end + 1 }
  }
  return undefined
}
