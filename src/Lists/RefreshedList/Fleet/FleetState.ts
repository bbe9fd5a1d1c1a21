import { Data, Duration, Option } from "effect"
import type { StoredBody } from "../../SharedStore.ts"
import * as ListSchedule from "../ListSchedule.ts"
import type { Manifest, RemoteState } from "./SharedSnapshot.ts"

/** How often a replica without a list reads the manifest while another replica refreshes. */
const RETRY_WITHOUT_LIST_MS = Duration.toMillis(Duration.seconds(5))

/** What a replica knows about a feed. Times without "date" are whole milliseconds of a clock that only goes forward. */
export interface FleetState {
  /** The list in use. */
  readonly list:
    | {
        /** The date of the feed's last response. */
        readonly answeredAt: number
        /** The body of the same list in the store, if known. */
        readonly body: StoredBody | undefined
      }
    | undefined
  /** The last manifest that was handled. Undefined: none yet. */
  readonly seen: RemoteState | undefined
  /** How many refreshes in a row have failed. */
  readonly failures: number
  /** When the feed is due. */
  readonly refreshAt: number
  /**
   * No refresh before this time, even if a manifest says earlier: this replica's last request failed, and the others do not
   * know how long to wait, because the outcome could not be published.
   */
  readonly minRefreshAt: number
  /** When to refresh for this replica alone. Set while a refresh is due and the database does not answer. */
  readonly fallbackAt: number | undefined
  /** Set while the list in use still has to be published; next try at `retryAt`. `failures`: tries that failed. */
  readonly unpublished: { readonly retryAt: number; readonly failures: number } | undefined
}

export type Action = Data.TaggedEnum<{
  /** Wait until then, and read the manifest. */
  ReadManifest: { readonly at: number }
  /** Use the schedule and the times of a manifest. `load`: its list too, because the list in use is another one. */
  ApplyManifest: { readonly remote: RemoteState; readonly load: boolean }
  /** Under the lease and if the manifest is still the seen one: refresh, and publish the outcome. */
  RefreshForAll: {}
  /** Refresh without the lease, and publish nothing. */
  RefreshAlone: {}
  /** Under the lease and if the manifest is still the seen one: publish the list in use. */
  Publish: {}
}>
export const Action = Data.taggedEnum<Action>()

/** The published manifest. `None`: nothing was published, on purpose. */
export type Publication = RemoteState | "Failed" | "None"

export type Event = Data.TaggedEnum<{
  ManifestRead: { readonly remote: RemoteState }
  /** `isWhole`: no piece of the list's body was missing. */
  ManifestApplied: { readonly remote: RemoteState; readonly isWhole: boolean }
  /** Another replica has the lease, or took it meanwhile; then the refresh or the publishing was interrupted. */
  NoLease: {}
  /** The database does not answer. */
  DatabaseDown: {}
  Refreshed: {
    readonly failures: number
    /** How long to send no request to the feed. */
    readonly waitMillis: number
    /** Of the list in use from now on; undefined: the same list with the same times. */
    readonly answeredAt: number | undefined
    readonly isSameList: boolean
    readonly publication: Publication
  }
  Published: { readonly publication: Publication }
}>
export const Event = Data.taggedEnum<Event>()

/** When something happened: by a clock that only goes forward, by the date, and with a random number from 0 to 1. */
export interface Moment {
  readonly millis: number
  /** Milliseconds since 1970. */
  readonly date: number
  readonly random: number
}

export interface Step {
  readonly state: FleetState
  readonly action: Action
}

/** The first step, with a list from the data directory if there is one. */
export const start = (
  answeredAt: number | undefined,
  untilFirstMillis: number,
  { millis }: Moment
): Step => ({
  state: {
    list: answeredAt === undefined ? undefined : { answeredAt, body: undefined },
    seen: undefined,
    failures: 0,
    refreshAt: millis + Math.ceil(untilFirstMillis),
    minRefreshAt: 0,
    fallbackAt: undefined,
    unpublished: answeredAt === undefined ? undefined : notTried
  },
  action: Action.ReadManifest({ at: millis })
})

/**
 * What a replica knows after an event, and what it does next. `refresh` is the feed's refresh interval.
 *
 * A replica whose list is published follows every new manifest. An unpublished list (from the data directory, or fetched while
 * the database was away) is published if the feed answered with it later than with the list of the manifest.
 */
export const next = (state: FleetState, event: Event, refresh: Duration.Duration, now: Moment): Step => {
  const after = (wait: Duration.Duration) => now.millis + Math.ceil(Duration.toMillis(wait))
  const nextRead = after(ListSchedule.manifestPollDelay(refresh, now.random))

  /** The next action when nothing new has to be loaded. */
  const proceed = (state: FleetState): Step => {
    if (now.millis >= state.refreshAt) return { state, action: Action.RefreshForAll() }
    const publishAt = state.unpublished?.retryAt ?? Number.POSITIVE_INFINITY
    if (now.millis >= publishAt) return { state, action: Action.Publish() }
    return { state, action: Action.ReadManifest({ at: Math.min(nextRead, state.refreshAt, publishAt) }) }
  }

  switch (event._tag) {
    case "ManifestRead": {
      const { remote } = event
      if (remote.text === state.seen?.text && state.seen !== undefined) return proceed(state)
      if (remote.manifest === undefined || isNewer(state, remote.manifest, now.date))
        return proceed(withUnpublishedList({ ...state, seen: remote }))
      return { state, action: Action.ApplyManifest({ remote, load: mustLoad(state.list, remote.manifest) }) }
    }

    case "ManifestApplied": {
      const { remote, isWhole } = event
      const planned = withPlanOf({ ...state, seen: remote }, refresh, now)
      const list = remote.manifest?.list
      if (list === undefined) return proceed(withUnpublishedList(planned))
      if (isWhole) {
        const { answeredAt, body } = list
        return proceed({ ...planned, list: { answeredAt, body }, unpublished: undefined })
      }
      // A replica without a list does not wait until another one stores it anew.
      const refreshAt =
        planned.list === undefined ? Math.max(now.millis, planned.minRefreshAt) : planned.refreshAt
      return proceed({ ...planned, unpublished: undefined, refreshAt })
    }

    case "NoLease": {
      const soon = now.millis + RETRY_WITHOUT_LIST_MS
      return {
        state,
        action: Action.ReadManifest({ at: state.list === undefined ? Math.min(soon, nextRead) : nextRead })
      }
    }

    case "DatabaseDown": {
      if (now.millis < state.refreshAt) return { state, action: Action.ReadManifest({ at: nextRead }) }
      const wait = ListSchedule.beforeFallback(refresh, state.list !== undefined, now.random)
      const fallbackAt = state.fallbackAt ?? after(wait)
      return now.millis < fallbackAt
        ? {
            state: { ...state, fallbackAt },
            action: Action.ReadManifest({ at: Math.min(nextRead, fallbackAt) })
          }
        : { state: { ...state, fallbackAt: undefined }, action: Action.RefreshAlone() }
    }

    case "Refreshed": {
      const { answeredAt, failures, isSameList, publication, waitMillis } = event
      const refreshAt = now.millis + Math.ceil(waitMillis)
      const isUnknown = typeof publication === "string" && answeredAt === undefined
      const refreshed: FleetState = {
        ...state,
        failures,
        refreshAt,
        minRefreshAt: isUnknown ? refreshAt : 0,
        fallbackAt: undefined
      }
      const list = answeredAt !== undefined && { answeredAt, body: isSameList ? state.list?.body : undefined }
      const withList = list ? withUnpublishedList({ ...refreshed, list }) : refreshed
      return proceed(afterPublication(withList, publication, refresh, now))
    }

    case "Published":
      return proceed(afterPublication(state, event.publication, refresh, now))
  }
}

/**
 * The date of the next refresh as this replica expects it; None during a refresh of its own. If a refresh is due and another
 * replica has the lease, it is the date at which this replica looks again.
 */
export const nextAttemptAt = ({ action, state }: Step, { date, millis }: Moment): Option.Option<number> => {
  if (action._tag === "RefreshForAll" || action._tag === "RefreshAlone") return Option.none()
  const readAt = action._tag === "ReadManifest" ? action.at : millis
  return Option.some(date + Math.max(readAt, state.fallbackAt ?? state.refreshAt) - millis)
}

/**
 * Whether our outcome must be dropped because another replica published meanwhile, after our lease expired unnoticed. A
 * fetched list is dropped only for another list, an error for any manifest.
 */
export const isOvertaken = (
  seen: RemoteState | undefined,
  remote: RemoteState,
  hasFetched: boolean
): boolean =>
  remote.text !== seen?.text &&
  (hasFetched
    ? remote.manifest?.list !== undefined &&
      remote.manifest.list.answeredAt !== seen?.manifest?.list?.answeredAt
    : remote.manifest !== undefined)

const notTried = { retryAt: 0, failures: 0 }

/** Marks the list in use, if there is one, as not published. */
const withUnpublishedList = (state: FleetState): FleetState => ({
  ...state,
  unpublished: state.list && (state.unpublished ?? notTried)
})

const isNewer = ({ list, unpublished }: FleetState, manifest: Manifest, date: number): boolean =>
  list !== undefined &&
  unpublished !== undefined &&
  manifest.list !== undefined &&
  list.answeredAt > manifest.list.answeredAt &&
  !ListSchedule.isImpossible(list.answeredAt, date)

/** Two lists of the same response of the feed are the same list, whichever replica stored it. */
const mustLoad = (list: FleetState["list"], manifest: Manifest): boolean =>
  manifest.list !== undefined &&
  list?.body?.id !== manifest.list.body.id &&
  list?.answeredAt !== manifest.list.answeredAt

/** The state with the schedule of its last handled manifest. */
const withPlanOf = (state: FleetState, refresh: Duration.Duration, { millis, date }: Moment): FleetState => {
  const manifest = state.seen?.manifest
  if (manifest === undefined) return state
  const { failures, lastError, list, nextAt } = manifest
  const requestedAt = Math.max(list?.answeredAt ?? 0, lastError?.at ?? 0)
  const wait = Math.ceil(Duration.toMillis(ListSchedule.untilAttempt({ requestedAt, nextAt }, refresh, date)))
  return {
    ...state,
    failures,
    refreshAt: Math.max(millis + wait, state.minRefreshAt),
    fallbackAt: undefined
  }
}

const afterPublication = (
  state: FleetState,
  publication: Publication,
  refresh: Duration.Duration,
  { millis, random }: Moment
): FleetState => {
  if (publication === "None") return state
  if (publication === "Failed") {
    const failures = (state.unpublished?.failures ?? 0) + 1
    const wait = ListSchedule.afterFailure(failures, refresh, Option.none(), random)
    return {
      ...state,
      unpublished: state.unpublished && { failures, retryAt: millis + Math.ceil(Duration.toMillis(wait)) }
    }
  }
  const body = publication.manifest?.list?.body
  return { ...state, list: state.list && { ...state.list, body }, seen: publication, unpublished: undefined }
}
