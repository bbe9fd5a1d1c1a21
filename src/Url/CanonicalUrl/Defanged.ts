/**
 * Reads defanged addresses: reports write `hxxps://bad[.]example/a`, so that a click does not open the page.
 * RawUrl reads the schemes (`hxxp`, `hxxps`, `fxxp`).
 */

/** The brackets stand at most twice, as in `([.])`: the text was defanged twice. */
const DOT = /[[({]{1,2}(?:\.|dot)[\])}]{1,2}/gi
const COLON = /[[({]:[\])}]/g
const SCHEME = /^([a-z][a-z0-9+.-]{0,30})[[({](:(?:\/\/)?)[\])}]/i
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]*[^/\\?#]*/i
const BRACKET = /[[({]/

/**
 * Writes the scheme's colon and what stands before the first `/`, `\`, `?` or `#` after the host in the usual spelling:
 * `.` for `[.]`, `(.)`, `{.}`, `[dot]`, `(dot)` and `{dot}`, `:` for `[:]`, and `://` for `[://]`. Takes linear time.
 *
 * `refanged("hxxps[:]//bad[.]example/a[.]b")` is `"hxxps://bad.example/a[.]b"`.
 */
export const refanged = (text: string): string => {
  // Not of the whole string, which may be long.
  const [beginning = ""] = AUTHORITY.exec(text) ?? []
  if (!BRACKET.test(beginning)) return text
  return text
    .replace(SCHEME, "$1$2")
    .replace(AUTHORITY, (authority) => authority.replace(DOT, ".").replace(COLON, ":"))
}
