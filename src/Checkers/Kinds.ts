/**
 * The kinds of findings: who makes a finding, its strength and its sentence are rows of `kinds.tsv`, whose columns
 * `kinds.schema.js` explains. `npm run reference` writes docs/reasons.md and `Kinds/KindNames.ts` from these rows.
 *
 * Sentences are in printable ASCII, with an ellipsis where a quotation was cut. User info may contain a password: only the part
 * that reads like a host is quoted.
 */

import type { CanonicalUrl } from "../Url/CanonicalUrl.ts"
import type { Address } from "../Url/Submission.ts"
import type { Facts } from "./Kinds/Details.ts"
import type { FindingKind, factsByKind, factsOfSome } from "./Kinds/KindNames.ts"
import type { Kind } from "./Kinds/kinds.schema.js"
import rows from "./Kinds/kinds.tsv"

export type { FindingKind } from "./Kinds/KindNames.ts"

/** Each kind has a row: KindNames.ts is written from the rows. */
export const kinds = Object.fromEntries(rows.map((row) => [row.kind, row])) as Readonly<
  Record<FindingKind, Kind>
>

/** The score that a kind has by itself: 0 if it weighs or explains. */
export const ownScore = (kind: FindingKind): number => {
  const { strength } = kinds[kind]
  return typeof strength === "number" ? strength : 0
}

/** What `machineName` says of a name, by its pattern. */
export const patterns = {
  hexadecimal: "it contains a long code",
  address: "it contains the number of a computer",
  digits: "it contains a long number",
  consonants: "its letters form no word",
  mixed: "its letters and digits take turns",
  generated: "free hosting gives such names to new pages"
} as const

/** What a page may do of which Google suspects this. */
export const threats = {
  phishing: "may trick visitors into revealing personal information",
  malware: "may harm the visitor's device",
  "unwanted software": "may offer harmful programs",
  "harmful applications": "may offer an app that does harm"
} as const

/** All that sentences show, by name. */
interface AllDetails extends Facts {
  /** The sentence of the listing. Not in the contract. */
  readonly sentence: string
}

/** What a finding shows: some of all details, by its kind. */
export type Details = Partial<AllDetails>

/** What only some findings of a kind show, and of all only those about an address inside the URL. */
type OfSome<Of extends FindingKind> =
  | "innerHost"
  | (Of extends keyof typeof factsOfSome ? (typeof factsOfSome)[Of][number] : never)

/** What was found: a kind and its details. */
export type Found<Of extends FindingKind = FindingKind> = {
  readonly [Kind in Of]: { readonly kind: Kind } & Pick<AllDetails, (typeof factsByKind)[Kind][number]> &
    Partial<Pick<AllDetails, OfSome<Kind>>>
}[Of]

/** At most this much of the submitted URL is shown in one place, before the ellipsis. */
const MAX_QUOTE_CHARS = 60

/** Control characters and bidirectional overrides could change how a sentence reads. */
const NOT_PRINTABLE = /[^\x20-\x7e…]/g

const printable = (text: string): string => text.replace(NOT_PRINTABLE, "?")

const quote = (text: string): string =>
  text.length > MAX_QUOTE_CHARS ? `${printable(text.slice(0, MAX_QUOTE_CHARS))}…` : printable(text)

/** Cut at its beginning: the end of a file's name shows what it is. */
const quoteEnd = (text: string): string =>
  text.length > MAX_QUOTE_CHARS ? `…${printable(text.slice(-MAX_QUOTE_CHARS))}` : printable(text)

/** Shows a canonical host, a long one without its beginning, because the end shows the owner. */
export const shortHost = (host: string): string =>
  host.length > MAX_QUOTE_CHARS ? `…${host.slice(-MAX_QUOTE_CHARS)}` : host

/**
 * Shows host and path, without the query, a long path without its end.
 *
 * Of `https://evil.example/a?b` it is `evil.example/a`, of `https://evil.example/` it is `evil.example`.
 */
export const shortAddress = ({ host, path }: CanonicalUrl): string => {
  if (path === "/" || host.length > MAX_QUOTE_CHARS) return shortHost(host)
  const text = host + path
  return text.length > MAX_QUOTE_CHARS ? `${text.slice(0, MAX_QUOTE_CHARS)}…` : text
}

/** Details as callers see them: what is text of the submitted URL in printable ASCII, and not too long. */
const detailsOf = (details: Details): Details => {
  const { file, label, scheme, shown } = details
  // Most have none of these.
  if ((file ?? label ?? scheme ?? shown) === undefined) return details
  return {
    ...details,
    ...(file !== undefined && { file: quoteEnd(file) }),
    ...(label !== undefined && { label: quote(label) }),
    ...(scheme !== undefined && { scheme: quote(scheme) }),
    ...(shown !== undefined && { shown: quote(shown) })
  }
}

/** `PhishTank as phishing (list of 2026-11-21 09:00 UTC)` */
const listName = ({ category, date, publisher }: Facts["list"]): string =>
  `${publisher} as ${category} (list of ${date})`

const inQuotes = (words: ReadonlyArray<string> = []): string => words.map((word) => `"${word}"`).join(", ")

type View = (details: Details) => string | undefined

/** What a sentence shows for `{name}`, where that is not just the detail of this name. Undefined if there is no such detail. */
const views: Readonly<Record<string, View>> = {
  brand: ({ brand }) => brand?.name,
  domain: ({ domain }) => domain && shortHost(domain),
  harm: ({ threat }) => threat && threats[threat],
  host: ({ host }) => host && shortHost(host),
  list: ({ list }) => list && listName(list),
  // `inReason` names the host of another address.
  on: ({ host, innerHost }) => (innerHost === undefined ? host && ` on ${shortHost(host)}` : ""),
  partOrParts: ({ pieces = [] }) =>
    pieces.length === 1 ? "Part of the address is" : "Parts of the address are",
  pattern: ({ pattern }) => pattern && patterns[pattern],
  pieces: ({ pieces }) => inQuotes(pieces),
  realSite: ({ brand }) => brand?.domain,
  registrable: ({ registrable }) => registrable && shortHost(registrable),
  scripts: ({ scripts }) => scripts?.join(" and "),
  wordOrWords: ({ words = [] }) => (words.length === 1 ? "a word" : "words"),
  words: ({ words }) => inQuotes(words)
}

/** What stands for `{name}` or `{name:value}`: see `kinds.schema.js`. */
const viewOf = (written: string): View => {
  const [name = "", expected] = written.split(":")
  const detail = name as keyof Details
  if (expected !== undefined)
    return (details) => (String(details[detail] ?? "") === expected ? "" : undefined)
  return views[name] ?? ((details) => details[detail]?.toString())
}

/** The alternatives of each kind: texts, and at odd places what stands between two of them. */
const sentences = new Map<string, ReadonlyArray<ReadonlyArray<string | View>>>(
  rows.map(({ kind, sentence }) => [
    kind,
    sentence.map((template) => template.split(/[{}]/).map((part, at) => (at % 2 === 0 ? part : viewOf(part))))
  ])
)

/** Undefined if a detail is missing. */
const filled = (template: ReadonlyArray<string | View>, details: Details): string | undefined => {
  let sentence = ""
  for (const part of template) {
    const shown = typeof part === "string" ? part : part(details)
    if (shown === undefined) return undefined
    sentence += shown
  }
  return sentence
}

/** The sentence of a finding: the first alternative of its kind that the details fill. */
export const sentenceOf = (kind: FindingKind, details: Details): string => {
  for (const template of sentences.get(kind) ?? []) {
    const sentence = filled(template, details)
    if (sentence !== undefined) return printable(sentence)
  }
  // The types of `Found` exclude it.
  throw new Error(`No sentence of ${kind} for ${Object.keys(details).join(", ")}`)
}

/** What every finding has of its kind: its score, its sentence and what that shows. */
export const findingOf = ({
  kind,
  ...given
}: Found): {
  readonly kind: FindingKind
  readonly points: number
  readonly reason: string
  readonly details: Details
} => {
  const details = detailsOf(given)
  return { kind, points: ownScore(kind), reason: sentenceOf(kind, details), details }
}

/** The capital of an ordinary first word, not of `URL`. */
const FIRST_CAPITAL = /^[A-Z](?![A-Z])/

/**
 * The sentence about an address: unchanged for the submitted one; for any other it says that the link leads there, or that it
 * contains an address there.
 *
 * `The address evil.example is ...` becomes `The link leads to evil.example, which is ...`, and any other sentence
 * `The link leads to evil.example: ...`.
 */
export const inReason = ({ relation, url }: Address, reason: string): string => {
  if (relation === "submitted") return reason
  const host = shortHost(url.host)
  const aboutHost = `The address ${host} `
  const link =
    relation === "carried" ? `The link contains an address on ${host}` : `The link leads to ${host}`
  return reason.startsWith(aboutHost)
    ? `${link}, which ${reason.slice(aboutHost.length)}`
    : `${link}: ${reason.replace(FIRST_CAPITAL, (capital) => capital.toLowerCase())}`
}
