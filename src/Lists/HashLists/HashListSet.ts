import { Option } from "effect"
import * as RetryAfter from "../../Layers/Outbound/RetryAfter.ts"
import type { FeedError } from "../ThreatFeed/FeedError.ts"
import * as FeedSchedule from "../ThreatFeed/FeedSchedule.ts"
import type { HashWidth } from "./HashList.ts"
import type { HashListErrorReason } from "./HashListError.ts"
import * as ListName from "./ListName.ts"
import * as ListSchedule from "./ListSchedule.ts"
import * as Refusal from "./Refusal.ts"
import type { EarlierList, UnchangedList, UpdatedList } from "./UpdateMessages.ts"

/** Google's answer about a list. Times are milliseconds since 1970. */
export interface Confirmation {
  /** Opaque, in base64. */
  readonly version: string
  /** SHA-256 of the list's bytes, in hexadecimal. */
  readonly checksum: string
  /** When Google last answered with this list, or that it has not changed. */
  readonly fetchedAt: number
  /** How long Google asked to send no request. 0: it had more to send. */
  readonly waitMillis: number
}

export interface ListContent extends Confirmation {
  /** The same object until other bytes come. */
  readonly list: { readonly width: HashWidth; readonly bytes: Uint8Array<ArrayBuffer> }
}

/** `FeedError` says why the worker thread has no answer. */
export type ListErrorReason = HashListErrorReason | FeedError["reason"]

export interface ListError {
  readonly reason: ListErrorReason
  /** Contains no key and nothing of a response. */
  readonly detail?: string | undefined
  /** Milliseconds since 1970. */
  readonly at: number
}

/** `Safe Browsing refuses REPUTATION_API_KEY (403)`, or `Status (503)`. */
export const messageOf = ({ reason, detail }: Omit<ListError, "at">): string => {
  if (reason === "KeyRefused" || reason === "RequestRefused") return Refusal.message(reason, detail ?? "")
  return detail === undefined ? reason : `${reason} (${detail})`
}

/** When a list is requested, and how. */
export interface Schedule {
  /** No request before this time, in milliseconds since 1970. */
  readonly dueAt: number
  /** Updates in a row that failed. */
  readonly failures: number
  /** Answers in a row that asked for another request at once. */
  readonly rounds: number
  /** The next request must be for the whole list. */
  readonly needsFull: boolean
  /** Why the last update failed; absent after a success. */
  readonly lastError?: ListError | undefined
}

export interface ScheduledList extends Schedule {
  readonly name: string
  /** Absent until the first update has succeeded. */
  readonly content?: ListContent | undefined
}

/** All local lists of one moment. Never modified: an update makes another set. */
export interface HashListSet {
  readonly lists: ReadonlyArray<ScheduledList>
  /** When Google last answered with any list; 0 without a list. Identifies the set. */
  readonly answeredAt: number
}

export const make = (lists: ReadonlyArray<ScheduledList>): HashListSet => ({
  lists,
  answeredAt: Math.max(0, ...lists.map(({ content }) => content?.fetchedAt ?? 0))
})

export const hasList = ({ answeredAt }: HashListSet): boolean => answeredAt > 0

/** When the first list is due. */
export const dueAt = ({ lists }: HashListSet): number => Math.min(...lists.map(({ dueAt }) => dueAt))

export const hasSameBytes = (one: HashListSet, other: HashListSet): boolean =>
  one.lists.length === other.lists.length &&
  one.lists.every(({ name, content }, index) => {
    const their = other.lists[index]
    return name === their?.name && content?.list === their.content?.list
  })

/** When a list was last requested, as far as it says; 0 if it never was. */
const attemptedAt = ({ content, lastError }: ScheduledList): number =>
  Math.max(content?.fetchedAt ?? 0, lastError?.at ?? 0)

const newList = (name: string, now: number): ScheduledList => ({
  name,
  dueAt: now,
  failures: 0,
  rounds: 0,
  needsFull: false
})

/**
 * The set at a start: the stored lists that are configured. Those that are not stored are due at once, also against the rule
 * of https://developers.google.com/safe-browsing/v4/request-frequency to wait for up to a minute: nothing is protected
 * meanwhile. Stored ones that are overdue wait for a `random` part of a minute.
 */
export const atStart = (
  stored: Option.Option<HashListSet>,
  names: ReadonlyArray<string>,
  now: number,
  random: number
): HashListSet => {
  const lists = Option.match(stored, { onNone: () => [], onSome: ({ lists }) => lists })
  return make(
    names.map((name) => {
      const list = lists.find((list) => list.name === name) ?? newList(name, now)
      const overdue = list.content === undefined ? 0 : random
      return { ...list, dueAt: ListSchedule.afterRestart(list.dueAt, attemptedAt(list), now, overdue) }
    })
  )
}

/** Without back-off, as with another key: a list that failed is due when it was before. */
export const withoutFailures = ({ lists }: HashListSet): HashListSet =>
  make(
    lists.map((list) =>
      list.failures === 0
        ? list
        : {
            ...list,
            dueAt: list.content === undefined ? 0 : list.content.fetchedAt + list.content.waitMillis,
            failures: 0,
            lastError: undefined
          }
    )
  )

/** With no request before this time. */
export const notBefore = ({ lists }: HashListSet, time: number): HashListSet =>
  make(lists.map((list) => ({ ...list, dueAt: Math.max(list.dueAt, time) })))

/**
 * The lists to request at `now`: all that are due within a minute, at least one, and those that were last requested in the
 * future: the clock was set back, and their time could be years away. One whose last update failed is requested alone.
 */
export const toRequest = (set: HashListSet, now: number): ReadonlyArray<EarlierList> =>
  set.lists
    .filter(
      (list) =>
        ListSchedule.isInUpdate(list.dueAt, dueAt(set), now) ||
        FeedSchedule.isImpossible(attemptedAt(list), now)
    )
    .map(({ content, failures, name, needsFull }) => {
      const earlier = needsFull || content?.version === "" ? undefined : content
      return { name, version: earlier?.version, bytes: earlier?.list.bytes, isAlone: failures > 0 }
    })

/** The outcome for one list, also when the worker thread has none. */
export type Outcome = UpdatedList | (Omit<UnchangedList, "reason"> & { readonly reason: ListErrorReason })

const afterUpdate = (list: ScheduledList, outcome: UpdatedList, now: number): ScheduledList => {
  const { bytes, checksum, version, waitMillis } = outcome
  const { rounds, wait } = ListSchedule.afterAnswer(waitMillis, list.rounds)
  const unchanged = list.content?.list ?? { width: ListName.widthOf(list.name) ?? 4, bytes: new Uint8Array() }
  return {
    name: list.name,
    content: {
      list: bytes === undefined ? unchanged : { width: unchanged.width, bytes },
      version,
      checksum,
      fetchedAt: now,
      waitMillis
    },
    dueAt: now + wait,
    failures: 0,
    rounds,
    needsFull: false
  }
}

const NOT_FOUND = "404"

/** A list that is refused when it is requested alone is refused for its name, while others are served. */
const isRefused = ({ lastError }: ScheduledList): boolean =>
  lastError !== undefined &&
  (lastError.reason === "RequestRefused" || (lastError.reason === "Status" && lastError.detail === NOT_FOUND))

/**
 * The set after an update at `now`. A list without an outcome stays as it is; one whose update failed keeps its content and
 * waits. One that is refused and fails again may be refused for its version: the whole list is requested next. Lists that fail
 * together are due together again: `random`, from 0 to 1, is that of the update.
 */
export const afterOutcomes = (
  set: HashListSet,
  outcomes: ReadonlyArray<Outcome>,
  now: number,
  random: number
): HashListSet =>
  make(
    set.lists.map((list) => {
      const outcome = outcomes.find(({ name }) => name === list.name)
      if (outcome === undefined) return list
      if (outcome._tag === "Updated") return afterUpdate(list, outcome, now)
      const { detail, reason } = outcome
      const failures = list.failures + 1
      const retryAfter = RetryAfter.parse(outcome.retryAfter, now)
      return {
        ...list,
        dueAt: now + ListSchedule.afterFailure(failures, retryAfter, random),
        failures,
        rounds: 0,
        needsFull: list.needsFull || outcome.needsFull || isRefused(list),
        lastError: { reason, detail, at: now }
      }
    })
  )

const ageOfList = ({ content }: ScheduledList, now: number): ListSchedule.Age =>
  content === undefined ? "unusable" : ListSchedule.ageOf(content.fetchedAt, content.waitMillis, now)

/** The age of several lists together: see `ListsAge`. */
export const ageOf = (lists: ReadonlyArray<ScheduledList>, now: number): ListSchedule.Age => {
  const served = lists.filter((list) => !isRefused(list))
  const isOneRefused = served.length > 0 && served.length < lists.length
  const ages = (isOneRefused ? served : lists).map((list) => ageOfList(list, now))
  return ListSchedule.oldest(isOneRefused ? [...ages, "stale"] : ages)
}

/** A list as another replica has it: without its bytes. */
export interface DescribedList extends Schedule {
  readonly name: string
  readonly content?: Confirmation | undefined
}

/**
 * Our set with the schedule and the lists of another replica: `described` by it, with the bytes of `loaded` or our own. A list
 * whose bytes are in neither, or that it does not describe, stays as it is.
 */
export const follow = (
  own: HashListSet,
  described: ReadonlyArray<DescribedList>,
  loaded: Option.Option<HashListSet>
): HashListSet =>
  make(
    own.lists.map((list) => {
      const their = described.find(({ name }) => name === list.name)
      if (their === undefined) return list
      if (their.content === undefined) return { ...their, content: list.content }
      const { checksum } = their.content
      const bytes = [own, ...Option.toArray(loaded)]
        .flatMap(({ lists }) => lists)
        .find(({ content, name }) => name === list.name && content?.checksum === checksum)?.content?.list
      return bytes === undefined ? list : { ...their, content: { ...their.content, list: bytes } }
    })
  )
