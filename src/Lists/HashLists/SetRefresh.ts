import { Array as Arr, Clock, Duration, Effect, Option, Random, Redacted } from "effect"
import type { ReputationConfig } from "../../Layers/AppConfig.ts"
import * as Program from "../../Layers/Program.ts"
import { ListError } from "../ListError.ts"
import { type ListOutcome, UPDATE_LIMITS, type UpdateRequest } from "../ListWorker/Messages.ts"
import { ListWorker } from "../ListWorker.ts"
import { inWords } from "../RefreshedList/ListLog.ts"
import * as ListMetrics from "../RefreshedList/ListMetrics.ts"
import * as ListSchedule from "../RefreshedList/ListSchedule.ts"
import * as RefreshedList from "../RefreshedList.ts"
import * as HashList from "./HashList.ts"
import * as HashListSet from "./HashListSet.ts"
import * as SetFormat from "./SetFormat.ts"

/** Google's header for an API key. A key in the URL would appear in logs. */
const KEY_HEADER = "x-goog-api-key"

/**
 * The least time between two requests for whole lists of processes that end before the answer, again and again. The file says
 * so before the request.
 */
const MIN_MS_BETWEEN_ATTEMPTS = Duration.toMillis(Duration.minutes(1))

const requestOf = ({ baseUrl, key }: SetFormat.Service, lists: UpdateRequest["lists"]): UpdateRequest => ({
  _tag: "UpdateLists",
  baseUrl: `${baseUrl.origin}${baseUrl.pathname.replace(/\/$/, "")}`,
  headers: { "accept-encoding": "gzip", "user-agent": Program.nameAndVersion },
  authHeaders: { [KEY_HEADER]: Redacted.value(key) },
  lists,
  limits: UPDATE_LIMITS
})

/** Updates these lists once: an outcome for each. */
const request = Effect.fnUntraced(function* (service: SetFormat.Service, lists: UpdateRequest["lists"]) {
  const worker = yield* ListWorker
  return yield* worker.updateLists(requestOf(service, lists)).pipe(
    Effect.timeoutFail({
      // Longer than the thread may take: this ends one that hangs.
      duration: Duration.minutes(lists.length + 2),
      onTimeout: () => new ListError({ reason: "Timeout" })
    }),
    RefreshedList.catchDefects,
    Effect.match({
      onFailure: ({ detail, reason }) =>
        lists.map(
          ({ name }): ListOutcome => ({ _tag: "Failed", name, reason, detail, retryAfter: undefined })
        ),
      onSuccess: (updated) => updated.lists
    })
  )
})

/** What failed in an update, with the first reason; None if nothing did. */
const errorOf = (outcomes: ReadonlyArray<ListOutcome>) =>
  Option.map(
    Option.fromNullable(outcomes.find((outcome) => outcome._tag === "Failed")),
    ({ detail, reason }) => new ListError({ reason, detail })
  )

/** `se-4b, mw-4b cannot be updated: Status (503)`; the lists whose last update failed, by reason. */
const failureText = (error: ListError, wait: Duration.Duration, set: HashListSet.HashListSet) => {
  const failures = set.lists.flatMap(({ lastError, name }) =>
    lastError === undefined ? [] : [{ name, message: HashListSet.messageOf(lastError) }]
  )
  const what = Object.entries(Arr.groupBy(failures, ({ message }) => message))
    .map(([message, lists]) => `${lists.map(({ name }) => name).join(", ")} cannot be updated: ${message}`)
    .join("; ")
  return `${NAME}: ${what === "" ? error.message : what}; next try in ${inWords(Duration.toMillis(wait))}`
}

/** In the log. */
const NAME = "safe_browsing"

/** The source of all local lists, in the log and in traces. */
export const SOURCE = "Safe Browsing"

/** Yields the local lists of these names as one list that is refreshed. */
export const definition = Effect.fnUntraced(function* (
  service: Pick<ReputationConfig, "baseUrl" | "key">,
  names: ReadonlyArray<string>
) {
  const count = yield* ListMetrics.updateCounter(names)
  const setOf = (snapshot: Option.Option<HashListSet.HashListSet>, now: number) =>
    Option.getOrElse(snapshot, () => HashListSet.atStart(Option.none(), names, now, 0))
  const untilRequest = (set: HashListSet.HashListSet, now: number) =>
    Duration.millis(ListSchedule.untilRequest(HashListSet.dueAt(set), now))

  return {
    name: NAME,
    source: SOURCE,
    file: "safe-browsing",
    kind: "hash-lists",
    digest: SetFormat.digestOf(service, names),
    interval: ListSchedule.USUAL_WAIT,
    format: SetFormat.format(service),
    isFile: false,
    entries: ({ lists }) =>
      lists.reduce((sum, { content }) => sum + (content === undefined ? 0 : HashList.size(content.list)), 0),
    fetchedAt: ({ answeredAt }) => answeredAt,
    counts: ({ lists }) =>
      Object.fromEntries(
        lists.flatMap(({ content, name }) =>
          content === undefined ? [] : [[name, HashList.size(content.list)]]
        )
      ),
    skipped: () => "",
    failureText: (error, wait, set) => failureText(error, wait, setOf(set, 0)),
    first: (stored, now, random) => Option.some(HashListSet.atStart(stored, names, now, random)),
    untilFirst: (set, now) => untilRequest(setOf(set, now), now),
    refresh: Effect.fnUntraced(function* (snapshot, _failures, save) {
      const requestedAt = yield* Clock.currentTimeMillis
      const before = setOf(snapshot, requestedAt)
      const lists = HashListSet.toRequest(before, requestedAt)
      if (lists.some(({ version }) => version === undefined))
        yield* save(HashListSet.notBefore(before, requestedAt + MIN_MS_BETWEEN_ATTEMPTS))
      const outcomes = yield* request(service, lists)
      const now = yield* Clock.currentTimeMillis
      for (const outcome of outcomes) {
        const changed = outcome._tag === "Updated" && outcome.bytes !== undefined
        count(outcome.name, outcome._tag === "Failed" ? "failed" : changed ? "changed" : "unchanged")
      }
      const set = HashListSet.afterOutcomes(before, outcomes, now, yield* Random.next)
      return {
        snapshot: Option.some(set),
        isAnswered: outcomes.some(({ _tag }) => _tag === "Updated"),
        error: errorOf(outcomes),
        failures: set.failures,
        wait: untilRequest(set, now),
        retryWait: untilRequest(HashListSet.ofFailed(set), now)
      }
    })
  } satisfies RefreshedList.Definition<HashListSet.HashListSet, ListWorker>
})
