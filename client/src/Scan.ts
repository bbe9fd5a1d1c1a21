import {
  type CheckerId,
  type CheckerStatus,
  checkerIds,
  checkerStatuses,
  completeStatuses,
  type FindingOrigin,
  type Override,
  overrides,
  type Verdict,
  verdicts
} from "../../src/Checkers/Checker/CheckerNames.ts"
import type { FindingKind } from "../../src/Checkers/Kinds/KindNames.ts"

/** Any other text: a service that is newer than this client may send it. Editors still suggest the known names. */
type Newer = string & {}

/**
 * What the sentence of a finding shows, by name. Which facts there are depends on the kind: `/openapi.json` and docs/reasons.md
 * have a list. Omits facts that this version does not know.
 */
export interface FindingDetails {
  /** An address inside the URL: host and path, perhaps cut. */
  readonly address?: string
  /** As people know it, such as `PayPal`, and its own domain. */
  readonly brand?: { readonly name: string; readonly domain: string }
  /** How many days back the list of new domains goes. */
  readonly days?: number
  /** The domain that is new. */
  readonly domain?: string
  /** Without the dot. */
  readonly extension?: string
  readonly file?: string
  readonly folder?: string
  readonly host?: string
  /** Only in a finding about an address inside the URL: the host of that address. */
  readonly innerHost?: string
  /** The list has the same content under another address. */
  readonly isOtherSpelling?: boolean
  /** The name of the file contains a character that reverses the text after it. */
  readonly isReversed?: boolean
  /** Of the host. */
  readonly label?: string
  readonly list?: { readonly publisher: string; readonly category: string; readonly date: string }
  /** How many other pages of the host the list has. */
  readonly pages?: number
  /** Why a name looks made by a program. */
  readonly pattern?: string
  /** Of host and path, those that weighed most for the model. */
  readonly pieces?: ReadonlyArray<string>
  /** Why the text is not a web address. */
  readonly problem?: string
  /** The registrable domain. */
  readonly registrable?: string
  /** Without the colon. */
  readonly scheme?: string
  /** Alphabets, such as `Cyrillic`. */
  readonly scripts?: ReadonlyArray<string>
  /** What the URL shows in place of its host; of a text that is not a URL, the text without secrets. */
  readonly shown?: string
  /** The end of the host, such as `top` or `pages.dev`. */
  readonly suffix?: string
  /** What Google suspects. */
  readonly threat?: string
  /** Why not all addresses inside the URL were read. */
  readonly unread?: string
  readonly words?: ReadonlyArray<string>
}

/** One reason in a form for programs. */
export interface ScanFinding {
  /** The checker that found it, or `operator_lists`: the operator's own lists. */
  readonly checker: FindingOrigin | Newer
  /** What was found. Kinds keep their name and meaning; later versions of the service may add others. */
  readonly kind: FindingKind | Newer
  /** The score that the finding gives by itself; 0 if it only explains others. The score is that of the strongest finding. */
  readonly points: number
  /** The publisher of the list that it is based on. */
  readonly source?: string
  /** The same sentence as in `reasons`. */
  readonly reason: string
  readonly details: FindingDetails
}

/** An address of a URL: its own (`submitted`), where a known redirector leads (`destination`), or another inside it (`carried`). */
export interface ReportedAddress {
  readonly relation: "submitted" | "destination" | "carried" | Newer
  /** In ASCII. */
  readonly host: string
  /** The registrable domain. Missing for an IP address. */
  readonly domain?: string
  /** The host in its own letters, if it has other letters than ASCII. */
  readonly unicode?: string
}

/** The status of each checker. A checker is missing if the response has no status for it that this client knows. */
type CheckerStatuses = { readonly [Checker in CheckerId]?: CheckerStatus }

/**
 * The result of one check. The verdict `safe` only means that no checker found anything: a caller that must be sure also
 * requires that it is `complete`.
 */
export interface Scan {
  /** Exactly as submitted. */
  readonly url: string
  /** From 0 to 100, that of the strongest finding: the higher, the greater the risk. */
  readonly score: number
  /** `safe` for a score below 40, `suspicious` from 40 to 69, `phishing` from 70. */
  readonly verdict: Verdict
  /** Why, in at most six sentences for people, first what people understand best. */
  readonly reasons: ReadonlyArray<string>
  /** For each of `reasons`, in the same order, what it is. Missing if the service is older than findings. */
  readonly findings?: ReadonlyArray<ScanFinding>
  /** The URL's own address, then those inside it. Missing if the text is not a URL, or the service is older than this field. */
  readonly addresses?: ReadonlyArray<ReportedAddress>
  /** Milliseconds that each checker took. */
  readonly executionTimeMs: Readonly<Record<CheckerId, number>>
  readonly checkers: CheckerStatuses
  /** Each checker that is switched on has answered with fresh data. If not, something may have been missed. */
  readonly complete: boolean
  /** The lists of the service's operator decided. Missing if they did not. */
  readonly listOverride?: Override | undefined
}

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
export const statusesOf = (header: string | null): CheckerStatuses =>
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

const object = valid((value): value is Readonly<Record<string, unknown>> => value === Object(value))

/** Omits fields that it does not name. */
const struct =
  <A extends object>(fields: { readonly [Name in keyof A]-?: Read<A[Name]> }) =>
  (value: unknown, name: string): A => {
    const from = object(value, name)
    return Object.fromEntries(
      Object.entries<Read<unknown>>(fields)
        .map(([name, read]) => [name, read(from[name], name)] as const)
        .filter(([, field]) => field !== undefined)
    ) as A
  }

const texts = optional(listOf(text))
const flag = optional(valid((value) => typeof value === "boolean"))
const maybe = optional(text)
const count = optional(upTo(Number.MAX_SAFE_INTEGER))

const details = struct<FindingDetails>({
  address: maybe,
  brand: optional(struct({ name: text, domain: text })),
  days: count,
  domain: maybe,
  extension: maybe,
  file: maybe,
  folder: maybe,
  host: maybe,
  innerHost: maybe,
  isOtherSpelling: flag,
  isReversed: flag,
  label: maybe,
  list: optional(struct({ publisher: text, category: text, date: text })),
  pages: count,
  pattern: maybe,
  pieces: texts,
  problem: maybe,
  registrable: maybe,
  scheme: maybe,
  scripts: texts,
  shown: maybe,
  suffix: maybe,
  threat: maybe,
  unread: maybe,
  words: texts
})

type Fields = Omit<Scan, "checkers" | "complete" | "listOverride"> & { readonly complete?: boolean }

const readFields = struct<Fields>({
  url: text,
  score: points,
  verdict: valid((value): value is Verdict => !!known(verdicts, value)),
  reasons: listOf(text),
  executionTimeMs: struct(
    Object.fromEntries(checkerIds.map((id) => [id, millis])) as Record<CheckerId, Read<number>>
  ),
  complete: flag,
  findings: optional(
    listOf(
      struct<ScanFinding>({
        checker: text,
        kind: text,
        points,
        source: maybe,
        reason: text,
        details
      })
    )
  ),
  addresses: optional(
    listOf(struct<ReportedAddress>({ relation: text, host: text, domain: maybe, unicode: maybe }))
  )
})

const scanOf = (body: unknown, checkers: CheckerStatuses, override: unknown): Scan => {
  const listOverride = known(overrides, override)
  // What a service that is older than this field would say.
  const complete = checkerIds.every((id) => known(completeStatuses, checkers[id]))
  return { complete, ...readFields(body, "body"), checkers, ...(listOverride && { listOverride }) }
}

/** Reads a response with status 200. Throws an error that says why the body is not a `ScanResult`. */
export const readOne = (body: string, headers: Headers): Scan =>
  scanOf(JSON.parse(body), statusesOf(headers.get("checker-status")), headers.get("list-override"))

/** Reads a response about `count` URLs. Throws an error that says why the body does not have that many results. */
export const readMany = (body: string, count: number): ReadonlyArray<Scan> =>
  valid((value): value is ReadonlyArray<unknown> => Array.isArray(value) && value.length === count)(
    JSON.parse(body).results,
    "results"
  )
    .map(Object)
    .map((scan) => scanOf(scan, knownStatuses(Object.entries(scan.checkers ?? {})), scan.override))
