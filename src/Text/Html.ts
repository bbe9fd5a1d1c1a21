/** Finds the links in HTML: where anchors, forms, frames and redirects lead, with what they show, and addresses in the text. */

import { append, type Found, foundAt } from "./Link.ts"
import * as PlainText from "./PlainText.ts"

const ENTITY =
  /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp)|(?:(tab|newline|colon|sol|bsol|period|quest|num|equals|commat|percnt|lowbar|hyphen|shy);));?/gi
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
/** Their text is not shown, and tags in it are none, up to this. */
const WITHOUT_TEXT: ReadonlyMap<string, RegExp> = new Map([
  ["script", /<\/script/gi],
  ["style", /<\/style/gi],
  ["title", /<\/title/gi]
])
/** A comment, a document type or another declaration. */
const DECLARATION = "!"
/** Between two letters of a word. */
const INLINE = new Set(
  `${DECLARATION} b i u s em strong span font wbr small big code mark sub sup abbr bdi`.split(" ")
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
/** `<!-->` is a whole comment. */
const COMMENT_END = /--!?>/g

/** The tags and declarations in order. As in browsers a quoted value may contain `>`; a quote that is never closed is an ordinary character. */
function* tagsOf(html: string): Generator<Tag> {
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
    const close = isClosing || neverClosed.has(name) ? undefined : WITHOUT_TEXT.get(name)
    if (close === undefined) continue
    close.lastIndex = end
    const closed = close.exec(html)
    if (closed === null) neverClosed.add(name)
    else start.lastIndex = closed.index
  }
}

/** Finds the links of a document, in the order of their places. Takes linear time. */
export const find = (html: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  /** Text outside of anchors, and where its pieces begin in it and in the document. */
  let text = ""
  const pieces: Array<readonly [inText: number, inHtml: number]> = []
  let anchor: { readonly links: ReadonlyArray<Found>; shown: string } | undefined
  let base: string | undefined
  let skipped: string | undefined
  let end = 0

  const addText = (upTo: number) => {
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

  for (const tag of tagsOf(html)) {
    addText(tag.at)
    end = tag.end
    const { at, attributes, isClosing, name } = tag
    if (skipped !== undefined) {
      if (isClosing && name === skipped) skipped = undefined
      continue
    }
    if (name === "a") {
      closeAnchor()
      if (!isClosing) anchor = { links: [], shown: "" }
    } else if (!INLINE.has(name)) {
      if (anchor === undefined) text += "\n"
      else anchor.shown += " "
    }
    if (isClosing) continue
    const targets: Array<Found> = []
    const isRefresh = name === "meta" && REFRESH_NAME.test(attributes)
    for (const [, key = "", ...values] of attributes.matchAll(ATTRIBUTE)) {
      const attribute = key.toLowerCase()
      const value = values.find((value) => value !== undefined) ?? ""
      if (name === "base" && attribute === "href") base = addressOf(value, undefined)
      const isTarget =
        (TARGETS.has(attribute) && !NOT_LINKS.has(name)) ||
        (FRAMES.has(name) && (attribute === "src" || attribute === "data")) ||
        (isRefresh && attribute === "content")
      if (!isTarget) continue
      const address = addressOf(
        name === "meta" ? (REFRESH.exec(value.trim())?.[1]?.replace(QUOTE_AT_END, "") ?? "") : value,
        base
      )
      if (address !== undefined) targets.push(foundAt(address, at, ""))
    }
    if (name === "a" && anchor !== undefined) anchor = { links: targets, shown: anchor.shown }
    else append(found, targets)
    if (WITHOUT_TEXT.has(name)) skipped = name
  }
  addText(html.length)
  end = html.length
  closeAnchor()
  let piece = 0
  for (const link of PlainText.find(text)) {
    while ((pieces[piece + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= link.at) piece++
    const [inText, inHtml] = pieces[piece] ?? [0, 0]
    found.push({ ...link, at: inHtml + link.at - inText })
  }
  return found
}
