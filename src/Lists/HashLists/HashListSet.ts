/** The local lists of Safe Browsing together. Times: https://developers.google.com/safe-browsing/v4/request-frequency. */
import { createHash } from "node:crypto"
import { Array as Arrays, Clock, Duration, Effect, Either, Option, Redacted, Schema } from "effect"
import type { ReputationConfig } from "../../Layers/AppConfig.ts"
import { adviceFor } from "../../Layers/Outbound/Proxies.ts"
import * as Program from "../../Layers/Program.ts"
import { ListError } from "../ListError.ts"
import { UPDATE_LIMITS, type UpdateRequest } from "../ListWorker/Messages.ts"
import { failOnDefect, ListWorker } from "../ListWorker.ts"
import {
  type Answer,
  type Definition,
  EpochMillis,
  type SnapshotFormat
} from "../RefreshedList/Definition.ts"
import { inWords } from "../RefreshedList/ListLog.ts"
import * as ListSchedule from "../RefreshedList/ListSchedule.ts"
import * as HashList from "./HashList.ts"

/** A list as Google has sent it. */
export interface StoredList extends HashList.HashList {
  readonly name: string
  /** Opaque, in base64. */
  readonly version: string
}

/** All local lists, of one answer, without those that Google refuses by their names. Never modified: an update makes another set. */
export interface HashListSet {
  readonly lists: ReadonlyArray<StoredList>
  /** Milliseconds since 1970. */
  readonly answeredAt: number
  /** The longest time for which Google asked to send no request. 0: it had more to send. */
  readonly waitMillis: number
}

export const isCache = (name: string): boolean => name === HashList.GLOBAL_CACHE

/** A shorter wait counts as 0: Google has more to send at once. */
const MIN_WAIT_MS = 1000

/** How long to wait for what Google has to send at once: a service that always says so gets four rounds a minute. */
const WAIT_FOR_MORE = Duration.seconds(15)

/** The wait that version 4 usually asked for. The waits of version 5 are not published. Counts where Google asks for none. */
const USUAL_WAIT = Duration.minutes(30)

/** Of a wait that Google asks for: a list that is due after a day would be unusable until its update is done. */
const MAX_WAIT = Duration.hours(23)

/** A list without an update for longer is not used to say that a URL is not listed. */
const MAX_AGE_MS = Duration.toMillis(Duration.days(1))

/** A list is fresh for so many waits. Google's Go client counted one, and failed at each update. */
const FRESH_WAITS = 2

/** After the nth failure in a row: 15 to 30 minutes, doubled each time up to a day. */
export const backoff: ListSchedule.Backoff = {
  first: Duration.minutes(15),
  max: Duration.days(1),
  jitter: 1
}

/** How long to wait after an answer. */
export const waitAfter = (set: Option.Option<HashListSet>): Duration.Duration =>
  Option.match(set, {
    onNone: () => USUAL_WAIT,
    onSome: ({ waitMillis }) =>
      waitMillis < MIN_WAIT_MS ? WAIT_FOR_MORE : Duration.min(Duration.millis(waitMillis), MAX_WAIT)
  })

/** See `ListsAge`. */
export type Age = "fresh" | "stale" | "unusable"

/** How old each list of a set is at `now`. */
export const ageOf = (
  { answeredAt, waitMillis }: Pick<HashListSet, "answeredAt" | "waitMillis">,
  now: number
): Age => {
  if (ListSchedule.isImpossible(answeredAt, now)) return "stale"
  const age = now - answeredAt
  if (age > MAX_AGE_MS) return "unusable"
  const wait = waitMillis < MIN_WAIT_MS ? Duration.toMillis(USUAL_WAIT) : waitMillis
  return age > FRESH_WAITS * wait ? "stale" : "fresh"
}

/** The age of the threat lists of these names together. One that is not in the set is refused by Google. */
export const ageOfThreatLists = (set: HashListSet, names: ReadonlyArray<string>, now: number): Age => {
  const threatLists = names.filter((name) => !isCache(name))
  const inSet = threatLists.filter((name) => set.lists.some((list) => list.name === name))
  if (inSet.length === 0) return "unusable"
  const age = ageOf(set, now)
  return age === "fresh" && inSet.length < threatLists.length ? "stale" : age
}

/** A version has at most 1368: see `HashListMessage`. It goes into a URL in the worker thread, whose memory is small. */
const Text = Schema.String.pipe(Schema.maxLength(2048))

/** A set but the bytes of its lists. Without addresses and the key. */
const Metadata = Schema.parseJson(
  Schema.Struct({
    /** Of the service and the names of the lists. */
    service: Schema.String,
    lists: Schema.Array(Schema.Struct({ name: Schema.NonEmptyString, version: Text })),
    answeredAt: EpochMillis,
    waitMillis: Schema.JsonNumber.pipe(Schema.nonNegative())
  })
)
const encodeMetadata = Schema.encodeSync(Metadata)
const decodeMetadata = Schema.decodeUnknownEither(Metadata)

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The service of the lists, the key for it, and the lists. */
export interface Source extends Pick<ReputationConfig, "baseUrl" | "key"> {
  readonly names: ReadonlyArray<string>
}

const serviceDigest = ({ baseUrl, names }: Source): string =>
  sha256([baseUrl.href, ...[...names].sort()].join())

/**
 * Identifies a service, a key and lists without showing the key, which has 200 random bits. Replicas with another key do not
 * share: theirs may be refused.
 */
export const digestOf = (source: Source): string =>
  sha256([serviceDigest(source), Redacted.value(source.key)].join())

/** How the sets of one source are stored: in the file and in the database. */
export const format = (source: Source): SnapshotFormat<HashListSet> => {
  const ownService = serviceDigest(source)
  return {
    version: 3,
    encode: (set) => ({
      metadata: encodeMetadata({ ...set, service: ownService }),
      parts: set.lists.map(({ bytes }) => bytes)
    }),
    decode: ({ metadata, parts }) =>
      Either.gen(function* () {
        const { lists, service, ...set } = yield* Either.mapLeft(
          decodeMetadata(metadata),
          () => "Damaged" as const
        )
        if (service !== ownService) return yield* Either.left("OtherService" as const)
        const stored = Arrays.zipWith(lists, parts, (list, bytes) => ({
          ...list,
          width: HashList.widthOf(list.name),
          bytes
        }))
        const areWhole = stored.every(({ bytes, width }) => bytes.length % width === 0)
        if (!areWhole || parts.length !== lists.length) return yield* Either.left("Damaged" as const)
        return { ...set, lists: stored }
      })
  }
}

/** Google's header for an API key. A key in the URL would appear in logs. */
const KEY_HEADER = "x-goog-api-key"

const requestOf = ({ baseUrl, key }: Source, lists: UpdateRequest["lists"]): UpdateRequest => ({
  _tag: "UpdateLists",
  baseUrl: `${baseUrl.origin}${baseUrl.pathname.replace(/\/$/, "")}`,
  headers: { "accept-encoding": "gzip", "user-agent": Program.nameAndVersion },
  authHeaders: { [KEY_HEADER]: Redacted.value(key) },
  lists,
  limits: UPDATE_LIMITS
})

const NAME = "safe_browsing"

/** Returns the definition of the local lists of Safe Browsing as one list that is refreshed. */
export const definition = (source: Source) => {
  /** Left out until a restart. */
  const refused = new Set<string>()
  /** After a checksum that does not match: the next request is for whole lists. */
  let isWhole = false

  return {
    name: NAME,
    source: "Safe Browsing",
    digest: digestOf(source),
    format: format(source),
    request: Effect.fnUntraced(function* (previous) {
      const before = Option.getOrUndefined(previous)
      const lists = source.names
        .filter((name) => !refused.has(name))
        .map((name) => {
          const earlier = isWhole ? undefined : before?.lists.find((list) => list.name === name)
          return { name, version: earlier?.version, bytes: earlier?.bytes }
        })
      const updated = yield* Effect.flatMap(ListWorker, (worker) =>
        worker.updateLists(requestOf(source, lists))
      ).pipe(
        Effect.timeoutFail({
          // Longer than the thread may take: this ends one that hangs.
          duration: Duration.minutes(lists.length + 2),
          onTimeout: () => new ListError("Timeout")
        }),
        failOnDefect,
        Effect.tapError(({ reason }) =>
          Effect.sync(() => {
            if (reason === "ChecksumMismatch" || reason === "RequestRefused") isWhole = true
          })
        )
      )
      isWhole = false
      for (const name of updated.refused) refused.add(name)
      if (updated.refused.length > 0)
        yield* Effect.logWarning(
          `${NAME}: Safe Browsing refuses ${updated.refused.join(", ")}, left out until a restart. Is REPUTATION_LISTS right?`
        )
      const snapshot = {
        lists: updated.lists.map(({ bytes, name, version }) => ({
          name,
          version,
          width: HashList.widthOf(name),
          bytes: bytes ?? before?.lists.find((list) => list.name === name)?.bytes ?? new Uint8Array()
        })),
        answeredAt: yield* Clock.currentTimeMillis,
        waitMillis: Math.max(...updated.lists.map(({ waitMillis }) => waitMillis))
      }
      return { snapshot, error: Option.none() } satisfies Answer<HashListSet>
    }),
    waits: { afterAnswer: waitAfter, backoff },
    describe: ({ lists }) => ({
      entries: lists.reduce((sum, list) => sum + HashList.size(list), 0),
      counts: Object.fromEntries(lists.map((list) => [list.name, HashList.size(list)])),
      skipped: ""
    }),
    failureText: (error, wait) => {
      const advice = adviceFor(error.detail, source.baseUrl.protocol)
      const next = advice ? `. ${advice}` : `; next try in ${inWords(Duration.toMillis(wait))}`
      return `${NAME}: the local lists cannot be updated: ${error.message}${next}`
    }
  } satisfies Definition<HashListSet, ListWorker>
}
