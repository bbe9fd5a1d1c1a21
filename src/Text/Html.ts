/**
 * Finds the links in HTML: the targets of anchors, forms, frames, redirects and scripts, and addresses in the text. In XML: the links in
 * all attributes and texts.
 */

import { type Attribute, attributesOf, DECLARATION, type Tag, tagsOf, WITHOUT_TEXT } from "./Html/Tags.ts"
import { append, type Found, foundAt, MAX_SHOWN_CHARS, moved } from "./Link.ts"
import {
  beforeOddEnd,
  isBareLink,
  isOpenable,
  resolved,
  startsWithScheme,
  withoutEntities
} from "./PlainText/Spelling.ts"
import * as PlainText from "./PlainText.ts"

/** They do not divide a word. */
const INLINE = new Set(
  `${DECLARATION} b i u s em strong span font wbr small big code mark sub sup abbr bdi`.split(" ")
)
/** A text that begins with one of these elements is HTML. */
const HTML_NAMES = new Set(
  `${[...INLINE].join(" ")} a p div html head body table tr td th tbody ul ol li h1 h2 h3 h4 h5 h6 center title form iframe svg details summary picture section article main header footer nav blockquote pre dl script style template meta link base button input label select img br hr`.split(
    " "
  )
)
/** XHTML and SVG are read as HTML: their text is shown. */
const HTML_ROOT =
  /^\s{0,99}(?:<\?xml[^>]{0,300}>|<!doctype[^>]{0,300}>|<!--[^>]{0,300}>|\s){0,9}<(?:html|svg)[\s>]/i
const XML_START = /^\s{0,99}(?:<\?xml\s|<([a-z][\w.:-]{0,99})[\s>])/i

/** Whether a text is XML and not HTML: it has an XML declaration, or ends with the element that it begins with. */
export const isXml = (text: string): boolean => {
  const [start, root] = XML_START.exec(text.slice(0, 1000)) ?? []
  if (start === undefined || HTML_ROOT.test(text.slice(0, 4000))) return false
  return root === undefined || (!HTML_NAMES.has(root.toLowerCase()) && text.trimEnd().endsWith(`</${root}>`))
}

/** Ignored by browsers: before an address, and in it. */
const LEADING_CONTROLS = /^[\0-\x20]+/
const BREAKS = /[\t\r\n]+/g
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i
const NOT_A_LINK = /^(?:(?:tel|cid|mid|geo):|data:image|#)/i
/** A page of Struts: `login.do`. */
const ACTION = /^[^./?#]+\.do(?:[?#]|$)/i

/** Of a line break that a program wrote into the address: `https://a.example/b<br>Hello`. */
const BEFORE_MARKUP = /^https?:[^<]{1,4000}(?=<)/i

/** Returns the address in an attribute as browsers resolve it; undefined if it is not a link, or relative without a base. */
const addressOf = (written: string, base: string | undefined): string | undefined => {
  const link = withoutEntities(written).replace(LEADING_CONTROLS, "").trim().replace(BREAKS, "")
  if (link === "" || NOT_A_LINK.test(link)) return undefined
  if (/^[/\\]{2,}[^/\\]/.test(link)) return `https:${link}`
  if (/^(?:mailto|sms):/i.test(link)) return /https?(?::|%3a)/i.test(link) ? link : undefined
  if (ABSOLUTE.test(link)) return link
  const absolute = base === undefined ? undefined : resolved(link, base)
  if (absolute !== undefined) return absolute
  // Mail programs differ in what they open at a host without a scheme.
  return isBareLink(link, false) && !ACTION.test(link) ? link : undefined
}

/** Finds the addresses in an attribute that is not one: `“https://a.example”`, `http//a.example`, `/go?to=https%3A%2F%2Fa.example`. */
const addressesIn = (written: string, at: number): ReadonlyArray<Found> =>
  /https?(?:[:.;]?\/\/|%3a)/i.test(written) && !/^data:/i.test(written)
    ? PlainText.find(withoutEntities(written))
        .filter(({ url }) => startsWithScheme(url) || /^https?%/i.test(url))
        .map(({ url }) => foundAt(url, at, ""))
    : []

const TARGETS: ReadonlySet<string> = new Set(["href", "xlink:href", "action", "action-xhr", "formaction"])
const FRAMES: ReadonlySet<string> = new Set(["iframe", "frame", "embed", "object"])
/** Their `href` is a style sheet, or the base of other links. */
const NOT_LINKS: ReadonlySet<string> = new Set(["link", "base"])
const REFRESH_NAME = /http-equiv\s*=\s*["']?refresh/i
const REFRESH = /^[\d.]*\s*[;,]?\s*(?:url\s*=)?\s*["']?(.*)$/is
const QUOTE_AT_END = /["']$/

const isRefresh = ({ attributes, name }: Tag): boolean =>
  name === "meta" && REFRESH_NAME.test(withoutEntities(attributes))

/** Returns the address of a redirect: that of `0; url='https://a.example'` is `https://a.example`. */
const refreshTarget = (content: string): string =>
  REFRESH.exec(withoutEntities(content).trim())?.[1]?.replace(QUOTE_AT_END, "") ?? ""

/** Whether a browser opens the value of an attribute. */
const isTarget = (tag: Tag, attribute: string): boolean =>
  (TARGETS.has(attribute) && !NOT_LINKS.has(tag.name)) ||
  (FRAMES.has(tag.name) && (attribute === "src" || attribute === "data"))

/** Namespaces are names, not addresses. */
const XML_NAMES = /^(?:xmlns(?::|$)|[\w-]{1,40}:schemaLocation$)/i

/** Finds the links in the attributes of an XML element. */
const findInXmlTag = (tag: Tag, attributes: ReadonlyArray<Attribute>): ReadonlyArray<Found> =>
  attributes
    .filter(({ name, value }) => !XML_NAMES.test(name) && /[.:]/.test(value))
    // With a word before it: in a text of one word any host is a link.
    .flatMap(({ value }) => PlainText.find(`x ${withoutEntities(value)}`))
    .map(({ url }) => foundAt(url, tag.at, ""))

/**
 * The address that a script opens, `location = "..."`, or that it sends something to, `fetch("https://...")`. The host must be whole:
 * not `fetch("https://" + host)`. The pattern ends before the address, which may contain the beginning of another match.
 */
const SCRIPT_TARGET =
  /\b(?:location(?:\.(?:href|replace|assign))?\s{0,9}(?:=|\()|(?:window\.|(?<!\.))open\s{0,9}\(|(?:(?:fetch|sendBeacon|axios|post|get|ajax|load)\s{0,9}\(|open\s{0,9}\(\s{0,9}["'`][A-Z]{3,6}["'`]\s{0,9},|url\s{0,9}:|(?:action|(?<=[."'`])(?:href|location))["'`]?\]?\s{0,9}[=,])(?=\s{0,9}["'`](?:https?:)?\/\/(?=[^"'`/?#]{0,253}\.)[^"'`\s/?#{*]{1,253}["'`/?#]))(?=\s{0,9}["'`]([^"'`\s]{1,4000})["'`])/g

/** A script that opens an address from a variable, writes markup or starts programs: which one cannot be told, so all its addresses are links. */
const OPENS_ANY =
  /\bdocument\.write|\bWScript\.Shell|\b(?:location(?:\.(?:href|replace|assign))?\s{0,9}(?:=(?!=)|\()|(?:window\.|(?<!\.))open\s{0,9}\()\s{0,9}[a-z_$(]/i
/** A script that sends something to an address from a variable: all its addresses with a whole host are links. */
const SENDS_ANY =
  /\b(?:method|type)\s{0,9}:\s{0,9}["'`]POST|\bopen\s{0,9}\(\s{0,9}["'`]POST|\.post\s{0,9}\(\s{0,9}[a-z_$]/i
/** Not `https://${name}.example` and `https://{s}.a.example`, which a script completes. */
const WHOLE_HOST =
  /^[a-z]+:[/\\]+(?:\[|(?:[^[/\\?#{(*%.。]|%[\da-f]{2})+[.。])(?:[^/\\?#{(*%]|%[\da-f]{2})*(?:[/\\?#]|$)/i
/** Characters by their codes: `\x68`, `\u0068`; `%68` only for `unescape`. */
const CODE = /\\x([\da-f]{2})|\\u([\da-f]{4})/gi
const PERCENT_CODE = /%([\da-f]{2})/gi

const characterOf = (_: string, short: string, long: string | number) =>
  String.fromCharCode(Number.parseInt(short ?? long, 16))

/** Returns the addresses of a script that may open or send to any of them. */
const addressesOfScript = (script: string, isClick: boolean): ReadonlyArray<string> => {
  const opensAny = OPENS_ANY.test(script)
  if (!opensAny && !isClick && !SENDS_ANY.test(script)) return []
  return PlainText.find(script)
    .map(({ url }) => url)
    .filter((url) => startsWithScheme(url) && (opensAny || WHOLE_HOST.test(url)))
}

/** `isClick`: it runs at a click, and whatever it calls opens its addresses. */
const findInScript = (
  written: string,
  at: number,
  base: string | undefined,
  isClick = false
): ReadonlyArray<Found> => {
  const script = written.replace(CODE, characterOf)
  // Decoded, `https://a.example%2F@b.example` is another address.
  const isDecoded = /\b(?:unescape|decodeURI)/.test(script)
  const readings = isDecoded ? [script, script.replace(PERCENT_CODE, characterOf)] : [script]
  const links = readings.flatMap((reading) => [
    ...Array.from(reading.matchAll(SCRIPT_TARGET), ([, address = ""]) => addressOf(address, base)),
    ...addressesOfScript(reading, isClick)
  ])
  return [...new Set(links)].filter((link) => link !== undefined).map((link) => foundAt(link, at, ""))
}

const MARKUP = /<[a-z][^<>]*=/i
const BLANKS = /\s+/g

/** Where a piece of the text of a document begins, in the text and in the document. */
type Piece = readonly [inText: number, inDocument: number]

/** Maps links from a text back to the document that it was taken from. */
const inDocument = (links: ReadonlyArray<Found>, pieces: ReadonlyArray<Piece>): ReadonlyArray<Found> => {
  let index = 0
  return links
    .toSorted((left, right) => left.at - right.at)
    .map((link) => {
      while ((pieces[index + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= link.at) index++
      const [inText, start] = pieces[index] ?? [0, 0]
      return { ...link, at: start + link.at - inText }
    })
}

/** `<https://a.example>` and `L<text|https://a.example>` in a text that also has tags. Browsers show none of it, but people write it. */
const LINK_TAG =
  /^<(?:[^>"'=]{0,200}h(?:tt|xx)ps?:\/\/|www\.|[^\s=<>]{1,253}\.(?:[a-z]{2,24}\/[^\s<>]|com[>\s]))/i

/** More than the pattern needs from the beginning of a tag. */
const MAX_LINK_TAG_CHARS = 300

/** Of documents inside each other: in an attribute, or in the text of XML. */
const MAX_DEPTH = 3

/** In a cell of a CSV, or in a string of JSON, SQL or a program. */
const QUOTED_MARKUP = /\b(?:href|src|action)=(?:""|\\{1,9}(?:""?|'))[\w/&]/i
const QUOTE_IN_STRING = /""|\\{1,9}(?:""?|')/g

/** Finds the links of a document. Takes linear time. If its quotes are doubled or escaped, blanks keep the places of the links. */
export const find = (html: string): ReadonlyArray<Found> => {
  const found = findAsWritten(html)
  if (!QUOTED_MARKUP.test(html)) return found
  const known = new Set(found.map(({ at, url }) => `${at} ${url}`))
  const inStrings = findAsWritten(
    html.replace(QUOTE_IN_STRING, (quote) => quote.slice(-1).padStart(quote.length))
  )
  return [...found, ...inStrings.filter(({ at, url }) => !known.has(`${at} ${url}`))]
}

/** HTML may begin as XML does: XML is also read as HTML, for the links of its tags. */
const findAsWritten = (html: string): ReadonlyArray<Found> => {
  const asHtml = findInside(html, 0, false)
  if (!isXml(html)) return asHtml
  const ofTags = asHtml.filter(({ shown, url }) => shown !== url)
  const known = new Set(ofTags.map(({ url }) => url))
  return [...ofTags, ...findInside(html, 0, true).filter(({ url }) => !known.has(url))]
}

/** Finds the links of a document that may be inside another one. */
const findInside = (html: string, depth: number, asXml: boolean): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  /** The text outside anchors. */
  let text = ""
  const pieces: Array<Piece> = []
  /** `unread`: its text, which is read if it is long or never closed: the tag may be a line of a log. */
  let anchor:
    | {
        readonly links: ReadonlyArray<Found>
        shown: string
        readonly unread: Array<[text: string, at: number]>
      }
    | undefined
  let base: string | undefined
  let hasRelativeLink = false
  /** The element that is open and whose text is not shown. */
  let hidden: string | undefined
  /** Of the last tag. */
  let end = 0

  const findInDocument = (document: string): ReadonlyArray<Found> => findInside(document, depth + 1, false)

  const addPiece = (piece: string, at: number) => {
    pieces.push([text.length, at])
    text += piece
  }

  const addShownText = (upTo: number) => {
    if (upTo <= end) return
    const piece = withoutEntities(html.slice(end, upTo), true)
    if (anchor === undefined) return addPiece(piece, end)
    if (anchor.shown.length < MAX_SHOWN_CHARS) anchor.shown += piece
    anchor.unread.push([piece, end])
  }

  /** `isClosed`: if the element never ends, it is the name of a tag in a message, and what browsers hide is read as text. */
  const addHiddenText = (element: string, upTo: number, isClosed: boolean) => {
    const hiddenText = html.slice(end, upTo)
    const hasMarkup = depth < MAX_DEPTH && MARKUP.test(hiddenText)
    if (element === "script") append(found, findInScript(hiddenText, end, base))
    // In SVG tags in a style are tags, and `<script/>` has no text.
    if (hasMarkup && (element !== "script" || html.endsWith("/>", end)))
      append(found, moved(findInDocument(hiddenText), end))
    if (!isClosed && (element === "script" || !hasMarkup))
      append(found, moved(PlainText.find(hiddenText), end))
  }

  const addText = (upTo: number, isClosed: boolean) =>
    hidden === undefined ? addShownText(upTo) : addHiddenText(hidden, upTo, isClosed)

  const closeAnchor = (isClosed: boolean) => {
    if (anchor === undefined) return
    if (!isClosed || anchor.shown.length >= MAX_SHOWN_CHARS)
      for (const [piece, at] of anchor.unread) addPiece(piece, at)
    const shown = anchor.shown.replace(BLANKS, " ").trim().slice(0, MAX_SHOWN_CHARS)
    for (const link of anchor.links) found.push({ ...link, shown })
    anchor = undefined
  }

  /** The first base counts, also for the links before it; the others, and one that comes too late here, are links. */
  const addBase = (address: string, at: number) => {
    if (hasRelativeLink || base !== undefined) found.push(foundAt(address, at, ""))
    base ??= address
  }

  /** Reads what an attribute may contain besides an address: the base, a script or a document. */
  const addAttribute = (tag: Tag, { name, value }: Attribute) => {
    const address = tag.name === "base" && name === "href" ? addressOf(value, undefined) : undefined
    if (address !== undefined && ABSOLUTE.test(address)) addBase(address, tag.at)
    if (name.startsWith("on"))
      append(found, findInScript(withoutEntities(value), tag.at, base, name === "onclick"))
    // Browsers that run scripts end `noscript` inside a value, too.
    else if (name === "srcdoc" || /<\/[a-z]/i.test(value)) {
      const document = withoutEntities(value)
      if (depth < MAX_DEPTH) append(found, moved(findInDocument(document), tag.at))
      else if (name === "srcdoc") found.push(foundAt(`data:text/html,${document}`, tag.at, ""))
    }
  }

  const linksOfTag = (tag: Tag, attributes: ReadonlyArray<Attribute>): ReadonlyArray<Found> => {
    if (asXml) return findInXmlTag(tag, attributes)
    const links: Array<Found> = []
    const isRedirect = isRefresh(tag)
    for (const { name, value } of attributes) {
      const isRedirectTarget = isRedirect && name === "content"
      if (!isRedirectTarget && !isTarget(tag, name)) continue
      const address = addressOf(isRedirectTarget ? refreshTarget(value) : value, base)
      if (address === undefined || !ABSOLUTE.test(address)) hasRelativeLink = true
      if (address === undefined) append(found, addressesIn(value, tag.at))
      if (address === undefined) continue
      const short = beforeOddEnd(address) ?? BEFORE_MARKUP.exec(address)?.[0]
      if (short === undefined || isOpenable(address)) links.push(foundAt(address, tag.at, ""))
      if (short !== undefined) links.push(foundAt(short, tag.at, ""))
    }
    return links
  }

  /** Ends an anchor, or divides the words before and after a tag. */
  const divideText = ({ at, isClosing, name }: Tag) => {
    if (name === "a" && !asXml) {
      closeAnchor(isClosing)
      text += " "
    } else if (!INLINE.has(name)) {
      if (anchor === undefined) text += "\n"
      else {
        anchor.shown += " "
        anchor.unread.push(["\n", at])
      }
    }
  }

  const openElement = (tag: Tag) => {
    const attributes = attributesOf(tag)
    for (const attribute of attributes) addAttribute(tag, attribute)
    const links = linksOfTag(tag, attributes)
    // An anchor that leads nowhere, which may never be closed, does not hide what it shows.
    if (tag.name === "a" && !asXml && links.length > 0) anchor = { links, shown: "", unread: [] }
    else append(found, links)
    if (WITHOUT_TEXT.has(tag.name) && !asXml) hidden = tag.name
    if (LINK_TAG.test(html.slice(tag.at, tag.at + MAX_LINK_TAG_CHARS)))
      append(found, moved(PlainText.find(html.slice(tag.at, tag.end)), tag.at))
  }

  for (const tag of tagsOf(html, asXml)) {
    addText(tag.at, true)
    end = tag.end
    if (hidden === undefined) {
      divideText(tag)
      if (!tag.isClosing) openElement(tag)
    } else if (tag.isClosing && tag.name === hidden) hidden = undefined
  }
  addText(html.length, false)
  end = html.length
  closeAnchor(false)
  const isHtmlText = asXml && depth < MAX_DEPTH && /<a\s/i.test(text)
  append(found, inDocument(isHtmlText ? findInDocument(text) : PlainText.find(text), pieces))
  return found
}
