/** Finds the links in a message, a page, a table, JSON or a log. Pure; runs in browsers too. For mails see `linksInMail`. */

import { encodedIn, hasUndecodable } from "./Text/Encoded.ts"
import * as Html from "./Text/Html.ts"
import * as Json from "./Text/Json.ts"
import { type Found, type Link, placed } from "./Text/Link.ts"
import * as Logs from "./Text/Logs.ts"
import { hasQuotedProperty, isMail, unquoted } from "./Text/MailSource.ts"
import * as PlainText from "./Text/PlainText.ts"
import * as Tables from "./Text/Tables.ts"

export type { Link } from "./Text/Link.ts"

/**
 * What a text is. Markdown is `text`, XML is `html`. `mail`: the source of a mail or of a part of one, or a contact that is encoded like
 * it.
 */
export type Kind = "text" | "html" | "csv" | "json" | "log" | "mail"

/** Of the beginning of a text, which decides its kind. */
const MAX_HEAD_CHARS = 20_000
const TAG = /<(?:(?:!doctype|html|body|head|div|p|table|span|br|img|form|meta|iframe|style)[\s>/]|a\s)/i
const JSON_START = /^\s*(?:\{\s*"|\[\s*["{[]|"(?:[^"\\]|\\.){1,2000}"\s*(?::|,[ \t]*(?:[\r\n]|$)))/

/** Returns the kind of a text by its beginning. `kindOf('{"url":"a.example"}')` is `"json"`. */
export const kindOf = (text: string): Kind => {
  const head = unquoted(text.slice(0, MAX_HEAD_CHARS))
  if (isMail(head)) return "mail"
  if (JSON_START.test(head)) return "json"
  if (Logs.isLog(head)) return "log"
  if (TAG.test(head) || Html.isXml(text)) return "html"
  if (hasQuotedProperty(head)) return "mail"
  if (Tables.delimiterOf(head) !== undefined) return "csv"
  return Logs.hasTimes(head) ? "log" : "text"
}

/** Whether a text that is not a mail contains texts or files that only `linksInMail` decodes or reports as unread. */
export const hasEncoded = (text: string): boolean =>
  hasUndecodable(text) || encodedIn(text).next().done === false

const finders: Readonly<Record<Kind, (text: string) => ReadonlyArray<Found>>> = {
  html: Html.find,
  csv: (text) => Tables.find(text, Tables.delimiterOf(text) ?? ","),
  json: Json.find,
  log: Logs.find,
  text: PlainText.find,
  mail: PlainText.find
}

/**
 * Returns the links of a text in order, each as often as it occurs. Takes linear time and never throws. A mail is read as plain text:
 * `linksInMail` decodes its parts.
 *
 * - Without the punctuation around a link. Defanged spellings and hosts without a scheme are links, as they are written.
 * - A link that a line break may have cut is returned joined, and cut if that can be a link.
 *
 * `linksIn("Your parcel (hxxps://bad[.]example/x). Yours, shop.example.com")` has the `url`s `hxxps://bad[.]example/x` and
 * `shop.example.com`.
 */
export const linksIn = (text: string, kind: Kind = kindOf(text)): ReadonlyArray<Link> =>
  placed(text, finders[kind](text))

/** Second-level domains of countries: `example.co.uk` is a site, `co.uk` is not. */
const SECOND_LEVEL =
  /^(?:com?|net?|org?|gov|gob|govt|go|gouv|ac|edu|or|gv|ltd|plc|nhs|police|nom|web|in|firm)$/

/** Returns the last labels of the host of a link; undefined for a host of one label. */
const siteOf = (link: string): string | undefined => {
  const [, authority = ""] = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]*([^/\\?#]*)/i.exec(link) ?? []
  const host = authority
    .slice(authority.lastIndexOf("@") + 1)
    .replace(/:\d*$/, "")
    .replaceAll(/[[({](?:\.|dot)[\])}]/gi, ".")
    .toLowerCase()
  const labels = host.split(".").filter((label) => label !== "")
  if (labels.length < 2) return undefined
  const isLong = labels.length > 2 && labels.at(-1)?.length === 2 && SECOND_LEVEL.test(labels.at(-2) ?? "")
  return labels.slice(isLong ? -3 : -2).join(".")
}

const RIGHT_TO_LEFT_OVERRIDE = "\u202e"

/** Returns the addresses that a reader sees in what a link shows: without invisible characters and full-width letters. */
export const shownAddresses = (shown: string): ReadonlyArray<string> => {
  const seen = shown.replaceAll(/\p{Cf}/gu, "").normalize("NFKC")
  const readings = shown.includes(RIGHT_TO_LEFT_OVERRIDE)
    ? [seen, Array.from(seen).reverse().join("")]
    : [seen]
  return readings.flatMap((reading) => PlainText.find(reading).map(({ url }) => url))
}

/**
 * Whether a link shows an address of another site than it leads to. `target`: the link, or what its known wrapper leads to.
 *
 * `showsOtherSite("paypal.com", "https://bad.example/")` is true, `showsOtherSite("Pay now", "https://bad.example/")` false.
 */
export const showsOtherSite = (shown: string, target: string): boolean => {
  const site = siteOf(target)
  const sites = shownAddresses(shown).map(siteOf)
  return site !== undefined && sites.length > 0 && !sites.includes(site)
}
