/** The end of a link in Markdown, JSON, CSV, HTML or plain text. */
const LINK = /https?:\/\/[^\s"'`<>()[\]{}|\\^]+/gi

/** Of the sentence around a link. */
const PUNCTUATION = ".,;:!?*_~"

/** HTML escapes of characters that no link contains. */
const ESCAPES = ["&quot", "&gt", "&lt"]

/** In time that grows with the length alone: a pattern that ends with `$` would begin anew at each dot of a row of dots. */
const withoutTrailing = (link: string): string => {
  let end = link.length
  for (;;) {
    const ending = ESCAPES.find((text) => link.endsWith(text, end))
    if (ending !== undefined) end -= ending.length
    else if (PUNCTUATION.includes(link.charAt(end - 1))) end--
    else return link.slice(0, end)
  }
}

/**
 * Returns the links of a text in any format, as written and in its order. The escapes of JSON (`\/`, `\u0026`) and of HTML
 * (`&amp;`) for characters of URLs are resolved. A link ends before a bracket: `https://a.example/{id}` is
 * `https://a.example/`.
 */
export const linksOf = (text: string): ReadonlyArray<string> =>
  (text.replaceAll("\\/", "/").replaceAll("\\u0026", "&").replaceAll("&amp;", "&").match(LINK) ?? []).map(
    withoutTrailing
  )
