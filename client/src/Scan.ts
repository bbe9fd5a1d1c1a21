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
} from "../../src/Checkers/Checker/CheckerNames.ts"
import type { KindName } from "../../src/Checkers/Kinds/KindNames.ts"

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

/** Reads a value of JSON. Throws an error with its name if it is not valid. */
type Read<A> = (value: unknown, name: string) => A

const valid =
  <A>(isValid: (value: unknown) => value is A): Read<A> =>
  (value, name) => {
    if (isValid(value)) return value
    throw new TypeError(`${name} is not valid`)
  }

const text = valid((value) => typeof value === "string")

/** A number from 0 to `max`. */
const upTo = (max: number) =>
  valid((value): value is number => typeof value === "number" && value >= 0 && value <= max)

const points = upTo(100)
const millis = upTo(Number.MAX_VALUE)

const array = valid<ReadonlyArray<unknown>>(Array.isArray)

const listOf =
  <A>(read: Read<A>): Read<ReadonlyArray<A>> =>
  (value, name) =>
    array(value, name).map((item) => read(item, name))

const optional =
  <A>(read: Read<A>): Read<A | undefined> =>
  (value, name) =>
    value === undefined ? undefined : read(value, name)

/** Omits fields that it does not name. */
const struct =
  <A extends object>(fields: { readonly [Name in keyof A]-?: Read<A[Name]> }) =>
  (value: unknown): A =>
    Object.fromEntries(
      Object.entries<Read<unknown>>(fields)
        .map(([name, read]) => [name, read(Object(value)[name], name)] as const)
        .filter(([, field]) => field !== undefined)
    ) as A

const readFields = struct<Omit<Scan, "checkers" | "listOverride">>({
  url: text,
  score: points,
  verdict: valid((value): value is Verdict => !!known(verdicts, value)),
  reasons: listOf(text),
  executionTimeMs: struct(
    Object.fromEntries(checkerIds.map((id) => [id, millis])) as Record<CheckerId, Read<number>>
  ),
  findings: optional(
    listOf(struct<ScanFinding>({ checker: text, kind: text, points, source: optional(text), reason: text }))
  )
})

const scanOf = (body: unknown, checkers: CheckerStatuses, override: unknown): Scan => {
  const listOverride = known(overrides, override)
  return { ...readFields(body), checkers, ...(listOverride && { listOverride }) }
}

/** Reads a response with status 200. Throws an error that says why the body is not a `ScanResult`. */
export const readOne = (body: string, header: Header): Scan =>
  scanOf(JSON.parse(body), statusesOf(header("checker-status")), header("list-override"))

/** Reads a response about `count` URLs. Throws an error that says why the body does not have that many results. */
export const readMany = (body: string, count: number): ReadonlyArray<Scan> =>
  valid((value): value is ReadonlyArray<unknown> => Array.isArray(value) && value.length === count)(
    JSON.parse(body).results,
    "results"
  )
    .map(Object)
    .map((scan) => scanOf(scan, knownStatuses(Object.entries(scan.checkers ?? {})), scan.override))
