import { Clock, Duration, Effect, Option, Redacted } from "effect"
import { adviceFor } from "../../Layers/Outbound/Proxies.ts"
import * as Program from "../../Layers/Program.ts"
import { ListError } from "../ListError.ts"
import { UPDATE_LIMITS, type UpdatedList, type UpdateRequest } from "../ListWorker/Messages.ts"
import { failOnDefect, ListWorker } from "../ListWorker.ts"
import type { Answer, Definition } from "../RefreshedList/Definition.ts"
import { inWords } from "../RefreshedList/ListLog.ts"
import * as ListMetrics from "../RefreshedList/ListMetrics.ts"
import * as HashList from "./HashList.ts"
import * as HashListSet from "./HashListSet.ts"

/** Google's header for an API key. A key in the URL would appear in logs. */
const KEY_HEADER = "x-goog-api-key"

const requestOf = ({ baseUrl, key }: HashListSet.Source, lists: UpdateRequest["lists"]): UpdateRequest => ({
  _tag: "UpdateLists",
  baseUrl: `${baseUrl.origin}${baseUrl.pathname.replace(/\/$/, "")}`,
  headers: { "accept-encoding": "gzip", "user-agent": Program.nameAndVersion },
  authHeaders: { [KEY_HEADER]: Redacted.value(key) },
  lists,
  limits: UPDATE_LIMITS
})

/** The set of an answer at `now`. */
const setOf = (
  previous: HashListSet.HashListSet | undefined,
  lists: ReadonlyArray<UpdatedList>,
  now: number
): HashListSet.HashListSet => ({
  lists: lists.map(({ bytes, name, version }) => ({
    name,
    version,
    width: HashList.widthOf(name),
    bytes: bytes ?? previous?.lists.find((list) => list.name === name)?.bytes ?? new Uint8Array()
  })),
  answeredAt: now,
  waitMillis: Math.max(...lists.map(({ waitMillis }) => waitMillis))
})

/** Longer than a response may take: this ends a thread that hangs. */
const TIMEOUT = Duration.minutes(3)

/** Whether Google may have refused the name of a list. */
const isOfNames = ({ detail, reason }: ListError): boolean =>
  reason === "RequestRefused" || (reason === "Status" && detail === "404")

/** In the log. */
const NAME = "safe_browsing"

/** The source of all local lists, in the log and in traces. */
export const SOURCE = "Safe Browsing"

/** Yields the local lists of Safe Browsing as one list that is refreshed. */
export const definition = Effect.fnUntraced(function* (source: HashListSet.Source) {
  const { names } = source
  const count = yield* ListMetrics.updateCounter(names)
  /** After a checksum that does not match, or a request that is refused: the next one is for whole lists. */
  let isWhole = false

  const update = Effect.fnUntraced(function* (lists: UpdateRequest["lists"]) {
    const worker = yield* ListWorker
    return yield* worker.updateLists(requestOf(source, lists)).pipe(
      Effect.timeoutFail({ duration: TIMEOUT, onTimeout: () => new ListError("Timeout") }),
      failOnDefect,
      Effect.tapError(({ reason }) =>
        Effect.sync(() => {
          if (reason === "ChecksumMismatch" || reason === "RequestRefused") isWhole = true
          for (const { name } of lists) count(name, "failed")
        })
      )
    )
  })

  return {
    name: NAME,
    source: SOURCE,
    digest: HashListSet.digestOf(source),
    format: HashListSet.format(source),
    request: Effect.fnUntraced(function* (previous) {
      const before = Option.getOrUndefined(previous)
      const lists = names.map((name) => {
        const earlier = isWhole ? undefined : before?.lists.find((list) => list.name === name)
        return { name, version: earlier?.version, bytes: earlier?.bytes }
      })
      const updated = yield* update(lists)
      isWhole = false
      for (const { bytes, name } of updated) count(name, bytes === undefined ? "unchanged" : "changed")
      return {
        snapshot: setOf(before, updated, yield* Clock.currentTimeMillis),
        error: Option.none()
      } satisfies Answer<HashListSet.HashListSet>
    }),
    waits: { afterAnswer: HashListSet.waitAfter, backoff: HashListSet.backoff },
    describe: ({ lists }) => ({
      entries: lists.reduce((sum, list) => sum + HashList.size(list), 0),
      counts: Object.fromEntries(lists.map((list) => [list.name, HashList.size(list)])),
      skipped: ""
    }),
    failureText: (error, wait) => {
      const advice = isOfNames(error)
        ? "Is REPUTATION_LISTS right?"
        : adviceFor(error.detail, source.baseUrl.protocol)
      const next = advice ? `. ${advice}` : `; next try in ${inWords(Duration.toMillis(wait))}`
      return `${NAME}: the local lists cannot be updated: ${error.message}${next}`
    }
  } satisfies Definition<HashListSet.HashListSet, ListWorker>
})
