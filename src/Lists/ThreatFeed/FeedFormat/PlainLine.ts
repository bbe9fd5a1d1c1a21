import type { FeedLine } from "./FeedLine.ts"

const WHITE_SPACE = /\s/

/** `[Adblock Plus 2.0]`, the first line of a filter list. `[adb8::1]` is an address. */
const FILTER_LIST_HEADER = /^\[ad(?:block|guard)[^\]]*\]$/i

/** `example.com##.banner`: hides a part of a page. A URL has a colon or a slash before a `#`. */
const COSMETIC_RULE = /^[^:/?#]*#[@?$%]{0,3}#/

/** Of a network rule: with these alone it blocks the page itself, for every visitor. */
const wholePageOptions: ReadonlySet<string> = new Set(["all", "doc", "document", "important"])

/** The entry of `||bad.example^$all`. Rules for parts of pages, for some pages only and with wildcards are not used. */
const readNetworkRule = (rule: string): FeedLine => {
  const dollar = rule.lastIndexOf("$")
  const options = dollar === -1 ? [] : rule.slice(dollar + 1).split(",")
  const body = rule.slice("||".length, dollar === -1 ? undefined : dollar)
  const pattern = (body.endsWith("^") ? body.slice(0, -1) : body).trim()
  if (WHITE_SPACE.test(pattern)) return "Unreadable"
  const isUsed = options.every((option) => wholePageOptions.has(option)) && !/[*^]/.test(pattern)
  return isUsed ? [pattern] : "Unused"
}

/**
 * Reads a line of the format `lines`: a URL or a host, or a rule of a filter list
 * (https://adguard.com/kb/general/ad-filtering/create-own-filters/). Of these `||` rules are entries.
 *
 * Unreadable is a line with white space in it, which is a row of a table or a text: a date could be read as an IPv4 address.
 *
 * `read("||bad.example^$all")` and `read("bad.example")` are `["bad.example"]`, `read("@@||good.example^")` is `Unused`.
 */
export const read = (line: string): FeedLine => {
  if (line === "" || line.startsWith("#") || line.startsWith("!") || FILTER_LIST_HEADER.test(line))
    return "Comment"
  if (line.startsWith("@@") || COSMETIC_RULE.test(line)) return "Unused"
  if (line.startsWith("||")) return readNetworkRule(line)
  return WHITE_SPACE.test(line) ? "Unreadable" : [line]
}
