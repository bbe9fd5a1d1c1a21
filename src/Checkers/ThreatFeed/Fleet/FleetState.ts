import { Data, Duration, Option } from "effect"
import type { StoredBody } from "../../../Layers/SharedStore.ts"
import * as FeedSchedule from "../FeedSchedule.ts"
import type { FeedManifest } from "./FeedManifest.ts"

/** How often a replica without a list looks whether another replica has finished its refresh. */
const RETRY_WITHOUT_LIST_MS = Duration.toMillis(Duration.seconds(5))

/** A manifest as it was read. Two manifests differ if their texts do. Both undefined: there is none. */
export interface RemoteState {
  readonly text: string | undefined
  readonly manifest: FeedManifest | undefined
}

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
  /** The manifest that was followed, or compared with the list in use, last. Undefined: none yet. */
  readonly seen: RemoteState | undefined
  /** How many refreshes in a row have failed. */
  readonly failures: number
  readonly refreshAt: number
  /** Not before, whatever other replicas write: the feed's response to this replica could not be published. */
  readonly minRefreshAt: number
  /** When to refresh for this replica alone; set when a refresh is due and the database is away. */
  readonly aloneAt: number | undefined
  /** The list in use is this replica's own, to be published at `retryAt`. Undefined: it is the fleet's, or there is none. */
  readonly own: { readonly retryAt: number; readonly failures: number } | undefined
}

export type Action = Data.TaggedEnum<{
  /** Wait until then, and read the manifest. */
  Look: { readonly at: number }
  /** Take over what a manifest says; `load`: its list too, which is not the list in use. */
  Follow: { readonly remote: RemoteState; readonly load: boolean }
  /** Under the lease and if the manifest is still the seen one: refresh, and publish the outcome. */
  RefreshForAll: {}
  RefreshAlone: {}
  /** Under the lease and if the manifest is still the seen one: publish the list in use. */
  Publish: {}
}>
export const Action = Data.taggedEnum<Action>()

/** `None`: it was not tried. */
export type Publication = RemoteState | "Failed" | "None"

export type Event = Data.TaggedEnum<{
  Looked: { readonly remote: RemoteState }
  /** `isWhole`: no piece of the list's body was missing. */
  Followed: { readonly remote: RemoteState; readonly isWhole: boolean }
  /** Another replica has the lease, or took it meanwhile. */
  Busy: {}
  /** The database is away, or holds what this version cannot read. */
  Away: {}
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
    aloneAt: undefined,
    own: answeredAt === undefined ? undefined : notPublished
  },
  action: Action.Look({ at: millis })
})

/**
 * What a replica knows after an event, and what it does next. `refresh` is the feed's refresh interval.
 *
 * A replica that uses the fleet's list follows every other manifest. A list of its own (from the data directory, or fetched
 * while the database was away) is published if the feed answered with it later than with the fleet's.
 */
export const next = (state: FleetState, event: Event, refresh: Duration.Duration, now: Moment): Step => {
  const after = (wait: Duration.Duration) => now.millis + Math.ceil(Duration.toMillis(wait))
  const nextLook = after(FeedSchedule.untilLook(refresh, now.random))

  /** For when the database has answered and the manifest is followed or older than the list in use. */
  const proceed = (state: FleetState): Step => {
    if (now.millis >= state.refreshAt) return { state, action: Action.RefreshForAll() }
    const publishAt = state.own?.retryAt ?? Number.POSITIVE_INFINITY
    if (now.millis >= publishAt) return { state, action: Action.Publish() }
    return { state, action: Action.Look({ at: Math.min(nextLook, state.refreshAt, publishAt) }) }
  }

  switch (event._tag) {
    case "Looked": {
      const { remote } = event
      if (remote.text === state.seen?.text && state.seen !== undefined) return proceed(state)
      if (remote.manifest === undefined || isNewer(state, remote.manifest, now.date))
        return proceed(withOwnList({ ...state, seen: remote }))
      return { state, action: Action.Follow({ remote, load: mustLoad(state.list, remote.manifest) }) }
    }

    case "Followed": {
      const { remote, isWhole } = event
      const followed = followPlan({ ...state, seen: remote }, refresh, now)
      const list = remote.manifest?.list
      if (list === undefined) return proceed(withOwnList(followed))
      if (isWhole) {
        const { answeredAt, body } = list
        return proceed({ ...followed, list: { answeredAt, body }, own: undefined })
      }
      // A replica without a list does not wait until another one stores it anew.
      const refreshAt =
        followed.list === undefined ? Math.max(now.millis, followed.minRefreshAt) : followed.refreshAt
      return proceed({ ...followed, own: undefined, refreshAt })
    }

    case "Busy": {
      const soon = now.millis + RETRY_WITHOUT_LIST_MS
      return {
        state,
        action: Action.Look({ at: state.list === undefined ? Math.min(soon, nextLook) : nextLook })
      }
    }

    case "Away": {
      if (now.millis < state.refreshAt) return { state, action: Action.Look({ at: nextLook }) }
      const wait = FeedSchedule.beforeAlone(refresh, state.list !== undefined, now.random)
      const aloneAt = state.aloneAt ?? after(wait)
      return now.millis < aloneAt
        ? { state: { ...state, aloneAt }, action: Action.Look({ at: Math.min(nextLook, aloneAt) }) }
        : { state: { ...state, aloneAt: undefined }, action: Action.RefreshAlone() }
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
        aloneAt: undefined
      }
      const list = answeredAt !== undefined && { answeredAt, body: isSameList ? state.list?.body : undefined }
      const withList = list ? withOwnList({ ...refreshed, list }) : refreshed
      return proceed(afterPublication(withList, publication, refresh, now))
    }

    case "Published":
      return proceed(afterPublication(state, event.publication, refresh, now))
  }
}

/**
 * Whether what another replica wrote during a refresh counts more than its outcome: this replica was paused past its lease.
 * A fetched list counts more than an error.
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

const notPublished = { retryAt: 0, failures: 0 }

/** The list in use, if there is one, has to be published. */
const withOwnList = (state: FleetState): FleetState => ({
  ...state,
  own: state.list && (state.own ?? notPublished)
})

const isNewer = ({ list, own }: FleetState, manifest: FeedManifest, date: number): boolean =>
  list !== undefined &&
  own !== undefined &&
  manifest.list !== undefined &&
  list.answeredAt > manifest.list.answeredAt &&
  !FeedSchedule.isImpossible(list.answeredAt, date)

/** The same response of the feed is the same list, also when another replica stored it. */
const mustLoad = (list: FleetState["list"], manifest: FeedManifest): boolean =>
  manifest.list !== undefined &&
  list?.body?.id !== manifest.list.body.id &&
  list?.answeredAt !== manifest.list.answeredAt

/** The schedule of the replica that sent the last request to the feed. */
const followPlan = (state: FleetState, refresh: Duration.Duration, { millis, date }: Moment): FleetState => {
  const manifest = state.seen?.manifest
  if (manifest === undefined) return state
  const { failures, lastError, list, nextAt } = manifest
  const requestedAt = Math.max(list?.answeredAt ?? 0, lastError?.at ?? 0)
  const wait = Math.ceil(Duration.toMillis(FeedSchedule.untilAttempt({ requestedAt, nextAt }, refresh, date)))
  return {
    ...state,
    failures,
    refreshAt: Math.max(millis + wait, state.minRefreshAt),
    aloneAt: undefined
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
    const failures = (state.own?.failures ?? 0) + 1
    const wait = FeedSchedule.afterFailure(failures, refresh, Option.none(), random)
    return { ...state, own: state.own && { failures, retryAt: millis + Math.ceil(Duration.toMillis(wait)) } }
  }
  const body = publication.manifest?.list?.body
  return { ...state, list: state.list && { ...state.list, body }, seen: publication, own: undefined }
}
