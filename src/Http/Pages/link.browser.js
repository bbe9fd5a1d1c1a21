/** Finds the links in pasted text: a link alone, a sentence or a whole e-mail. Pure: no document, no network. */

/** In UTF-16 units. A longer text is refused: what is not read may contain a link. */
export const MAX_TEXT_LENGTH = 1_000_000

/**
 * White space, characters that stand around links in text and in no link, and punctuation before the next link of a list:
 * `https://a.example,https://b.example`.
 */
const SEPARATORS = /(?:[\s<>"`“”„«»‹›，、；！？（）「」『』【】《》]|[,;|](?=h(?:tt|xx)ps?:))+/i

/** Schemes that the service reads, also in the spelling of reports: `hxxps[:]//`, `hxxp[://]`. */
const SCHEME =
  /(?:h(?:tt|xx)ps?|f(?:t|xx)p|intent|view-source|microsoft-edge|googlechromes?)(?:[[({]:(?:\/\/)?[\])}]|:)/i

const OTHER_SCHEME = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^/]/i

/** Links that carry a program or a page, programs and data with spaces too. `Data:none` and `About:me and you` are text. */
const SCRIPT =
  /^(?:(?:javascript|vbscript):\S|data:(?:[\w.+-]+\/[\w.+-]+)?(?:;[\w.+=-]+)*,|(?:blob:https?|file):\/\/\S+$|about:[a-z-]+$)/i

const MAIL_ADDRESS = /^mailto:/i

/** `Link:example.com`, where a space is missing. */
const GLUED_LABEL = /^\p{L}{1,30}[:=]/u

/** Dots in the spelling of reports: `[.]`, `(dot)`, `([.])`. */
const DEFANGED_DOT = /[[({]{1,2}(?:\.|dot)[\])}]{1,2}/gi
const DEFANGED_COLON = /[[({]:[\])}]/g

/** Also emoji and arrows. */
const TRAILING = /[.,;:!?'’*…。([{|•\p{So}\p{Sk}\u2190-\u21ff]/u
const OPENING = /[[({]/
const CLOSING = /[\])}]/
const INVISIBLE = /[\p{Z}\p{Cc}\p{Cf}\p{VS}]/u
/** Also emoji, arrows and the marks of list items. */
const LEADING = /[([{'‘*•·\p{So}\p{Sm}\p{Pd}\p{Sk}]/u

const LETTER = /[\p{L}\p{N}]/u
const LABEL = /^[\p{L}\p{N}\p{M}_-]{1,63}$/u
const SUFFIX = /^(?:\p{L}{2,63}|xn--[a-z0-9-]{1,59})$/iu
const IPV4_NUMBER = /^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/
const PORT = /:\d{1,5}$/

/**
 * Suffixes of more than two letters that make a host of two words with a dot between them in a sentence, where a space may be
 * missing. Any suffix does after `www.`, before a `/`, and for a text that is nothing but the host.
 */
const COMMON_SUFFIXES = new Set(
  (
    "com net org info biz edu gov mil int name pro mobi app dev web xyz top site online website shop store club live " +
    "page link click icu vip fun tech cloud space host press email support services center help life world today news " +
    "bank finance money cash loan digital network solutions agency group company email art blog wiki buzz cyou rest " +
    "monster quest autos lat sbs cfd bond win bid stream download review trade date men work party science racing " +
    "accountant faith cricket loans рф"
  ).split(" ")
)

/** Endings of files that are no suffix of a site: `invoice.pdf` is an attachment. */
const FILE_ENDINGS = new Set(
  (
    "txt rtf pdf doc docx docm xls xlsx xlsm csv ppt pptx odt ods jpg jpeg png gif webp svg heic wav avi mkv htm html xml " +
    "json js css eml msg ics rar iso exe msi dmg apk bat jar vbs lnk scr"
  ).split(" ")
)

/**
 * Returns the part of a text before the first closing bracket that was not opened in it: of `a(b)c)d` it is `a(b)c`.
 *
 * @param {string} text
 */
const beforeUnopened = (text) => {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (OPENING.test(character)) depth++
    else if (CLOSING.test(character) && --depth < 0) return text.slice(0, index)
  }
  return text
}

/**
 * Removes the characters of a sentence after a link.
 *
 * @param {string} text
 */
const withoutEnd = (text) => {
  let end = text.length
  for (;;) {
    const last = [...text.slice(Math.max(0, end - 2), end)].at(-1) ?? ""
    if (!TRAILING.test(last) && !INVISIBLE.test(last)) return text.slice(0, end)
    end -= last.length
  }
}

/**
 * Removes the characters of a sentence around a link. A closing bracket belongs to the link if it was opened in it.
 *
 * @param {string} text
 */
const trimmed = (text) => {
  let start = 0
  for (;;) {
    const first = String.fromCodePoint(text.codePointAt(start) ?? 0)
    if (start === text.length || !(LEADING.test(first) || INVISIBLE.test(first))) break
    start += first.length
  }
  return withoutEnd(beforeUnopened(text.slice(start)))
}

/**
 * Whether a text without white space is one link although it has separators or closing brackets: those in front of its path
 * that another part of the host follows. Browsers open `evil.example` for `https://shop.example"@evil.example/` and a site of
 * it for `https://shop.example«.evil.example/`.
 *
 * @param {string} text
 */
const isOneLink = (text) => {
  const [, authority = ""] = /^(?:https?|ftp):[\\/]*([^\\/?#]*)/i.exec(text) ?? []
  const end = authority.search(/[<>"`“”„«»‹›，、；！？（）「」『』【】《》\])}]/)
  return end !== -1 && /[.@。．｡]/.test(authority.slice(end))
}

/** How sure it is that a piece of text is a link. */
const PLAIN_HOST = 1
const WRITTEN_AS_LINK = 2

/**
 * How sure it is that a piece of text without a scheme is a link; 0 if it is none.
 *
 * @param {string} text
 * @param {boolean} isAlone whether there is no other text
 */
const rankOfBare = (text, isAlone) => {
  const end = text.search(/[/?#\\]/)
  const authority = end === -1 ? text : text.slice(0, end)
  // Without a path it is an e-mail address.
  const written = end === -1 ? authority : authority.slice(authority.lastIndexOf("@") + 1)
  const host = written.replace(DEFANGED_DOT, ".").replace(DEFANGED_COLON, ":").replace(PORT, "")
  const labels = host.split(".")
  const last = labels.at(-1) ?? ""
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return 0
  if (labels.length === 4 && labels.every((label) => IPV4_NUMBER.test(label))) return PLAIN_HOST
  if (!SUFFIX.test(last) || FILE_ENDINGS.has(last.toLowerCase())) return 0
  if (/^www\d?$/i.test(labels[0] ?? "") && labels.length > 2) return WRITTEN_AS_LINK
  if (isAlone || host.length < written.length) return PLAIN_HOST
  // A sentence begins with a capital letter.
  if (last !== last.toLowerCase() && host !== host.toUpperCase()) return 0
  const isCommon = last.length === 2 || last.startsWith("xn--") || COMMON_SUFFIXES.has(last.toLowerCase())
  return isCommon || end !== -1 ? PLAIN_HOST : 0
}

/**
 * Returns the links of a piece of text without separators, each with its rank.
 *
 * @param {string} piece
 * @param {boolean} isAlone
 * @returns {ReadonlyArray<readonly [link: string, rank: number]>}
 */
const linksOfPiece = (piece, isAlone) => {
  /** @type {Array<readonly [string, number]>} */
  const found = []
  let rest = piece
  for (;;) {
    const scheme = SCHEME.exec(rest)
    if (scheme === null) break
    const written = beforeUnopened(rest.slice(scheme.index))
    const link = trimmed(written)
    if (LETTER.test(link.slice(scheme[0].length))) found.push([link, WRITTEN_AS_LINK])
    rest = rest.slice(scheme.index + Math.max(written.length, scheme[0].length))
  }
  if (found.length > 0) return found
  const bare = trimmed(piece)
  if (OTHER_SCHEME.test(bare)) return [[bare, WRITTEN_AS_LINK]]
  if (MAIL_ADDRESS.test(bare)) return []
  for (const link of [bare, trimmed(bare.replace(GLUED_LABEL, ""))]) {
    const rank = rankOfBare(link, isAlone)
    if (rank > 0) return [[link, rank]]
  }
  return []
}

/**
 * Returns the distinct links of a text, as they are written there: first those with a scheme or `www.`, then hosts that the
 * text merely names. Without the punctuation and the brackets around them. E-mail addresses are not links.
 *
 * `linksIn("Your parcel (hxxps://bad[.]example/x). Yours, shop.example.com")` is
 * `["hxxps://bad[.]example/x", "shop.example.com"]`.
 *
 * @param {string} text
 * @returns {ReadonlyArray<string>}
 */
export const linksIn = (text) => {
  const whole = text.trim()
  if (SCRIPT.test(whole)) return [whole]
  if (!/\s/.test(whole) && isOneLink(whole)) return [withoutEnd(whole)]
  const pieces = whole.split(SEPARATORS).filter((piece) => piece !== "")
  const found = pieces.flatMap((piece) => linksOfPiece(piece, pieces.length === 1))
  const ranked = [WRITTEN_AS_LINK, PLAIN_HOST].flatMap((rank) => found.filter((link) => link[1] === rank))
  return [...new Set(ranked.map(([link]) => link))]
}

/**
 * Whether a link is written with a scheme that browsers open, such as `https:`. Without one the service assumes `http`.
 *
 * @param {string} link
 */
export const hasScheme = (link) => SCHEME.exec(link)?.index === 0

const HREF = /\bhref\s*=\s*(?:"\s*(https?:[^"]*)"|'\s*(https?:[^']*)'|(https?:[^\s"'>]*))/gi

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = {
  "&amp;": "&",
  "&#38;": "&",
  "&#39;": "'",
  "&quot;": '"',
  "&lt;": "<",
  "&gt;": ">",
  "&nbsp;": " "
}

/** @param {string} html */
const unescaped = (html) =>
  html.replace(/&(?:amp|quot|lt|gt|nbsp|#38|#39);/g, (entity) => ENTITIES[entity] ?? entity)

/** In UTF-16 units: what a link shows is quoted beside it. */
const MAX_SHOWN_LENGTH = 100

/**
 * Returns what a reader sees in place of a link. Of an image, for example, it is empty.
 *
 * @param {string} html from the tag of the link on
 */
const shownText = (html) =>
  unescaped(
    html
      .slice(html.indexOf(">") + 1)
      .replace(/<\/a\b.*/is, "")
      .replace(/<[^<>]*>/g, " ")
  )
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_SHOWN_LENGTH)

/**
 * How a link is compared with a text that names it: without its scheme and a slash at its end.
 *
 * @param {string} link
 */
const comparable = (link) => link.replace(/^https?:\/\//i, "").replace(/\/$/, "")

/**
 * Returns the links of a copied text that its reader does not see, such as that of a button in an e-mail, each with what the
 * text shows in its place.
 *
 * `hiddenLinks("Pay now", '<a href="https://example.com/">Pay now</a>')` has the entry `"https://example.com/"`: `"Pay now"`.
 *
 * @param {string} text
 * @param {string} html the same in HTML, as browsers copy it
 * @returns {ReadonlyMap<string, string>}
 */
export const hiddenLinks = (text, html) => {
  const inText = new Set(linksIn(text).map(comparable))
  /** @type {Map<string, string>} */
  const hidden = new Map()
  for (const piece of html.split(/<(?=a(?:rea)?\s)/i).slice(1)) {
    const shown = shownText(piece)
    const inShown = new Set(linksIn(shown).map(comparable))
    // All of them: one that stands in another attribute must not hide the real one.
    for (const [, ...values] of piece.matchAll(HREF)) {
      const link = unescaped(values.find((value) => value !== undefined) ?? "").trim()
      // Where a link shows another one it is hidden, although the text may name it elsewhere.
      const visible = inShown.size > 0 ? inShown : inText
      if (!visible.has(comparable(link)) && !hidden.get(link)) hidden.set(link, shown)
    }
  }
  return hidden
}

/**
 * Says what a text shows in place of a link.
 *
 * @param {string} shown
 */
export const disguiseText = (shown) => {
  if (shown === "") return "The message does not show this address."
  return linksIn(shown).length > 0
    ? `The message shows another address in its place: ${shown}`
    : `The message shows “${shown}” in its place.`
}

/**
 * Returns the text that a fragment of the page's address fills the field with; undefined if it has none. All that stands
 * behind `#url=` is the text.
 *
 * `textOfFragment("#url=https%3A%2F%2Fexample.com%2F")` is `"https://example.com/"`.
 *
 * @param {string} fragment
 */
export const textOfFragment = (fragment) => {
  if (!fragment.startsWith("#url=")) return undefined
  const text = fragment.slice("#url=".length)
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Returns what an app shared: of `url`, `text` and `title` the first that has a link. Android puts links into `text`.
 * Otherwise all of them.
 *
 * @param {string} query of `/share`
 */
export const sharedText = (query) => {
  const parameters = new URLSearchParams(query)
  const shared = ["url", "text", "title"].flatMap((name) => parameters.getAll(name))
  return shared.find((text) => linksIn(text).length > 0) ?? shared.filter((text) => text !== "").join("\n")
}
