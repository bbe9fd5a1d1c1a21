/**
 * Converts international names as browsers do (UTS 46, as the URL standard applies it). A library does it because the tables of
 * node's own converter differ between its versions.
 */

import * as tr46 from "tr46"
import * as PercentEncoding from "./PercentEncoding.ts"

const OPTIONS = { checkBidi: true, checkJoiners: true }

/** The longest name of DNS (RFC 1035), and a few dots at its end. */
const MAX_NAME_CHARS = 256

/** In UTF-16 units: NFC composes a character of at most four code points. */
const MAX_DECOMPOSED_UNITS = MAX_NAME_CHARS * 4 * 2

/** What UTS 46 maps to nothing, in any number. */
const IGNORED =
  /(?:\p{Variation_Selector}|\u034f|[\u17b4\u17b5]|[\u00ad\u115f\u1160\u180e\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}])+/gu

const NAME = /^[a-z0-9._-]+$/

/**
 * Returns undefined if no browser opens the host: UTS 46 rejects it, or there are characters in the result that no name may
 * have. Also if the result would be longer than any name of DNS: the time of the conversion is quadratic.
 *
 * UTS 46 maps U+FF05 and U+FE6A to a percent sign. Chromium decodes the escapes that this makes, of ASCII characters only
 * (`DoIDNHost` in url/url_canon_host.cc), so that `\uff0565xample.com` is `example.com` there. The URL standard refuses them.
 *
 * `toAscii("b\u00fccher.ex\u00adample")` is `"xn--bcher-kva.example"`.
 */
export const toAscii = (host: string): string | undefined => {
  const text = host.replace(IGNORED, "")
  if (text.length > MAX_DECOMPOSED_UNITS) return undefined
  // Compatibility composition, without its escapes, is about as long as the result before its conversion to ASCII, and takes
  // linear time.
  if (Array.from(PercentEncoding.unescapeAscii(text.normalize("NFKC"))).length > MAX_NAME_CHARS)
    return undefined
  const ascii = tr46.toASCII(text, OPTIONS)
  if (ascii === null) return undefined
  const name = ascii.includes("%") ? PercentEncoding.decode(ascii).toLowerCase() : ascii
  return NAME.test(name) ? name : undefined
}

/**
 * A label as a browser may show it: `toUnicode("xn--mnchen-3ya")` is `"m\u00fcnchen"`. An invalid label stays as it is, and one
 * longer than any name of DNS: the time of the conversion is quadratic.
 */
export const toUnicode = (label: string): string => {
  if (!label.startsWith("xn--") || label.length > MAX_NAME_CHARS) return label
  const { domain, error } = tr46.toUnicode(label, OPTIONS)
  return error ? label : domain
}
