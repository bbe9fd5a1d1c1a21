import { shortHost } from "../Submission/AddressText.ts"
import * as BrandOwner from "./Brand/BrandOwner.ts"
import type { BrandEvidence } from "./Brand.ts"
import type { Pattern } from "./Host/MachineName.ts"
import type { Signal } from "./Signals/Signal.ts"

/** At most this much of the submitted URL is quoted in one place. */
const MAX_QUOTE_CHARS = 60

/** Control characters and bidirectional overrides could change how the sentence reads. */
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/g

const printable = (text: string): string => text.replace(NOT_PRINTABLE_ASCII, "?")

/** A part of the submitted URL in printable ASCII, cut at its end. */
const quote = (piece: string): string =>
  piece.length > MAX_QUOTE_CHARS ? `${printable(piece.slice(0, MAX_QUOTE_CHARS))}…` : printable(piece)

/** A host in printable ASCII, cut at its beginning. */
const quoteHost = (host: string): string => shortHost(printable(host))

const list = (words: ReadonlyArray<string>): string => words.map((word) => `"${word}"`).join(", ")

const brandVerbs = {
  brandLookAlike: "Host imitates",
  brandDomainInHost: "Host contains the address of",
  brandInDomain: "Host uses the name",
  brandInSubdomain: "Subdomain uses the name",
  brandAmongWords: "Host contains the name",
  everydayBrand: "Host uses the name"
} as const satisfies Record<BrandEvidence["kind"], string>

const patternTexts = {
  hexadecimal: "with digits of base 16",
  address: "with the address of a machine",
  digits: "with a long number",
  consonants: "with letters that no word has",
  mixed: "with letters and digits by turns",
  generated: "with words and a number that a free host hands out"
} as const satisfies Record<Pattern, string>

/**
 * The sentence for a signal, shown to callers: printable ASCII, and an ellipsis where a quotation was cut. User info may
 * contain a password: only the part that reads like a host is quoted.
 *
 * `Host imitates "paypal" (paypa1-secure.example), which belongs to paypal.com`
 */
export const reason = (signal: Signal): string => {
  switch (signal.kind) {
    case "malformed":
      return signal.reason === "NoHost"
        ? "URL is malformed: it has no host"
        : "URL is malformed: its host has characters that no host may have"
    case "scriptScheme":
      return `Scheme "${quote(signal.scheme)}:" carries a program or a page of its own instead of naming a site`
    case "otherScheme":
      return `Scheme "${quote(signal.scheme)}:" is not one of the web`
    case "notHttps":
      return "URL is not HTTPS"
    case "ipHost":
      return `Host is an IP address (${quoteHost(signal.host)}), not a name`
    case "privateHost":
      return `Host is a private or local one (${quoteHost(signal.host)})`
    case "shortener":
      return `Host is a URL shortener (${quoteHost(signal.host)}), which hides where the link leads`
    case "userInfo":
      return `User info stands in front of the host (${quoteHost(signal.host)})`
    case "deceptiveUserInfo":
      return `URL reads like "${quote(signal.shown)}", but its host is ${quoteHost(signal.host)}`
    case "decoyDomain":
      return `Host shows "${quote(signal.shown)}" in front of its own domain (${quoteHost(signal.registrable)})`
    case "internationalHost":
      return `Host is written in letters beyond ASCII (${quote(signal.label)})`
    case "mixedScripts":
      return `Host mixes ${signal.scripts.join(" and ")} letters in one label (${quote(signal.label)})`
    case "brandLookAlike":
    case "brandDomainInHost":
    case "brandInDomain":
    case "brandInSubdomain":
    case "brandAmongWords":
    case "everydayBrand":
      return `${brandVerbs[signal.kind]} "${signal.name}" (${quoteHost(signal.host)}), which belongs to ${BrandOwner.domainToShow(signal.brand, signal.name)}`
    case "brandInPath":
      return `Path uses the name "${signal.name}", which belongs to ${BrandOwner.domainToShow(signal.brand, signal.name)}`
    case "lureInDomain":
      return `Domain is named after credentials or payments (${list(signal.words)})`
    case "lureInHost":
      return `Host speaks of credentials, payments or urgency (${list(signal.words)})`
    case "lureInPath":
      return `Path speaks of credentials, payments or urgency (${list(signal.words)})`
    case "abusedSuffix":
      return `Suffix ".${signal.suffix}" is often abused for phishing`
    case "freeHosting":
      return `Page is on free hosting (${signal.suffix}), where anyone can publish`
    case "dynamicDns":
      return `Host is on dynamic DNS or a tunnel (${signal.suffix})`
    case "manyLabels":
      return `Host has many labels (${signal.count})`
    case "longHost":
      return `Host is very long (${signal.length} characters)`
    case "longUrl":
      return `Path and query are very long (${signal.length} characters)`
    case "unusualPort":
      return `URL names an unusual port (${signal.port})`
    case "nestedUrl":
      return `Another URL (${quoteHost(signal.nestedHost)}) is nested in the ${signal.place}`
    case "repeatedEncoding":
      return `URL is percent-encoded ${signal.rounds} times over`
    case "machineName":
      return `Host looks made by a program, ${patternTexts[signal.pattern]} ("${quote(signal.label)}")`
    case "pageAmongSoftware":
      return `Page lies among the site's own software (/${signal.folder}/), where intruders put theirs`
    case "pageAsFolder":
      return "Path ends in a slash behind the name of a page"
    case "contentIdentifier":
      return "Page is named by a hash in a network where anyone can publish (IPFS)"
    case "mailAddress":
      return "URL holds an e-mail address, as links sent to one person do"
    case "executablePath":
      return `Path ends in a program or a document with macros (.${signal.extension})`
    case "archivePath":
      return `Path ends in an archive (.${signal.extension})`
  }
}
