/** The end of a link in Markdown, JSON, CSV, HTML or plain text. */
const LINK = /https?:\/\/[^\s"'`<>()[\]{}|\\^]+/gi

/** Punctuation of the sentence around a link. */
const TRAILING = /(?:[.,;:!?*_~]|&quot|&gt|&lt)+$/

/**
 * Returns the links of a text in any format, as written and in its order. The escapes of JSON (`\/`, `\u0026`) and of HTML
 * (`&amp;`) for characters of URLs are resolved. A link ends before a bracket: `https://a.example/{id}` is
 * `https://a.example/`.
 */
export const linksOf = (text: string): ReadonlyArray<string> =>
  (text.replaceAll("\\/", "/").replaceAll("\\u0026", "&").replaceAll("&amp;", "&").match(LINK) ?? []).map(
    (link) => link.replace(TRAILING, "")
  )
