/** Finds the links in pasted text: a link alone, a sentence or a whole e-mail. Pure: no document, no network. */
import * as Text from "./text.browser.js"

/** In UTF-16 units. A longer text is refused: what is not read may contain a link. */
export const MAX_TEXT_LENGTH = 1_000_000

/** Schemes that the service reads, also in the spelling of reports: `hxxps[:]//`, `hxxp[://]`. */
const SCHEME =
  /(?:h(?:tt|xx)ps?|f(?:t|xx)p|intent|view-source|microsoft-edge|googlechromes?)(?:[[({]:(?:\/\/)?[\])}]|:)/i

/** Written as a link, not a host that a text merely names. */
const WRITTEN_AS_LINK = /^(?:[a-z][a-z0-9+.-]{0,30}(?:[[({]:|:(?!\d))|h[tx*]{2}ps?|www\d?\.)/i

/** @typedef {{ readonly url: string, readonly shown: string }} TextLink */

/**
 * Returns the distinct links in the order in which they are checked: first those with a scheme or `www.`, then hosts that the text
 * merely names.
 *
 * @param {ReadonlyArray<TextLink>} found
 */
const inOrder = (found) => {
  const links = [...new Set(found.map(({ url }) => url))]
  return [true, false].flatMap((isWritten) =>
    links.filter((link) => WRITTEN_AS_LINK.test(link) === isWritten)
  )
}

/**
 * Returns the distinct links of a text that is no mail as source. E-mail addresses are not links.
 *
 * `linksIn("Your parcel (hxxps://bad[.]example/x). Yours, shop.example.com")` is
 * `["hxxps://bad[.]example/x", "shop.example.com"]`.
 *
 * @param {string} text
 * @returns {ReadonlyArray<string>}
 */
export const linksIn = (text) => inOrder(Text.linksIn(text))

/** The addresses in what a link shows to its reader. */
export const { shownAddresses } = Text

/** What a text shows in place of each link that it does not show itself. One link may stand there often, with other words. @typedef {Map<string, Set<string>>} Shown */

/**
 * @param {Shown} all
 * @param {string} link
 * @param {string} shown
 */
const addShown = (all, link, shown) => {
  const known = all.get(link)
  if (known === undefined) all.set(link, new Set([shown]))
  else known.add(shown)
}

/**
 * Adds what another part of a text shows in place of its links.
 *
 * @param {Shown} all
 * @param {Shown} others
 */
export const addAllShown = (all, others) => {
  for (const [link, texts] of others) for (const text of texts) addShown(all, link, text)
}

/**
 * Returns the distinct links of any text, and what it shows in place of those whose target a reader does not see. Loads the reader of
 * mails only for a mail as source, or a text with something encoded in it.
 *
 * @param {string} text
 * `isWhole`: the text has no attachment that was not read.
 *
 * @returns {Promise<{ readonly links: ReadonlyArray<string>, readonly shown: Shown, readonly isWhole: boolean }>}
 */
export const linksOf = async (text) => {
  const isEncoded = Text.kindOf(text) === "mail" || Text.hasEncoded(text)
  const { links: found, unread } = isEncoded
    ? await (await import("./mail.browser.js")).linksInMail(text)
    : { links: Text.linksIn(text), unread: [] }
  /** @type {Shown} */
  const hidden = new Map()
  for (const { shown, url } of found) if (comparable(shown) !== comparable(url)) addShown(hidden, url, shown)
  return {
    links: inOrder(found),
    shown: hidden,
    isWhole: unread.length === 0
  }
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
 * `hiddenLinks("Pay now", '<a href="https://example.com/">Pay now</a>')` has the entry `"https://example.com/"`: only `"Pay now"`.
 *
 * @param {string} text
 * @param {string} html the same in HTML, as browsers copy it
 * @returns {Shown}
 */
export const hiddenLinks = (text, html) => {
  const inText = new Set(linksIn(text).map(comparable))
  /** @type {Shown} */
  const hidden = new Map()
  for (const piece of html.split(/<(?=a(?:rea)?\s)/i).slice(1)) {
    const shown = shownText(piece)
    const inShown = new Set(linksIn(shown).map(comparable))
    // All of them: one that stands in another attribute must not hide the real one.
    for (const [, ...values] of piece.matchAll(HREF)) {
      const link = unescaped(values.find((value) => value !== undefined) ?? "").trim()
      // Where a link shows another one it is hidden, although the text may name it elsewhere.
      const visible = inShown.size > 0 ? inShown : inText
      if (!visible.has(comparable(link))) addShown(hidden, link, shown)
    }
  }
  return hidden
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
