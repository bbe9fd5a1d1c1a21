import * as Idna from "../../Url/CanonicalUrl/Idna.ts"
import * as BrandHomograph from "./Brand/BrandHomograph.ts"
import * as BrandName from "./Brand/BrandName.ts"
import * as BrandOwner from "./Brand/BrandOwner.ts"
import * as Brands from "./Brand/Brands.ts"
import * as Hosting from "./Host/Hosting.ts"
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
 * - `brandDomainInHost`: contains the brand's whole domain, `paypal.com.example.net`, `paypal.com-pay.example`;
 * - `brandSplit`: a long name whose letters are two labels, `myetherw.allet.example`;
 * - `brandHomograph`: the whole name of a large brand in characters that look alike, `paypa1.example`.
 *
 * A name that is also an everyday word counts only with a word in the same label that asks: `apple-verify.example`,
 * `irs-refund.example`; never `apple-repair.example`.
 */
const kinds = [
  "brandAmongWords",
  "brandInSubdomain",
  "brandInDomain",
  "brandLookAlike",
  "brandDomainInHost",
  "brandSplit",
  "brandHomograph"
] as const

/** A use of a brand's name in a host. */
export interface BrandEvidence {
  readonly kind: (typeof kinds)[number]
  readonly brand: Brands.Brand
  readonly name: string
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
const MAX_WORDS = 12

/** A label of a host and its words in Latin letters. */
interface Label {
  readonly text: string
  readonly words: ReadonlyArray<string>
}

const labelOf = (text: string): Label => {
  const shown = Idna.toUnicode(text)
  return { text, words: Words.split(shown === text ? text : Scripts.toLatin(shown), MAX_WORDS) }
}

/** The strongest use of a brand's name in a host that belongs to no brand. */
export const findInHost = (host: Host.HostName): BrandEvidence | undefined => {
  const homograph = BrandHomograph.find(host)
  if (homograph !== undefined) return { kind: "brandHomograph", ...homograph, asking: [] }
  const subdomains = host.subdomains.slice(-MAX_LABELS).filter((label) => label !== "www")
  const labels = [...subdomains, host.name].map(labelOf)
  let strongest: BrandEvidence | undefined
  for (let at = labels.length - 1; at >= 0; at--)
    for (const evidence of findInLabel(host, labels, at))
      if (strongest === undefined || strengthOf(evidence) > strengthOf(strongest)) strongest = evidence
  return strongest === undefined || Hosting.carriesNames(host.host) ? undefined : strongest
}

/** Shorter names are two ordinary words: `face.book`. */
const MIN_SPLIT_CHARS = 8
const MIN_SPLIT_PART_CHARS = 2

const findOverTwoLabels = ({ text }: Label, next: Label): BrandEvidence | undefined => {
  if (Math.min(text.length, next.text.length) < MIN_SPLIT_PART_CHARS) return undefined
  const name = `${text}${next.text}`
  const brand = name.length < MIN_SPLIT_CHARS ? undefined : Brands.byName.get(name)
  return brand === undefined || brand.everyday ? undefined : { kind: "brandSplit", brand, name, asking: [] }
}

/** What phishing asks for: credentials, accounts, codes, money. */
const askingWords = Words.wordsWith("credential", "account", "code", "payment", "fee", "refund")

/**
 * What phishing in the name of an everyday brand asks for, without what honest namesakes are about: `fidelity-payments`,
 * `visa-fees`, `target-delivery`.
 */
const credentials = Words.wordsWith("credential", "code", "refund")
const money = Words.wordsWith("credential", "code", "refund", "payment", "fee")
const askingOfEveryday: Readonly<Record<Brands.Brand["sector"], ReadonlySet<string>>> = {
  bank: credentials,
  post: new Set([...money, ...Words.wordsWith("parcel")]),
  state: money,
  transport: money,
  telecom: money,
  software: credentials,
  shop: credentials,
  crypto: credentials
}

const fees = Words.wordsWith("fee")
const calculators = Words.wordsWith("calculator")

/** The words that ask, and of those in one word (`securelogin`) the first. A calculator of fees does not ask for them. */
const askingAmong = (words: ReadonlyArray<string>, wanted: ReadonlySet<string>): ReadonlyArray<string> => {
  const asking = words.flatMap((word) =>
    wanted.has(word) ? word : (BrandName.affixesOf(word)?.find((affix) => wanted.has(affix)) ?? [])
  )
  return words.some((word) => calculators.has(word)) ? asking.filter((word) => !fees.has(word)) : asking
}

const bankWords = Words.wordsWith("bank")

/** Whether words beside a name that many banks share ask for what the banks themselves do not put beside it: `tan`, `verify`. */
const asksBeyondBank = (words: ReadonlyArray<string>): boolean =>
  askingAmong(words, askingWords).some((word) => Words.isBankCode(word) || !bankWords.has(word))

const findInLabel = (
  host: Host.HostName,
  labels: ReadonlyArray<Label>,
  at: number
): ReadonlyArray<BrandEvidence> => {
  const [label, next] = labels.slice(at, at + 2)
  if (label === undefined) return []
  const { words } = label
  const found: Array<BrandEvidence> = []
  const split = next && findOverTwoLabels(label, next)
  if (split !== undefined) found.push(split)
  for (const start of words.keys()) {
    const match = BrandName.find(words, start)
    if (match === undefined) continue
    const { brand, end, isLookAlike, name, rest } = match
    const others = [...words.slice(0, start), rest, ...words.slice(end)].filter((word) => word !== "")
    if (next === undefined && BrandOwner.isSharedUnder(brand, host.suffix) && !asksBeyondBank(others))
      continue
    const beside = labels.flatMap((other) => (other === label ? [] : other.words))
    const asking = brand.everyday
      ? askingAmong(others, askingOfEveryday[brand.sector])
      : askingAmong([...others, ...beside], askingWords)
    const text = words.slice(start, end).join("-")
    const isDomain =
      end < words.length
        ? brand.domains.includes(`${text}.${words[end]}`)
        : next !== undefined && BrandOwner.startsDomain(brand, text, next.words[0] ?? "")
    if (!isDomain && !isLookAlike && brand.everyday && asking.length === 0) continue
    if (
      asking.length === 0 &&
      !isLookAlike &&
      Hosting.isCompanyService(next === undefined ? host.suffix : host.registrable)
    )
      continue
    const ordinaryKind = next === undefined ? "brandInDomain" : "brandInSubdomain"
    const namedKind = others.every(BrandName.areAffixes) ? ordinaryKind : "brandAmongWords"
    const kind = isDomain ? "brandDomainInHost" : isLookAlike ? "brandLookAlike" : namedKind
    found.push({ kind, brand, name, asking })
  }
  return found
}
