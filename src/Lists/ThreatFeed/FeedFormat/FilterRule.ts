/** Rules of filter lists (https://adguard.com/kb/general/ad-filtering/create-own-filters/) that block a whole host or page. */

import type { SkipReason } from "./SkippedRows.ts"

/** `example.com##.banner` hides a part of a page. A URL has a colon or a slash before a `#`. */
const COSMETIC_RULE = /^[^:/?#]*#[@?$%]{0,3}#/

/** `||` begins a host, `|` a URL; modifiers follow the `$`. A star after a dot, a dash or a slash is a wildcard. */
const ANCHORED_RULE = /^(?:\|\||\|(?=https?:\/\/))([^\s$|^]+?)\s*(?:\^[|*]?|\||(?<=\w)\*|)(?:\$([^\s$]*))?$/i

/** A dynamic rule of uBlock Origin and uMatrix, about requests of the site that it names: `a.example * inline-script block`. */
const DYNAMIC_RULE =
  /^\S+ \S+ (?:\*|3p|(?:1p-|3p-|inline-)?script|(?:3p-)?frame|image|css|media|xhr|cookie|other) (?:block|allow|noop|inherit)$/

/** What the reader is told: `reason="a fake shop"`, and a note after a rule. A reason may contain what begins a note. */
const QUOTED_REASON = /(?<=[$,]reason=)"[^"]*"/
const NOTE = /\s[#!]\s.*/s

/** The names of modifiers by their effect on a rule, with `=` if a value follows. */
const namesByEffect = {
  /** The rule is about whole pages. */
  page: "all doc document popup popunder",
  /** The rule is about requests of a page, or changes it. */
  part: "script image stylesheet css object object-subrequest subdocument frame xmlhttprequest xhr ping beacon websocket webrtc other font media inline-script inline-font elemhide generichide specifichide ehide ghide shide content jsinject urlblock csp csp= permissions permissions= cookie cookie= removeparam removeparam= replace= redirect= redirect-rule= empty mp4",
  /** The rule is only about some visits. */
  restriction: "third-party 3p 1p domain=",
  none: "important match-case reason="
}

const effects: ReadonlyMap<string, string> = new Map(
  Object.entries(namesByEffect).flatMap(([effect, names]) =>
    names.split(" ").map((name) => [name, effect] as const)
  )
)

/** Returns the effect of a modifier, such as `~script` or `domain=example.com`; undefined for an unknown one. */
const effectOf = (modifier: string): string | undefined => {
  const [, negation = "", name = ""] = /^(~?)([^=]*=?)/.exec(modifier) ?? []
  const effect = effects.get(name)
  return effect !== undefined && negation !== "" ? "restriction" : effect
}

/** Returns why a rule with these modifiers does not block a whole page for everybody. */
const problemOf = (modifiers: ReadonlyArray<string>): SkipReason | undefined => {
  const found = new Set(modifiers.map((modifier) => effectOf(modifier) ?? "restriction"))
  if (found.has("restriction")) return "Restricted rule"
  return found.has("part") && !found.has("page") ? "Rule for parts of pages" : undefined
}

const withoutNotes = (line: string): string => line.replace(QUOTED_REASON, "").replace(NOTE, "").trimEnd()

/** Nearly all rules of lists of phishing: matched in half the time. */
const HOST_RULE = /^\|\|([a-z\d][a-z\d.-]*)\^$/i

const readAnchored = (line: string): ReadonlyArray<string> | SkipReason => {
  const [, host] = HOST_RULE.exec(line) ?? []
  if (host !== undefined) return [host]
  const [, pattern, modifiers] = ANCHORED_RULE.exec(withoutNotes(line)) ?? []
  if (pattern === undefined) return "Rule for parts of pages"
  if (modifiers === undefined) return [pattern]
  return problemOf(modifiers.split(",").filter((modifier) => modifier !== "")) ?? [pattern]
}

const readUnanchored = (written: string): ReturnType<typeof readAnchored> | undefined => {
  const line = withoutNotes(written)
  const dollar = line.lastIndexOf("$")
  if (dollar === -1) return /^\S+\^$/.test(line) ? [line.slice(0, -1)] : undefined
  const modifiers = line.slice(dollar + 1).split(",")
  // A URL may contain `pay$card` or `?$3p=a`.
  if (modifiers.some((modifier) => effectOf(modifier) === undefined)) return undefined
  return problemOf(modifiers) ?? [line.slice(0, dollar).replace(/\^$/, "")]
}

/**
 * Returns the entry of a rule that blocks a host or page for every visitor, or why the rule is not used; undefined if the line is
 * not a rule.
 *
 * `readRule("||bad.example^$document,subdocument")` is `["bad.example"]`, `readRule("@@||good.example^")` is `"Exception"`.
 */
export const readRule = (line: string): ReturnType<typeof readUnanchored> => {
  if (line.startsWith("|")) return readAnchored(line)
  // `@@||good.example^`, and `@*://good.example/*` of uBlacklist. Not the `@` of a zone file.
  if (/^@(?!\s)/.test(line)) return "Exception"
  return COSMETIC_RULE.test(line) || DYNAMIC_RULE.test(line)
    ? "Rule for parts of pages"
    : readUnanchored(line)
}
