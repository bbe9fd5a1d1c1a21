/** The languages of the page for people. `Languages` has a file of texts for each, which the browser loads too. */

export const languages = ["en", "de", "es", "fr", "it", "pt", "nl", "pl"] as const
export type Language = (typeof languages)[number]

const languageOf = (tag: string): Language | undefined => {
  const [primary] = tag.trim().toLowerCase().split("-")
  return languages.find((language) => language === primary)
}

/** Of `Accept-Language`. Browsers send a few. */
const MAX_RANGES = 50

/**
 * Chooses the language of a page: the asked one, or else the first that the browser prefers (RFC 9110, 12.5.4), or English.
 *
 * `chosen(null, "ja, de-AT;q=0.9, en;q=0.8")` is `"de"`.
 */
export const chosen = (asked: string | null, acceptLanguage = ""): Language => {
  const ranges = acceptLanguage
    .split(",", MAX_RANGES)
    .map((range) => {
      const [tag = "", weight] = range.split(";")
      const quality = weight === undefined ? 1 : Number(/^\s*q=([\d.]+)\s*$/i.exec(weight)?.[1] ?? 0)
      return { language: languageOf(tag), quality }
    })
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality)
  return (
    languageOf(asked ?? "") ?? ranges.find(({ language }) => language !== undefined)?.language ?? languages[0]
  )
}
