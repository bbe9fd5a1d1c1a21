/**
 * Reads links to Android apps (https://developer.chrome.com/docs/android/intents):
 * `intent://host/path#Intent;scheme=https;package=...;S.browser_fallback_url=...;end`.
 */

import { unescape as percentDecoded } from "node:querystring"

export interface Intent {
  /** The address that the app is to open: of any scheme, perhaps without a host. */
  readonly address: string
  /** The address that Chrome opens when no app is installed for the other. */
  readonly fallback: string | undefined
}

const SCHEME = /^intent:/i
const EXTRAS = "#Intent;"
const FALLBACK = "S.browser_fallback_url"

/**
 * Returns undefined for any other string. Of a field that is written twice the last counts, as in Android, and none after
 * `end` or `SEL`, which begins the description of another app. Takes linear time.
 *
 * `read("intent://example.com/a#Intent;scheme=https;end")` is `{ address: "https://example.com/a", fallback: undefined }`.
 */
export const read = (text: string): Intent | undefined => {
  const scheme = SCHEME.exec(text)
  const extras = text.lastIndexOf("#")
  if (scheme === null || !text.startsWith(EXTRAS, extras)) return undefined
  const fields = fieldsOf(text.slice(extras + EXTRAS.length))
  const address = text.slice(scheme[0].length, extras)
  const addressScheme = fields.get("scheme")
  return {
    address: addressScheme === undefined ? address : `${addressScheme}:${address}`,
    fallback: fields.get(FALLBACK)
  }
}

const fieldsOf = (text: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>()
  for (const field of text.split(";")) {
    if (field === "end" || field === "SEL") break
    const equals = field.indexOf("=")
    if (equals !== -1)
      fields.set(percentDecoded(field.slice(0, equals)), percentDecoded(field.slice(equals + 1)))
  }
  return fields
}
