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

const reversed = (text: string): string => Array.from(text).reverse().join("")

/**
 * How long the texts are at most between their common beginning and their common end; 1 if only two neighbours are exchanged. So
 * it is 1 for one letter that is missing, added, replaced or exchanged.
 *
 * `changedLength("OPRT", "PORT")` is 1, `changedLength("CACHE_URL", "CACHE_REST_URL")` is 5.
 */
const changedLength = (one: string, other: string): number => {
  const start = commonLength(one, other)
  const end = commonLength(reversed(one.slice(start)), reversed(other.slice(start)))
  const [ours, theirs] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  return ours.length === 2 && ours === reversed(theirs) ? 1 : Math.max(ours.length, theirs.length)
}

/** The length of the longest piece that both texts have: `longestPiece("1_FORMATS", "A_FORMAT")` is 7. */
const longestPiece = (one: string, other: string): number => {
  let longest = 0
  for (let start = 0; start + longest < one.length; start++)
    while (start + longest < one.length && other.includes(one.slice(start, start + longest + 1))) longest++
  return longest
}

/** A variable that nothing reads, and that looks like one of ours. */
interface UnknownVariable {
  readonly name: string
  /** Of ours with the longest common beginning, the one that is one edit away, else that with the longest common piece. */
  readonly nearest: string
}

/** The variables among these names that begin like ours, are one edit away from one of ours, or are ALL_PROXY without one. */
export const among = (names: Iterable<string>, ours: ReadonlyArray<string>): ReadonlyArray<UnknownVariable> =>
  Array.from(names).flatMap((name, _, all) => {
    if (ALL_PROXY.test(name))
      return all.some((other) => OUR_PROXY.test(other)) ? [] : [{ name, nearest: "HTTPS_PROXY" }]
    if (ours.includes(name) || INJECTED.test(name)) return []
    const maxChange = OUR_BEGINNING.test(name) ? Number.POSITIVE_INFINITY : 1
    const [nearest] = ours
      .map((our) => ({ our, change: changedLength(name, our) }))
      .filter(({ change }) => change <= maxChange)
      .map(({ change, our }) => {
        const common = commonLength(our, name)
        const piece = change === 1 ? name.length : longestPiece(name.slice(common), our.slice(common))
        return { our, change, common, piece }
      })
      .sort((one, other) => other.common - one.common || other.piece - one.piece || one.change - other.change)
    return nearest === undefined ? [] : [{ name, nearest: nearest.our }]
  })

/** Names the variable, and no value. */
export const sentenceOf = ({ name, nearest }: UnknownVariable): string =>
  `${name} is not a setting of this service and is ignored. Did you mean ${nearest}?`

/** What follows the error of another variable. Empty if there are no unknown ones. */
export const hintOf = (unknown: ReadonlyArray<UnknownVariable>): string =>
  unknown.length === 0 ? "" : `. Hint: ${unknown.map(sentenceOf).join(" ")}`
