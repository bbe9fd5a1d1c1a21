/** Rules of filter lists (https://adguard.com/kb/general/ad-filtering/create-own-filters/) that block a whole host or page. */

import type { SkipReason } from "./FeedRow.ts"

/** `example.com##.banner`: hides a part of a page. A URL has a colon or a slash before a `#`. */
const COSMETIC_RULE = /^[^:/?#]*#[@?$%]{0,3}#/

/** `||` begins a host, `|` a URL; what follows the `$` are modifiers. A star after a dot, a dash or a slash is a wildcard. */
const RULE = /^(\|\|?)([^\s$|]+?)\s*(\^[|*]?|\||(?<=\w)\*|)(?:\$([^\s$]*))?$/

/** Types of requests: those of whole pages, and all others. */
const PAGES = new Set(["all", "doc", "document", "popup", "popunder"])
const PARTS =
  /^(?:script|image|stylesheet|css|object(?:-subrequest)?|subdocument|frame|xmlhttprequest|xhr|ping|beacon|websocket|webrtc|other|font|media|inline-(?:script|font)|(?:eleme?n?t?|generic|specific)hide|[egs]hide|content|jsinject|urlblock|csp(?:=.*)?|permissions(?:=.*)?|cookie(?:=.*)?|removeparam(?:=.*)?|replace(?:=.*)?|redirect(?:-rule)?(?:=.*)?|empty|mp4)$/

/** They do not change which pages are blocked. */
const IRRELEVANT = new Set(["important", "match-case"])

const MODIFIERS = /^\$~?[a-z\d-]+(?:=[^,\s]*)?(?:,~?[a-z\d-]+(?:=[^,\s]*)?)*$/

/** `https://bad.example/pay$document` may be a page of that name: only words that are modifiers for sure make it a rule. */
const isModifier = (modifier: string): boolean =>
  PAGES.has(modifier) ||
  PARTS.test(modifier) ||
  /^(?:~?third-party|[13]p|domain=.+|important)$/.test(modifier)

/** Why a rule with these modifiers does not block a whole page for everybody. */
const restriction = (modifiers: ReadonlyArray<string>): SkipReason | undefined => {
  const types = modifiers.filter((modifier) => PAGES.has(modifier) || PARTS.test(modifier))
  const others = modifiers.filter((modifier) => !types.includes(modifier) && !IRRELEVANT.has(modifier))
  if (others.length > 0) return "Restricted rule"
  return types.length === 0 || types.some((type) => PAGES.has(type)) ? undefined : "Rule for parts of pages"
}

/**
 * The entry of a rule that blocks a host or a page for every visitor, or why the rule is not used; undefined for a line that is
 * not a rule.
 *
 * Of `||bad.example^$document,subdocument` it is `bad.example`.
 */
export const read = (line: string): { readonly entry: string } | SkipReason | undefined => {
  // `@*://good.example/*` of uBlacklist, `@@||good.example^`.
  if (line.startsWith("@")) return "Exception"
  if (line.includes("#") && COSMETIC_RULE.test(line)) return "Rule for parts of pages"
  if (!line.startsWith("|")) return withoutAnchor(line)
  const [, anchor, pattern = "", , modifiers = ""] = RULE.exec(line) ?? []
  if (anchor === undefined || pattern.includes("^")) return "Rule for parts of pages"
  const problem = restriction(modifiers.split(",").filter((modifier) => modifier !== ""))
  if (problem !== undefined) return problem
  if (anchor === "|" && !/^https?:\/\//i.test(pattern)) return "Not a URL or host"
  return { entry: pattern }
}

const withoutAnchor = (line: string): ReturnType<typeof read> => {
  const dollar = line.lastIndexOf("$")
  if (dollar === -1) return /^\S+\^$/.test(line) ? { entry: line.slice(0, -1) } : undefined
  const [written = ""] = MODIFIERS.exec(line.slice(dollar)) ?? []
  const modifiers = written.slice(1).split(",")
  if (written === "" || !modifiers.every(isModifier)) return undefined
  return restriction(modifiers) ?? { entry: line.slice(0, -written.length).replace(/\^$/, "") }
}
