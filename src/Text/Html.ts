/**
 * Finds the links in HTML: where anchors, forms, frames, redirects and scripts lead, with what they show, and addresses in the text.
 * In XML: those in any attribute and text.
 */

import { append, type Found, foundAt, moved } from "./Link.ts"
import * as PlainText from "./PlainText.ts"

const ENTITY =
  /&(?:#0*(\d{1,7})|#x0*([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp)|(?:(tab|newline|colon|sol|bsol|period|quest|num|equals|commat|percnt|lowbar|hyphen|shy);));?/gi
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  tab: "\t",
  newline: "\n",
  colon: ":",
  sol: "/",
  bsol: "\\",
  period: ".",
  quest: "?",
  num: "#",
  equals: "=",
  commat: "@",
  percnt: "%",
  lowbar: "_",
  hyphen: "\u2010",
  shy: "\u00ad"
}
const MAX_CODE_POINT = 0x10_ffff

const decoded = (html: string): string =>
  html.includes("&")
    ? html.replace(ENTITY, (entity, decimal?: string, hex?: string, old?: string, other?: string) => {
        const name = old ?? other
        if (name !== undefined) return NAMED[name.toLowerCase()] ?? entity
        const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal)
        return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : entity
      })
    : html

const ATTRIBUTE = /(?<![^\s"'<>/=])([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|["']?([^\s"'>]+))/g
const TARGETS: ReadonlySet<string> = new Set(["href", "xlink:href", "action", "formaction"])
const FRAMES: ReadonlySet<string> = new Set(["iframe", "frame", "embed", "object"])
/** Their addresses are no links: style sheets and the base of others. */
const NOT_LINKS: ReadonlySet<string> = new Set(["link", "base"])
const REFRESH_NAME = /http-equiv\s*=\s*["']?refresh/i
const REFRESH = /^[\d.]*\s*[;,]?\s*(?:url\s*=)?\s*["']?(.*)$/is
const QUOTE_AT_END = /["']$/
/** Where a script leads to at once or at a click. */
const SCRIPT_TARGET =
  /\b(?:location(?:\.(?:href|replace|assign))?\s{0,9}(?:=|\()|window\.open\s{0,9}\()\s{0,9}["'`]([^"'`\s]{1,4000})["'`]/g
/** Its text is of people; the code of others is none. */
const HTML_ROOT =
  /^\s{0,99}(?:<\?xml[^>]{0,300}>|<!doctype[^>]{0,300}>|<!--[^>]{0,300}>|\s){0,9}<(?:html|svg)[\s>]/i
const XML_START = /^\s{0,99}(?:<\?xml\s|<([a-z][\w.:-]{0,99})[\s>])/i
/** Names, not addresses. */
const XML_NAMES = /^(?:xmlns(?::|$)|[\w-]{1,40}:schemaLocation$)/i

/** Whether a text is XML and no page: it begins so, and ends with its first element. */
export const isXml = (text: string): boolean => {
  const [start, root] = XML_START.exec(text.slice(0, 1000)) ?? []
  if (start === undefined || HTML_ROOT.test(text.slice(0, 4000))) return false
  return root === undefined || (!HTML_NAMES.has(root.toLowerCase()) && text.trimEnd().endsWith(`</${root}>`))
}

/** Their text is not shown. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(["script", "style", "title"])
/** Tags in their text are none, up to this. */
const ENDS: ReadonlyMap<string, RegExp> = new Map([
  ["script", /<\/script/gi],
  ["style", /<\/style/gi],
  ["title", /<\/title/gi],
  ["textarea", /<\/textarea/gi],
  ["xmp", /<\/xmp/gi],
  ["iframe", /<\/iframe/gi]
])
/** A comment, a document type or another declaration. */
const DECLARATION = "!"
/** Between two letters of a word. */
const INLINE = new Set(
  `${DECLARATION} b i u s em strong span font wbr small big code mark sub sup abbr bdi`.split(" ")
)
/** A text that begins with one of them is a piece of a page. */
const HTML_NAMES = new Set(
  `${[...INLINE].join(" ")} a p div html head body table tr td th tbody ul ol li h1 h2 h3 h4 h5 h6 center title form iframe svg details summary picture section article main header footer nav blockquote pre dl script style template meta link base button input label select img br hr`.split(
    " "
  )
)
/** Browsers drop them around an address. */
const CONTROLS_AROUND = /^[\0-\x20]+/
const BREAKS = /[\t\r\n]+/g
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i
const NO_LINK = /^(?:tel|cid|mid|data:image|geo|#)/i
/** In UTF-16 units: what a link shows is quoted beside it. */
const MAX_SHOWN_CHARS = 300
const BLANKS = /\s+/g

/** The address of an attribute, as browsers read it; undefined if it is a page of the same site or no link. */
const addressOf = (written: string, base: string | undefined): string | undefined => {
  const link = decoded(written).replace(CONTROLS_AROUND, "").trim().replace(BREAKS, "")
  if (link === "" || NO_LINK.test(link)) return undefined
  if (/^[/\\]{2}/.test(link)) return `https:${link}`
  if (/^(?:mailto|sms):/i.test(link)) return /https?(?::|%3a)/i.test(link) ? link : undefined
  if (ABSOLUTE.test(link) || /^www\d?\./i.test(link)) return link
  return base === undefined || !URL.canParse(link, base) ? undefined : new URL(link, base).href
}

interface Tag {
  readonly name: string
  readonly isClosing: boolean
  readonly attributes: string
  readonly at: number
  readonly end: number
}

/** What Outlook alone shows: `<!--[if mso]>...<![endif]-->`. */
const CONDITION = /^<!--\[if[^\]>]{1,100}\]>/i
const MAX_CONDITION_CHARS = 120
/** What follows in XML is text, which may be a page. */
const CDATA = "<![CDATA["
/** `<!-->` is a whole comment. */
const COMMENT_END = /--!?>/g

/** The tags and declarations in order. As in browsers a quoted value may contain `>`; a quote that is never closed is an ordinary character. */
function* tagsOf(html: string, isXml: boolean): Generator<Tag> {
  const last = { '"': html.lastIndexOf('"'), "'": html.lastIndexOf("'"), ">": html.lastIndexOf(">") }
  const lastComment = Math.max(html.lastIndexOf("-->"), html.lastIndexOf("--!>"))
  const neverClosed = new Set<string>()
  const start = /<(\/?)([a-z][a-z0-9:-]{0,30})|<!--|<[!?]/gi
  for (let found = start.exec(html); found !== null; found = start.exec(html)) {
    const at = found.index
    let end = start.lastIndex
    const name = found[2]?.toLowerCase()
    if (name === undefined) {
      const condition = CONDITION.exec(html.slice(at, at + MAX_CONDITION_CHARS))?.[0]
      if (condition !== undefined) end = at + condition.length
      else if (isXml && html.startsWith(CDATA, at)) end = at + CDATA.length
      else if (found[0] === "<!--") {
        if (at + 2 > lastComment) continue
        COMMENT_END.lastIndex = at + 2
        COMMENT_END.exec(html)
        end = COMMENT_END.lastIndex
      } else if (end <= last[">"]) end = html.indexOf(">", end) + 1
      else continue
      start.lastIndex = end
      yield { name: DECLARATION, isClosing: true, attributes: "", at, end }
      continue
    }
    let isValue = false
    for (; end < html.length; end++) {
      const character = html.charAt(end)
      if (character === ">") break
      if (character === "=") isValue = true
      else if ((character === '"' || character === "'") && isValue && end < last[character])
        end = html.indexOf(character, end + 1)
      else if (character.trim() !== "") isValue = false
    }
    const attributes = html.slice(start.lastIndex, end)
    const isClosing = found[1] === "/"
    start.lastIndex = end
    yield { name, isClosing, attributes, at, end: end + 1 }
    const close = isXml || isClosing || neverClosed.has(name) ? undefined : ENDS.get(name)
    if (close === undefined) continue
    close.lastIndex = end
    const closed = close.exec(html)
    if (closed !== null) start.lastIndex = closed.index
    else if (WITHOUT_TEXT.has(name)) return
    else neverClosed.add(name)
  }
}

/** A page in an attribute of a page, or in a text of XML. */
const MAX_DEPTH = 3

/** Finds the links of a document. Takes linear time. A page may begin as XML does: XML has the links of its tags as a page too. */
export const find = (html: string): ReadonlyArray<Found> => {
  const asPage = findInside(html, 0, false)
  if (!isXml(html)) return asPage
  const ofTags = asPage.filter(({ shown, url }) => shown !== url)
  const known = new Set(ofTags.map(({ url }) => url))
  return [...ofTags, ...findInside(html, 0, true).filter(({ url }) => !known.has(url))]
}

const findInside = (html: string, depth: number, xml: boolean): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  /** Text outside of anchors, and where its pieces begin in it and in the document. */
  let text = ""
  const pieces: Array<readonly [inText: number, inHtml: number]> = []
  let anchor: { readonly links: ReadonlyArray<Found>; shown: string } | undefined
  let base: string | undefined
  let isLate = false
  let skipped: string | undefined
  let end = 0

  const addScript = (script: string, at: number) => {
    for (const [, address = ""] of script.matchAll(SCRIPT_TARGET)) {
      const link = addressOf(address, base)
      if (link !== undefined) found.push(foundAt(link, at, ""))
    }
  }

  /** Whether a piece is read as markup, which finds its texts too. */
  const hasMarkup = (piece: string): boolean => depth < MAX_DEPTH && /<[a-z][^<>]*=/i.test(piece)

  const addText = (upTo: number) => {
    if (skipped === "script") addScript(html.slice(end, upTo), end)
    // In a drawing tags in a style are tags.
    else if (skipped !== undefined && hasMarkup(html.slice(end, upTo)))
      append(found, moved(findInside(html.slice(end, upTo), depth + 1, false), end))
    if (skipped !== undefined || upTo <= end) return
    const piece = decoded(html.slice(end, upTo))
    if (anchor === undefined) {
      pieces.push([text.length, end])
      text += piece
    } else if (anchor.shown.length < MAX_SHOWN_CHARS) anchor.shown += piece
  }

  const closeAnchor = () => {
    if (anchor === undefined) return
    const shown = anchor.shown.replace(BLANKS, " ").trim().slice(0, MAX_SHOWN_CHARS)
    for (const link of anchor.links) found.push({ ...link, shown })
    // A hidden link does not hide the one that it shows.
    if (anchor.links.length === 0) for (const link of PlainText.find(shown)) found.push({ ...link, at: end })
    anchor = undefined
  }

  for (const tag of tagsOf(html, xml)) {
    addText(tag.at)
    end = tag.end
    const { at, attributes, isClosing, name } = tag
    if (skipped !== undefined) {
      if (isClosing && name === skipped) skipped = undefined
      continue
    }
    if (name === "a" && !xml) {
      closeAnchor()
      if (!isClosing) anchor = { links: [], shown: "" }
    } else if (!INLINE.has(name)) {
      if (anchor === undefined) text += "\n"
      else anchor.shown += " "
    }
    if (isClosing) continue
    const targets: Array<Found> = []
    const isRefresh = name === "meta" && REFRESH_NAME.test(decoded(attributes))
    for (const [, key = "", ...values] of attributes.matchAll(ATTRIBUTE)) {
      const attribute = key.toLowerCase()
      const value = values.find((value) => value !== undefined) ?? ""
      if (name === "base" && attribute === "href") {
        const address = addressOf(value, undefined)
        // The first counts, for links in front of it too.
        if (address !== undefined && (isLate || base !== undefined)) found.push(foundAt(address, at, ""))
        base ??= address
      }
      if (attribute.startsWith("on")) addScript(decoded(value), at)
      // A browser that runs scripts ends `noscript` in a value, too.
      else if ((attribute === "srcdoc" || /<\/[a-z]/i.test(value)) && depth < MAX_DEPTH)
        append(found, moved(findInside(decoded(value), depth + 1, false), at))
      else if (attribute === "srcdoc") found.push(foundAt(`data:text/html,${decoded(value)}`, at, ""))
      if (xml) {
        // Not as a text of one word, where any two words with a dot are a host.
        if (!XML_NAMES.test(attribute) && /[.:]/.test(value))
          for (const { url } of PlainText.find(`x ${decoded(value)}`)) targets.push(foundAt(url, at, ""))
        continue
      }
      const isTarget =
        (TARGETS.has(attribute) && !NOT_LINKS.has(name)) ||
        (FRAMES.has(name) && (attribute === "src" || attribute === "data")) ||
        (isRefresh && attribute === "content")
      if (!isTarget) continue
      const address = addressOf(
        name === "meta" ? (REFRESH.exec(decoded(value).trim())?.[1]?.replace(QUOTE_AT_END, "") ?? "") : value,
        base
      )
      if (address === undefined) isLate = true
      else targets.push(foundAt(address, at, ""))
    }
    if (name === "a" && anchor !== undefined) anchor = { links: targets, shown: anchor.shown }
    else append(found, targets)
    if (WITHOUT_TEXT.has(name) && !xml) skipped = name
  }
  addText(html.length)
  // A message with `<title>` among its words is no page: what browsers do not show is read as a text.
  if (skipped === "script" || (skipped !== undefined && !hasMarkup(html.slice(end))))
    append(found, moved(PlainText.find(html.slice(end)), end))
  end = html.length
  closeAnchor()
  let piece = 0
  const isPage = xml && depth < MAX_DEPTH && /<a\s/i.test(text)
  for (const link of isPage ? findInside(text, depth + 1, false) : PlainText.find(text)) {
    while ((pieces[piece + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= link.at) piece++
    const [inText, inHtml] = pieces[piece] ?? [0, 0]
    found.push({ ...link, at: inHtml + link.at - inText })
  }
  return found
}
