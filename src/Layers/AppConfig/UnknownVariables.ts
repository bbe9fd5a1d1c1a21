/** No other program is known to read variables that begin so: `PORT...`, `LOG_...` and `OTEL_...` are not among them. */
const OUR_BEGINNING =
  /^(?:FEED_|POPULAR_|NEW_DOMAINS?_|CACHE_REST|REPUTATION|RATE|TRUST(?:ED)?_PROX|CHECKER_|CORS_|MAX_CONN|ADMIN_PORT|CONTACT_URL|DATA_DIR|ALLOW_?LIST|BLOCK_?LIST|MODEL_FILE)/

/** Set by Kubernetes and Docker for other services that they run. */
const INJECTED = /_SERVICE_HOST$|_PORT$|_PORT_/

/** Of other programs, for which this service has variables of its own. */
const ALL_PROXY = /^all_proxy$/i
const OUR_PROXY = /^https?_proxy$/i

/** The end of a name that Node read from a file of variables: a line without `=` becomes a part of the next name. */
const NAME_AFTER_TEXT = /[^\w.-]([A-Z][A-Z\d_]*)$/

/** The number of characters with which both texts begin. */
const commonLength = (one: string, other: string): number => {
  const end = Array.from(one).findIndex((character, at) => character !== other[at])
  return end === -1 ? one.length : end
}

/** Letters missing, added, replaced or exchanged with their neighbour (optimal string alignment). */
export const editDistance = (word: string, name: string): number => {
  // Row `n` has the distances of the first `n` letters of the word.
  const rows = [Array.from({ length: name.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= word.length; row++) {
    const current = [row]
    rows.push(current)
    for (let column = 1; column <= name.length; column++) {
      const [letter, expected] = [word[row - 1], name[column - 1]]
      const replaced = at(row - 1, column - 1) + (letter === expected ? 0 : 1)
      const isExchanged = letter === name[column - 2] && word[row - 2] === expected
      const exchanged = isExchanged ? at(row - 2, column - 2) + 1 : replaced
      current.push(Math.min(replaced, exchanged, at(row - 1, column) + 1, at(row, column - 1) + 1))
    }
  }
  return at(word.length, name.length)
}

/** A variable that nothing reads, and that looks like one of ours. */
interface UnknownVariable {
  readonly name: string
  /** Of ours with the longest common beginning, the one with the smallest edit distance. The name itself if text precedes it. */
  readonly nearest: string
}

/**
 * The variables among these names that begin like ours, are one edit away from one of ours, are one of ours after other text, or
 * are ALL_PROXY without one.
 */
export const among = (names: Iterable<string>, ours: ReadonlyArray<string>): ReadonlyArray<UnknownVariable> =>
  Array.from(names).flatMap((name, _, all) => {
    if (ALL_PROXY.test(name))
      return all.some((other) => OUR_PROXY.test(other)) ? [] : [{ name, nearest: "HTTPS_PROXY" }]
    if (ours.includes(name) || INJECTED.test(name)) return []
    const [, last] = NAME_AFTER_TEXT.exec(name) ?? []
    if (last !== undefined && ours.includes(last)) return [{ name: last, nearest: last }]
    // `feed_a_url`. Other programs have a `host` or a `port`.
    const capitals = name.toUpperCase()
    const isLikeOurs = OUR_BEGINNING.test(capitals)
    const word = isLikeOurs ? capitals : name
    const maxEdits = isLikeOurs ? Number.POSITIVE_INFINITY : 1
    const [nearest] = ours
      .filter((our) => Math.abs(our.length - word.length) <= maxEdits)
      .map((our) => ({ our, common: commonLength(our, word), edits: editDistance(word, our) }))
      .filter(({ edits }) => edits <= maxEdits)
      .sort((one, other) => other.common - one.common || one.edits - other.edits)
    return nearest === undefined ? [] : [{ name, nearest: nearest.our }]
  })

/** Names the variable, and no value. */
export const sentenceOf = ({ name, nearest }: UnknownVariable): string =>
  name === nearest
    ? `${name} is ignored: in its file of variables other text precedes its name. Each line must be NAME=value, and a note begin with #`
    : `${name} is not a setting of this service and is ignored. Did you mean ${nearest}?`

/** What follows the error of another variable. Empty if there are no unknown ones. */
export const hintOf = (unknown: ReadonlyArray<UnknownVariable>): string =>
  unknown.length === 0 ? "" : `. Hint: ${unknown.map(sentenceOf).join(" ")}`
