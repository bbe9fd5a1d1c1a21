import { shortHost } from "../../Url/AddressText.ts"
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

/** A part of the submitted URL in printable ASCII, cut at its beginning. */
const quoteEnd = (piece: string): string =>
  piece.length > MAX_QUOTE_CHARS ? `…${printable(piece.slice(-MAX_QUOTE_CHARS))}` : printable(piece)

/** A host in printable ASCII, cut at its beginning. */
const quoteHost = (host: string): string => shortHost(printable(host))

const wordsOfPhishing = (words: ReadonlyArray<string>): string =>
  `${words.length === 1 ? "a word" : "words"} that phishing often uses (${words.map((word) => `"${word}"`).join(", ")})`

const brandVerbs = {
  brandHomograph: "is spelled to look like that of",
  brandLookAlike: "imitates",
  brandDomainInHost: "is made to look like that of",
  brandInDomain: "uses the name",
  brandInSubdomain: "borrows the name",
  brandAmongWords: "contains the name",
  everydayBrand: "uses the name"
} as const satisfies Record<BrandEvidence["kind"], string>

/** `PayPal; the real one is paypal.com` */
const brandAndOwner = ({ brand, name }: Pick<BrandEvidence, "brand" | "name">, real: string): string => {
  const domain = BrandOwner.domainToShow(brand, name)
  return `${BrandOwner.shownName(name, domain)}; ${real} is ${domain}`
}

const patternTexts = {
  hexadecimal: "it contains a long code",
  address: "it contains the number of a computer",
  digits: "it contains a long number",
  consonants: "its letters form no word",
  mixed: "its letters and digits take turns",
  generated: "free hosting gives such names to new pages"
} as const satisfies Record<Pattern, string>

/**
 * The sentence for a signal, shown to people who are no engineers: one sentence with a capital and without a period, in
 * printable ASCII, with an ellipsis where a quotation was cut. User info may contain a password: only the part that reads
 * like a host is quoted.
 *
 * What is said of the host begins with `The address` and the host: see `AddressText.inReason`.
 *
 * `The address paypa1-secure.example imitates PayPal; the real one is paypal.com`
 */
export const reason = (signal: Signal): string => {
  switch (signal.kind) {
    case "malformed":
      if (signal.shown === "") return "This is not a web address: it names no site"
      return signal.reason === "NoHost"
        ? `This is not a web address: "${quote(signal.shown)}" names no site`
        : `This is not a web address: "${quote(signal.shown)}" names a site that cannot exist`
    case "scriptScheme":
      return `The link begins with "${quote(signal.scheme)}:": it contains a program or a page instead of leading to one`
    case "otherScheme":
      return `The link begins with "${quote(signal.scheme)}:", so it does not lead to a web page`
    case "notHttps":
      return "URL is not HTTPS"
    case "ipHost":
      return `The address ${quoteHost(signal.host)} is only a number, not a name`
    case "privateHost":
      return `The address ${quoteHost(signal.host)} is on a private network or on your own device, not on the Internet`
    case "shortener":
      return `The address ${quoteHost(signal.host)} shortens links, which hides where this one leads`
    case "userInfo":
      return `The address has a user name in front of its site, ${quoteHost(signal.host)}, which can mislead readers`
    case "deceptiveUserInfo":
      return `The address looks like "${quote(signal.shown)}", but leads to ${quoteHost(signal.host)}`
    case "brandInUserInfo":
      return `The address is made to look like "${quote(signal.shown)}", but leads to ${quoteHost(signal.host)}`
    case "decoyDomain":
      return `The address shows "${quote(signal.shown)}", but belongs to ${quoteHost(signal.registrable)}`
    case "internationalHost":
      return `The name "${quote(signal.label)}" stands for characters other than a to z, which can look like ordinary letters`
    case "mixedScripts":
      return `The name "${quote(signal.label)}" mixes ${signal.scripts.join(" and ")} letters, some of which look the same`
    case "brandHomograph":
    case "brandLookAlike":
    case "brandDomainInHost":
    case "brandInDomain":
    case "brandInSubdomain":
    case "brandAmongWords":
    case "everydayBrand":
      return `The address ${quoteHost(signal.host)} ${brandVerbs[signal.kind]} ${brandAndOwner(signal, "the real one")}`
    case "brandInPath":
      return `The address of the page uses the name ${brandAndOwner(signal, "the real site")}`
    case "brandDomainInPath":
      return `The address shows "${quote(signal.shown)}" before a page that asks to sign in, but belongs to ${quoteHost(signal.host)}`
    case "lureInDomain":
      return `The name of the site has ${wordsOfPhishing(signal.words)}`
    case "lureInHost":
      return `The address of the site has ${wordsOfPhishing(signal.words)}`
    case "lureInPath":
      return `The address of the page has ${wordsOfPhishing(signal.words)}`
    case "abusedSuffix":
      return `Addresses that end in ".${signal.suffix}" are often used for phishing`
    case "freeHosting":
      return `The page is on ${signal.suffix}, where anyone can publish for free`
    case "dynamicDns":
      return `The name of the site is from ${signal.suffix}, which gives names to anyone's computer`
    case "manyLabels":
      return `The address ${quoteHost(signal.host)} has unusually many parts (${signal.count})`
    case "longHost":
      return `The address ${quoteHost(signal.host)} is unusually long (${signal.length} characters)`
    case "longUrl":
      return `The part of the address after the name of the site is unusually long (${signal.length} characters)`
    case "unusualPort":
      return `The address has an unusual number after the name of the site (port ${signal.port})`
    case "nestedUrl":
      return `The address contains another one (${quoteHost(signal.nestedHost)})`
    case "repeatedEncoding":
      return `The address is encoded ${signal.rounds} times over, which hides what it says`
    case "unreadDestination":
      return "The link leads through more addresses than we read"
    case "machineName":
      return `The name "${quote(signal.label)}" looks made by a program: ${patternTexts[signal.pattern]}`
    case "pageAmongSoftware":
      return `The page is in a technical folder of the site (/${signal.folder}/), where intruders often hide pages`
    case "pageAsFolder":
      return `The address ends in a slash after the name of a page ("${quote(signal.page)}"), as phishing pages often do`
    case "contentIdentifier":
      return `The page is named by a code ("${quote(signal.identifier)}"), in a network where anyone can publish (IPFS)`
    case "mailAddress":
      return "The address contains an e-mail address, as links made for one person do"
    case "executablePath":
      return `The address is that of a program, or of a document that can contain one (.${signal.extension})`
    case "harmfulFile":
      return `The file "${quoteEnd(signal.file)}" starts a program when opened, and honest sites rarely offer such files`
    case "disguisedFile":
      if ("endings" in signal)
        return `The file that the address names ends in "${signal.endings}": it looks like a document or a picture, but is or contains a program`
      return signal.isReversed
        ? `The file "${quoteEnd(signal.file)}" has a name written partly backwards, which hides that it is or contains a program`
        : `The file "${quoteEnd(signal.file)}" looks like a document or a picture, but is or contains a program`
    case "archivePath":
      return `The address is that of a packed file, which can contain programs (.${signal.extension})`
  }
}
