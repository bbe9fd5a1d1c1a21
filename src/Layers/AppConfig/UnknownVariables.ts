/** No other program is known to read variables that begin so: `PORT...`, `LOG_...` and `OTEL_...` are not among them. */
const OUR_BEGINNING =
  /^(?:FEED_|POPULAR_|CACHE_REST|REPUTATION|RATE|TRUST(?:ED)?_PROX|CHECKER_|CORS_|MAX_CONN|ADMIN_PORT|CONTACT_URL|DATA_DIR|ALLOW_?LIST|BLOCK_?LIST|MODEL_FILE)/

/** Set by Kubernetes and Docker for other services that they run. */
const INJECTED = /_SERVICE_HOST$|_PORT$|_PORT_/

/** Of other programs, for which this service has variables of its own. */
const ALL_PROXY = /^all_proxy$/i
const OUR_PROXY = /^https?_proxy$/i

/** The number of characters with which both texts begin. */
const commonLength = (one: string, other: string): number => {
  const end = Array.from(one).findIndex((character, at) => character !== other[at])
  return end === -1 ? one.length : end
}

/** Letters missing, added, replaced or exchanged with their neighbour (optimal string alignment). */
export const editDistance = (word: string, name: string): number => {
  const width = name.length + 1
  // Row `n` has the distances of the first `n` letters of the word; only the last three rows are needed.
  let [before, above, current] = [0, width, 2 * width]
  const rows = new Uint16Array(3 * width)
  for (let column = 0; column < width; column++) rows[above + column] = column
  for (let row = 1; row <= word.length; row++) {
    const letter = word.charCodeAt(row - 1)
    rows[current] = row
    for (let column = 1; column < width; column++) {
      const expected = name.charCodeAt(column - 1)
      const replaced = (rows[above + column - 1] ?? 0) + (letter === expected ? 0 : 1)
      const added = (rows[above + column] ?? 0) + 1
      const missing = (rows[current + column - 1] ?? 0) + 1
      const edits = Math.min(replaced, added, missing)
      const isExchanged =
        row > 1 &&
        column > 1 &&
        letter === name.charCodeAt(column - 2) &&
        word.charCodeAt(row - 2) === expected
      rows[current + column] = isExchanged ? Math.min(edits, (rows[before + column - 2] ?? 0) + 1) : edits
    }
    const oldest = before
    before = above
    above = current
    current = oldest
  }
  return rows[above + name.length] ?? 0
}

/** Cheaper than the edit distance: one edit of three or more characters leaves the first or the last one. */
const sharesAnEnd = (one: string, other: string): boolean =>
  one.startsWith(other.charAt(0)) || one.endsWith(other.slice(-1))

/** A variable that nothing reads, and that looks like one of ours. */
interface UnknownVariable {
  readonly name: string
  /** Of ours with the longest common beginning, the one with the smallest edit distance. */
  readonly nearest: string
}

/** The variables among these names that begin like ours, are one edit away from one of ours, or are ALL_PROXY without one. */
export const among = (names: Iterable<string>, ours: ReadonlyArray<string>): ReadonlyArray<UnknownVariable> =>
  Array.from(names).flatMap((name, _, all) => {
    if (ALL_PROXY.test(name))
      return all.some((other) => OUR_PROXY.test(other)) ? [] : [{ name, nearest: "HTTPS_PROXY" }]
    if (ours.includes(name) || INJECTED.test(name)) return []
    const maxEdits = OUR_BEGINNING.test(name) ? Number.POSITIVE_INFINITY : 1
    const [nearest] = ours
      .filter((our) => maxEdits > 1 || (Math.abs(our.length - name.length) <= 1 && sharesAnEnd(our, name)))
      .map((our) => ({ our, common: commonLength(our, name), edits: editDistance(name, our) }))
      .filter(({ edits }) => edits <= maxEdits)
      .sort((one, other) => other.common - one.common || one.edits - other.edits)
    return nearest === undefined ? [] : [{ name, nearest: nearest.our }]
  })

/** Names the variable, and no value. */
export const sentenceOf = ({ name, nearest }: UnknownVariable): string =>
  `${name} is not a setting of this service and is ignored. Did you mean ${nearest}?`

/** What follows the error of another variable. Empty if there are no unknown ones. */
export const hintOf = (unknown: ReadonlyArray<UnknownVariable>): string =>
  unknown.length === 0 ? "" : `. Hint: ${unknown.map(sentenceOf).join(" ")}`
