import {
  type CheckerId,
  type CheckerStatus,
  checkerIds,
  checkerStatuses,
  type FindingOrigin,
  type Override,
  overrides,
  type Verdict,
  verdicts
} from "../Checkers/Checker/CheckerNames.ts"
import type { KindName } from "../Checkers/Kinds/KindNames.ts"

/** Any other text: a service that is newer than this client may send it. Editors still suggest the known names. */
type Newer = string & {}

/** One reason in a form for programs. */
export interface ScanFinding {
  /** The checker that found it, or `operator_lists`: the operator's own lists. */
  readonly checker: FindingOrigin | Newer
  /** What was found. Kinds keep their name and meaning; later versions of the service may add others. */
  readonly kind: KindName | Newer
  /** What this kind contributes. The score is not the sum. */
  readonly points: number
  /** The publisher of the list that it rests on. */
  readonly source?: string
  /** The same sentence as in `reasons`. */
  readonly reason: string
}

/** The status of each checker. A checker is missing if the response has no status for it that this client knows. */
type CheckerStatuses = { readonly [Checker in CheckerId]?: CheckerStatus }

/**
 * The result of one check. The verdict `safe` only means that no checker found anything: a caller that must be sure also
 * requires that all `checkers` are `ok`.
 */
export interface Scan {
  /** Exactly as submitted. */
  readonly url: string
  /** From 0 to 100: the higher, the greater the risk. */
  readonly score: number
  /** `safe` for a score below 40, `suspicious` from 40 to 69, `phishing` from 70. */
  readonly verdict: Verdict
  /** Why, in sentences for people, first what counts most. */
  readonly reasons: ReadonlyArray<string>
  /** For each of `reasons`, in the same order, what it is. Missing if the service is older than findings. */
  readonly findings?: ReadonlyArray<ScanFinding>
  /** Milliseconds that each checker took. */
  readonly executionTimeMs: Readonly<Record<CheckerId, number>>
  readonly checkers: CheckerStatuses
  /** The lists of the service's operator decided. Missing if they did not. */
  readonly listOverride?: Override | undefined
}

/** The value of a header, by its name in lower case. */
export type Header = (name: string) => string | null | undefined

/** Undefined also for a value that this version does not know. */
const known = <A extends string>(values: ReadonlyArray<A>, value: unknown): A | undefined =>
  values.find((known) => known === value)

/** Omits checkers and statuses that this version does not know. */
const knownStatuses = (entries: ReadonlyArray<ReadonlyArray<unknown>>): CheckerStatuses =>
  Object.fromEntries(
    entries.filter(([name, value]) => known(checkerIds, name) && known(checkerStatuses, value))
  )

/**
 * Parses the header `Checker-Status`. Omits checkers and statuses that this version does not know.
 *
 * `statusesOf("heuristics=ok, feed_a=asleep")` is `{ heuristics: "ok" }`.
 */
export const statusesOf = (header: string | null | undefined): CheckerStatuses =>
  knownStatuses((header ?? "").split(",").map((item) => item.trim().split("=")))

type Guard<A> = (value: unknown) => value is A

const isText: Guard<string> = (value) => typeof value === "string"
const isVerdict: Guard<Verdict> = (value): value is Verdict => !!known(verdicts, value)
const isArray: Guard<ReadonlyArray<unknown>> = Array.isArray

/** A number from 0 to `max`. */
const isUpTo =
  (max: number): Guard<number> =>
  (value): value is number =>
    typeof value === "number" && value >= 0 && value <= max

const isPoints = isUpTo(100)
const isMillis = isUpTo(Number.MAX_VALUE)

/** Returns the field of an object of JSON. Throws if it is not what `guard` requires. */
const field = <A>(object: unknown, name: string, guard: Guard<A>): A => {
  const value: unknown = Object(object)[name]
  if (guard(value)) return value
  throw new TypeError(`${name} is missing or wrong`)
}

const readFinding = (value: unknown): ScanFinding => {
  const source: unknown = Object(value).source
  return {
    checker: field(value, "checker", isText),
    kind: field(value, "kind", isText),
    points: field(value, "points", isPoints),
    ...(source !== undefined && { source: field(value, "source", isText) }),
    reason: field(value, "reason", isText)
  }
}

const readScan = (value: unknown, checkers: CheckerStatuses, listOverride?: Override | undefined): Scan => {
  const times: unknown = Object(value).executionTimeMs
  const findings: unknown = Object(value).findings
  return {
    url: field(value, "url", isText),
    score: field(value, "score", isPoints),
    verdict: field(value, "verdict", isVerdict),
    reasons: field(value, "reasons", isArray).map((_, index, reasons) => field(reasons, `${index}`, isText)),
    executionTimeMs: Object.fromEntries(checkerIds.map((id) => [id, field(times, id, isMillis)])) as Record<
      CheckerId,
      number
    >,
    ...(findings !== undefined && { findings: field(value, "findings", isArray).map(readFinding) }),
    checkers,
    ...(listOverride && { listOverride })
  }
}

/** Reads a response with status 200. Throws an error that says why the body is not a `ScanResult`. */
export const read = (body: string, header: Header): Scan =>
  readScan(JSON.parse(body), statusesOf(header("checker-status")), known(overrides, header("list-override")))

/** Reads a response about `count` URLs. Throws an error that says why the body does not have that many results. */
export const readMany = (body: string, count: number): Array<Scan> =>
  field(
    JSON.parse(body),
    "results",
    (value): value is ReadonlyArray<unknown> => isArray(value) && value.length === count
  ).map((value) =>
    readScan(
      value,
      knownStatuses(Object.entries(Object(value).checkers ?? {})),
      known(overrides, Object(value).override)
    )
  )
