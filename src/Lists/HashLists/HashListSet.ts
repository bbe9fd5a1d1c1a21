import { Option } from "effect"
import * as RetryAfter from "../../Layers/Outbound/RetryAfter.ts"
import type { EarlierList, FailedList, ListOutcome, UpdatedList } from "../ListWorker/Messages.ts"
import * as ListSchedule from "../RefreshedList/ListSchedule.ts"
import * as HashList from "./HashList.ts"
import * as Refusal from "./Refusal.ts"

/** Google's answer about a list. Times are milliseconds since 1970. */
export interface ListContent {
  /** Opaque, in base64. Empty: the next request must be for the whole list. */
  readonly version: string
  /** SHA-256 of the list's bytes, in hexadecimal. */
  readonly checksum: string
  /** When Google last answered with this list, or that it has not changed. */
  readonly fetchedAt: number
  /** How long Google asked to send no request. 0: it had more to send. */
  readonly waitMillis: number
  /** The same object until other bytes come. */
  readonly list: HashList.HashList
}

/** Why the last update of a list failed. */
export interface ListFailure {
  /** A `ListErrorReason`, or that of another build. */
  readonly reason: string
  /** Contains no key and nothing of a response. */
  readonly detail?: string | undefined
  /** Milliseconds since 1970. */
  readonly at: number
}

/** `Safe Browsing refuses REPUTATION_API_KEY (403)`, or `Status (503)`. */
export const messageOf = ({ reason, detail }: Omit<ListFailure, "at">): string => {
  if (reason === "KeyRefused" || reason === "RequestRefused") return Refusal.message(reason, detail ?? "")
  return detail === undefined ? reason : `${reason} (${detail})`
}

export interface ScheduledList {
  readonly name: string
  /** No request before this time, in milliseconds since 1970. */
  readonly dueAt: number
  /** Absent until the first update has succeeded. */
  readonly content?: ListContent | undefined
  /** Absent after a success. */
  readonly lastError?: ListFailure | undefined
}

/** All local lists of one moment. Never modified: an update makes another set. */
export interface HashListSet {
  readonly lists: ReadonlyArray<ScheduledList>
  /** Updates in a row in which a list failed. */
  readonly failures: number
  /** When Google last answered with any list; 0 without a list. */
  readonly answeredAt: number
}

export const make = (lists: ReadonlyArray<ScheduledList>, failures: number): HashListSet => ({
  lists,
  failures,
  answeredAt: Math.max(0, ...lists.map(({ content }) => content?.fetchedAt ?? 0))
})

/** When the first list is due. */
export const dueAt = ({ lists }: HashListSet): number => Math.min(...lists.map(({ dueAt }) => dueAt))

/** The lists whose last update failed. */
export const ofFailed = ({ failures, lists }: HashListSet): HashListSet =>
  make(
    lists.filter(({ lastError }) => lastError !== undefined),
    failures
  )

/** When a list was last requested, as far as it says; 0 if it never was. */
const attemptedAt = ({ content, lastError }: ScheduledList): number =>
  Math.max(content?.fetchedAt ?? 0, lastError?.at ?? 0)

/**
 * The set at a start: the stored lists that are configured. Those that are not stored are due at once, also against Google's
 * rule to wait for up to a minute: nothing is protected meanwhile. Stored ones that are overdue wait for a `random` part of a
 * minute.
 */
export const atStart = (
  stored: Option.Option<HashListSet>,
  names: ReadonlyArray<string>,
  now: number,
  random: number
): HashListSet => {
  const { failures, lists } = Option.getOrElse(stored, () => make([], 0))
  return make(
    names.map((name) => {
      const list = lists.find((list) => list.name === name) ?? { name, dueAt: now }
      const overdue = list.content === undefined ? 0 : random
      return { ...list, dueAt: ListSchedule.dueAfterRestart(list.dueAt, attemptedAt(list), now, overdue) }
    }),
    failures
  )
}

/** Without back-off, as with another key: a list that failed is due, as it was before. */
export const withoutFailures = ({ lists }: HashListSet): HashListSet =>
  make(
    lists.map(({ lastError, ...list }) => (lastError === undefined ? list : { ...list, dueAt: 0 })),
    0
  )

/** With no request before this time. */
export const notBefore = ({ failures, lists }: HashListSet, time: number): HashListSet =>
  make(
    lists.map((list) => ({ ...list, dueAt: Math.max(list.dueAt, time) })),
    failures
  )

/**
 * The lists to request at `now`: all that are due within a minute, at least one, and those that were last requested in the
 * future: the clock was set back, and their time could be years away.
 */
export const toRequest = (set: HashListSet, now: number): ReadonlyArray<EarlierList> =>
  set.lists
    .filter(
      (list) =>
        ListSchedule.isInRequest(list.dueAt, dueAt(set), now) ||
        ListSchedule.isImpossible(attemptedAt(list), now)
    )
    .map(({ content, name }) => {
      const earlier = content?.version === "" ? undefined : content
      return { name, version: earlier?.version, bytes: earlier?.list.bytes }
    })

const afterUpdate = (list: ScheduledList, outcome: UpdatedList, now: number): ScheduledList => {
  const { bytes, checksum, version, waitMillis } = outcome
  const unchanged = list.content?.list ?? HashList.empty(HashList.widthOf(list.name) ?? 4)
  return {
    name: list.name,
    content: {
      list: bytes === undefined ? unchanged : { width: unchanged.width, bytes },
      version,
      checksum,
      fetchedAt: now,
      waitMillis
    },
    dueAt: now + ListSchedule.requestedWait(waitMillis)
  }
}

/** Whether Google refuses the list by its name, or by its version, although it answers. */
const isRefused = ({ lastError }: ScheduledList): boolean =>
  lastError !== undefined && Refusal.isOfOneList(lastError)

/** Keeps its content. A list whose version Google may refuse, or whose bytes are wrong, is requested as a whole next. */
const afterFailure = (
  list: ScheduledList,
  { detail, reason }: FailedList,
  now: number,
  backoff: number
): ScheduledList => {
  const isRefusal = Refusal.isOfOneList({ detail, reason })
  // Refused as a whole, so for its name: it is left out for a day, so that the others keep their times.
  const isOfName = isRefusal && (list.content === undefined || list.content.version === "")
  return {
    ...list,
    dueAt: now + (isOfName ? ListSchedule.MAX_BACKOFF_MS : backoff),
    content:
      list.content !== undefined && (reason === "ChecksumMismatch" || isRefusal)
        ? { ...list.content, version: "" }
        : list.content,
    lastError: { reason, detail, at: now }
  }
}

/**
 * The set after an update at `now`. There is one back-off, by a `random` number from 0 to 1: it holds for the lists that
 * failed, and for all if the request failed. A list without an outcome keeps its content.
 */
export const afterOutcomes = (
  set: HashListSet,
  outcomes: ReadonlyArray<ListOutcome>,
  now: number,
  random: number
): HashListSet => {
  const failed = outcomes.filter((outcome) => outcome._tag === "Failed")
  const isRequestFailed =
    outcomes.length > 0 && outcomes.every((outcome) => outcome._tag === "Failed" && Refusal.isOutage(outcome))
  const failures = set.failures + (failed.length > 0 ? 1 : 0)
  const backoff = Math.max(
    0,
    ...failed.map(({ retryAfter }) =>
      ListSchedule.backoff(failures, RetryAfter.parse(retryAfter, now), random)
    )
  )
  const lists = set.lists.map((list) => {
    const outcome = outcomes.find(({ name }) => name === list.name)
    if (outcome?._tag === "Updated") return afterUpdate(list, outcome, now)
    if (outcome?._tag === "Failed") return afterFailure(list, outcome, now, backoff)
    return isRequestFailed ? { ...list, dueAt: Math.max(list.dueAt, now + backoff) } : list
  })
  const isBackedOff = lists.some((list) => list.lastError !== undefined && !isRefused(list))
  return make(lists, isBackedOff ? failures : 0)
}

const ageOfList = ({ content }: ScheduledList, now: number): ListSchedule.Age =>
  content === undefined ? "unusable" : ListSchedule.ageOf(content.fetchedAt, content.waitMillis, now)

/** The age of several lists together: see `ListsAge`. */
export const ageOf = (lists: ReadonlyArray<ScheduledList>, now: number): ListSchedule.Age => {
  const served = lists.filter((list) => !isRefused(list))
  const isOneRefused = served.length > 0 && served.length < lists.length
  const ages = new Set((isOneRefused ? served : lists).map((list) => ageOfList(list, now)))
  if (ages.size === 0 || ages.has("unusable")) return "unusable"
  return isOneRefused || ages.has("stale") ? "stale" : "fresh"
}
