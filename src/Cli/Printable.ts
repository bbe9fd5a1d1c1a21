import type { Verdict } from "../Checkers/Checker/CheckerNames.ts"
import { printable } from "../Layers/Telemetry/Printable.ts"

export { printable, printableJson } from "../Layers/Telemetry/Printable.ts"

/** In UTF-16 units. Longer URLs are cut in the table, not in JSON. */
const MAX_SHOWN_LENGTH = 300

/** Not the end of a host before a port: `a[.]ftp:8080`. */
const SCHEME = /(?<![\w.-]|\.\])(?:(h)tt(ps?:)|(f)t(p:))/gi

/** Blanks, scheme and authority: everything before the path, the query and the fragment. */
const AUTHORITY = /^\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*[^/\\?#]*/i

/** `withoutLinks("see http://example.com")` is `"see hxxp://example.com"`: no terminal makes a link of it. */
export const withoutLinks = (text: string): string => text.replace(SCHEME, "$1$3xx$2$4")

/**
 * Defangs a URL, so that no terminal turns it into a link and it does not open when pasted into a browser. Also escapes it
 * for a terminal and cuts it. `CanonicalUrl.parse` reads the same address from the result, if nothing was escaped or cut.
 *
 * `defanged("http://example.com/a.b")` is `"hxxp://example[.]com/a.b"`.
 */
export const defanged = (url: string): string => {
  const cut = url.length > MAX_SHOWN_LENGTH ? `${url.slice(0, MAX_SHOWN_LENGTH)}…` : url
  return withoutLinks(
    printable(cut).replace(AUTHORITY, (authority) => authority.replaceAll("[.]", ".").replaceAll(".", "[.]"))
  )
}

/** The colour of each verdict, by its name in `util.styleText`. */
export const colours = { safe: "green", suspicious: "yellow", phishing: "red" } as const satisfies Record<
  Verdict,
  string
>
