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
import type { FindingKind } from "../../src/Checkers/Kinds/KindNames.ts"

/** Reads a value of JSON. Throws an error with its name if it is not valid. */
type Read<A> = (value: unknown, name: string) => A

const valid =
  <A>(isValid: (value: unknown) => value is A): Read<A> =>
  (value, name) => {
    if (isValid(value)) return value
    throw new TypeError(`${name} is not valid`)
  }

const text = valid((value) => typeof value === "string")
const flag = valid((value) => typeof value === "boolean")

/** A number from 0 to `max`. */
const upTo = (max: number) =>
  valid((value): value is number => typeof value === "number" && value >= 0 && value <= max)

const count = upTo(Number.MAX_SAFE_INTEGER)
const points = upTo(100)
const millis = upTo(Number.MAX_VALUE)

const array = valid<ReadonlyArray<unknown>>(Array.isArray)

const listOf =
  <A>(read: Read<A>): Read<ReadonlyArray<A>> =>
  (value, name) =>
    array(value, name).map((item) => read(item, name))

const texts = listOf(text)

/** Any other text: a service that is newer than this client may send it. Editors still suggest the known names. */
type Newer = string & {}

type Fields = Readonly<Record<string, Read<unknown>>>

type Values<F extends Fields> = { readonly [Name in keyof F]: ReturnType<F[Name]> }

const object = valid((value): value is Readonly<Record<string, unknown>> => value === Object(value))

/** Reads an object with the fields of `needed`, and those of `others` that it has. Omits fields that have neither name. */
const struct =
  <N extends Fields, O extends Fields>(needed: N, others: O) =>
  (value: unknown, name: string): Values<N> & Partial<Values<O>> => {
    const from = object(value, name)
    return Object.fromEntries(
      Object.entries<Read<unknown>>({ ...needed, ...others })
        .filter(([field]) => field in needed || from[field] !== undefined)
        .map(([field, read]) => [field, read(from[field], field)])
    ) as Values<N> & Partial<Values<O>>
  }

const readDetails = struct(
  {},
  {
    /** An address inside the URL: host and path, perhaps cut. */
    address: text,
    /** As people know it, such as `PayPal`, and its own domain. */
    brand: struct({ name: text, domain: text }, {}),
    /** How many days back the list of new domains goes. */
    days: count,
    /** The domain that is new. */
    domain: text,
    /** Without the dot. */
    extension: text,
    file: text,
    folder: text,
    host: text,
    /** Only in a finding about an address inside the URL: the host of that address. */
    innerHost: text,
    /** The list has the same content under another address. */
    isOtherSpelling: flag,
    /** The name of the file contains a character that reverses the text after it. */
    isReversed: flag,
    /** Of the host. */
    label: text,
    list: struct({ publisher: text, category: text, date: text }, {}),
    /** How many other pages of the host the list has. */
    pages: count,
    /** Why a name looks made by a program. */
    pattern: text,
    /** Of host and path, those that weighed most for the model. */
    pieces: texts,
    /** Why the text is not a web address. */
    problem: text,
    /** The registrable domain. */
    registrable: text,
    /** Without the colon. */
    scheme: text,
    /** Alphabets, such as `Cyrillic`. */
    scripts: texts,
    /** What the URL shows in place of its host; of a text that is not a URL, the text without secrets. */
    shown: text,
    /** The end of the host, such as `top` or `pages.dev`. */
    suffix: text,
    /** What Google suspects. */
    threat: text,
    /** Why not all addresses inside the URL were read. */
    unread: text,
    words: texts
  }
)

/**
 * What the sentence of a finding shows, by name. Which facts there are depends on the kind: `/openapi.json` and docs/reasons.md
 * have a list. Omits facts that this version does not know.
 */
export interface FindingDetails extends ReturnType<typeof readDetails> {}

const readFinding = struct(
  {
    /** The checker that found it, or `operator_lists`: the operator's own lists. */
    checker: text as Read<FindingOrigin | Newer>,
    /** What was found. Kinds keep their name and meaning; later versions of the service may add others. */
    kind: text as Read<FindingKind | Newer>,
    /** The score that the finding gives by itself; 0 if it only explains others. The score is that of the strongest finding. */
    points,
    /** The same sentence as in `reasons`. */
    reason: text,
    details: readDetails as Read<FindingDetails>
  },
  {
    /** The publisher of the list that it is based on. */
    source: text
  }
)

/** One reason in a form for programs. */
export interface ScanFinding extends ReturnType<typeof readFinding> {}

const readAddress = struct(
  {
    relation: text as Read<"submitted" | "destination" | "carried" | Newer>,
    /** In ASCII. */
    host: text
  },
  {
    /** The registrable domain. Missing for an IP address. */
    domain: text,
    /** The host in its own letters, if it has other letters than ASCII. */
    unicode: text
  }
)

/** An address of a URL: its own (`submitted`), where a known redirector leads (`destination`), or another inside it (`carried`). */
export interface ReportedAddress extends ReturnType<typeof readAddress> {}

/** Undefined also for a value that this version does not know. */
const known = <A extends string>(values: ReadonlyArray<A>, value: unknown): A | undefined =>
  values.find((known) => known === value)

/** The status of each checker that this version knows. A checker is missing if this version does not know its status. */
type CheckerStatuses = { readonly [Checker in CheckerId]?: CheckerStatus }

const readStatuses: Read<CheckerStatuses> = (value, name) =>
  Object.fromEntries(
    Object.entries(object(value, name)).filter(
      ([checker, status]) => known(checkerIds, checker) && known(checkerStatuses, status)
    )
  )

const readBody = struct(
  {
    /** Exactly as submitted. */
    url: text,
    /** From 0 to 100, that of the strongest finding: the higher, the greater the risk. */
    score: points,
    /** `safe` for a score below 40, `suspicious` from 40 to 69, `phishing` from 70. */
    verdict: valid((value): value is Verdict => !!known(verdicts, value)),
    /** Why, in at most six sentences for people, first what people understand best. */
    reasons: texts,
    /** Milliseconds that each checker took. */
    executionTimeMs: struct(
      Object.fromEntries(checkerIds.map((id) => [id, millis])) as Record<CheckerId, Read<number>>,
      {}
    ),
    /** For each of `reasons`, in the same order, what it is. */
    findings: listOf<ScanFinding>(readFinding),
    checkers: readStatuses,
    /** Each checker that is switched on has answered with fresh data. If not, something may have been missed. */
    complete: flag
  },
  {
    /** The URL's own address, then those inside it. Missing if the text is not a URL. */
    addresses: listOf<ReportedAddress>(readAddress),
    override: text
  }
)

/**
 * The result of one check. The verdict `safe` only means that no checker found anything: a caller that must be sure also
 * requires that it is `complete`.
 */
export interface Scan extends Omit<ReturnType<typeof readBody>, "override"> {
  /** The lists of the service's operator decided. Missing if they did not. */
  readonly listOverride?: Override | undefined
}

const readScan: Read<Scan> = (value, name) => {
  const { override, ...scan } = readBody(value, name)
  const listOverride = known(overrides, override)
  return { ...scan, ...(listOverride && { listOverride }) }
}

/** Reads a response with status 200. Throws an error that says why the body is not a `ScanResult` with findings. */
export const readOne = (body: string): Scan => readScan(JSON.parse(body), "body")

/** Reads a response about `count` URLs. Throws an error that says why the body does not have that many results. */
export const readMany = (body: string, count: number): ReadonlyArray<Scan> =>
  valid((value): value is ReadonlyArray<unknown> => Array.isArray(value) && value.length === count)(
    JSON.parse(body).results,
    "results"
  ).map((scan) => readScan(scan, "results"))
