import { Cause, Clock, Duration, Effect, Either, Option, Random, Redacted } from "effect"
import type { ReputationConfig } from "../../Layers/AppConfig.ts"
import * as Program from "../../Layers/Program.ts"
import { FeedError } from "../ThreatFeed/FeedError.ts"
import { FeedWorker } from "../ThreatFeed/FeedWorker.ts"
import * as HashListMetrics from "./HashListMetrics.ts"
import * as SetSnapshot from "./HashListSet/SetSnapshot.ts"
import type { SetState } from "./HashListSet/SetState.ts"
import * as HashListSet from "./HashListSet.ts"
import * as ListSchedule from "./ListSchedule.ts"
import { type EarlierList, UPDATE_LIMITS, type UpdateRequest } from "./UpdateMessages.ts"

/** Google's header for an API key. A key in the URL would appear in logs. */
const KEY_HEADER = "x-goog-api-key"

/** `FeedWorker.updateLists` takes at most a minute for each list and one more: this ends a thread that hangs. */
const timeout = (lists: ReadonlyArray<EarlierList>) => Duration.minutes(lists.length + 2)

const requestOf = (
  { baseUrl, key }: SetSnapshot.Service,
  lists: ReadonlyArray<EarlierList>
): UpdateRequest => ({
  _tag: "UpdateLists",
  baseUrl: `${baseUrl.origin}${baseUrl.pathname.replace(/\/$/, "")}`,
  headers: { "accept-encoding": "gzip", "user-agent": Program.nameAndVersion },
  authHeaders: { [KEY_HEADER]: Redacted.value(key) },
  lists,
  limits: UPDATE_LIMITS
})

const failed = (name: string, { detail, reason }: FeedError): HashListSet.Outcome => ({
  _tag: "Unchanged",
  name,
  reason,
  detail,
  needsFull: false,
  retryAfter: undefined
})

const noOutcome = new FeedError({ reason: "Defect", detail: "no outcome" })

/** One outcome for each list: that of the thread; without an answer of the thread a failure. */
const outcomes = Effect.fnUntraced(function* (
  service: SetSnapshot.Service,
  lists: ReadonlyArray<EarlierList>
) {
  const worker = yield* FeedWorker
  const updated = yield* worker.updateLists(requestOf(service, lists)).pipe(
    Effect.timeoutFail({ duration: timeout(lists), onTimeout: () => new FeedError({ reason: "Timeout" }) }),
    Effect.catchAllDefect((defect) =>
      Effect.zipRight(
        Effect.logError("Updating lists of Safe Browsing failed", Cause.die(defect)),
        new FeedError({ reason: "Defect" })
      )
    ),
    Effect.either
  )
  return lists.map(({ name }): HashListSet.Outcome => {
    if (Either.isLeft(updated)) return failed(name, updated.left)
    return updated.right.lists.find((outcome) => outcome.name === name) ?? failed(name, noOutcome)
  })
})

/** `se-4b: Status (503)`; None if no list has failed. */
export const errorOf = ({ lists }: HashListSet.HashListSet) =>
  Option.map(
    Option.fromNullable(lists.find(({ lastError }) => lastError !== undefined)),
    ({ lastError, name }) => ({
      message: lastError === undefined ? name : `${name}: ${HashListSet.messageOf(lastError)}`,
      at: lastError?.at ?? 0
    })
  )

/** The outcome of one update. */
export interface UpdateOutcome {
  /** The set to use from now on. */
  readonly set: HashListSet.HashListSet
  /** The same, if Google answered for any list. */
  readonly snapshot: Option.Option<HashListSet.HashListSet>
  /** Why a list has no newer content. */
  readonly error: Option.Option<{ readonly message: string }>
  readonly failures: number
  /** How long to send no request. */
  readonly wait: Duration.Duration
  readonly details: string
}

/**
 * Yields an effect that updates once what is due, and counts it. It never fails and changes nothing else: the caller must pass
 * the outcome to `SetState.settle`.
 */
export const make = (
  service: Pick<ReputationConfig, "baseUrl" | "key">,
  names: ReadonlyArray<string>,
  state: SetState
) =>
  Effect.map(HashListMetrics.updateCounter(names), (count) =>
    Effect.gen(function* () {
      const before = state.get()
      const lists = HashListSet.toRequest(before, yield* Clock.currentTimeMillis)
      if (lists.some(({ version }) => version === undefined)) yield* state.saveAttempt
      const found = yield* outcomes(service, lists)
      const now = yield* Clock.currentTimeMillis
      const set = HashListSet.afterOutcomes(before, found, now, yield* Random.next)
      for (const outcome of found) count(outcome)
      return {
        set,
        snapshot: found.some(({ _tag }) => _tag === "Updated") ? Option.some(set) : Option.none(),
        error: errorOf(set),
        failures: Math.max(...set.lists.map(({ failures }) => failures)),
        wait: Duration.millis(ListSchedule.untilUpdate(HashListSet.dueAt(set), now)),
        details: SetSnapshot.descriptionOf(set)
      } satisfies UpdateOutcome
    }).pipe(Effect.withSpan("ListUpdates.update", { root: true }))
  )
