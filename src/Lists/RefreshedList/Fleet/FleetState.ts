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
        /** The body of this list in the store. Undefined: the list is not from there, and not stored for the others. */
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
}>
export const Action = Data.taggedEnum<Action>()

export type Event = Data.TaggedEnum<{
  ManifestRead: { readonly remote: RemoteState }
  /** `isWhole`: no piece of the list's body was missing. */
  ManifestApplied: { readonly remote: RemoteState; readonly isWhole: boolean }
  /** Another replica has the lease, or took it meanwhile; then the refresh was interrupted. */
  NoLease: {}
  /** The database does not answer. */
  DatabaseDown: {}
  Refreshed: {
    readonly failures: number
    /** How long to send no request to the feed. */
    readonly waitMillis: number
    /** Of the list in use from now on; undefined: the same list with the same times. */
    readonly answeredAt: number | undefined
    /** The manifest that this replica wrote. Undefined: it wrote none, or could not. */
    readonly published: RemoteState | undefined
  }
}>
export const Event = Data.taggedEnum<Event>()

/** When something happened, with a random number from 0 to 1. */
export interface Moment extends ListSchedule.Moment {
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
    fallbackAt: undefined
  },
  action: Action.ReadManifest({ at: millis })
})

/** What a replica knows if the date has jumped from one moment to the other. */
export const afterJump = (state: FleetState, before: Moment, now: Moment): FleetState => ({
  ...state,
  refreshAt: Math.max(ListSchedule.dueAfterJump(state.refreshAt, before, now), state.minRefreshAt)
})

/**
 * What a replica knows after an event, and what it does next. `refresh` is the feed's refresh interval.
 *
 * A replica follows every new manifest, unless its own list (from the data directory, or fetched while the database was away)
 * is newer than that of the manifest. It shares such a list with its next refresh.
 */
export const next = (state: FleetState, event: Event, refresh: Duration.Duration, now: Moment): Step => {
  const after = (wait: Duration.Duration) => now.millis + Math.ceil(Duration.toMillis(wait))
  const nextRead = after(ListSchedule.manifestPollDelay(refresh, now.random))

  /** The next action when nothing new has to be loaded. */
  const proceed = (state: FleetState): Step => ({
    state,
    action:
      now.millis >= state.refreshAt
        ? Action.RefreshForAll()
        : Action.ReadManifest({ at: Math.min(nextRead, state.refreshAt) })
  })

  switch (event._tag) {
    case "ManifestRead": {
      const { remote } = event
      if (remote.text === state.seen?.text && state.seen !== undefined) return proceed(state)
      // The others may not have our list any more: the database has lost its data, or another replica has published an older one.
      if (remote.manifest === undefined || isNewer(state, remote.manifest, now.date))
        return proceed({ ...state, seen: remote, list: state.list && { ...state.list, body: undefined } })
      return { state, action: Action.ApplyManifest({ remote, load: mustLoad(state.list, remote.manifest) }) }
    }

    case "ManifestApplied": {
      const { remote, isWhole } = event
      const planned = withPlanOf({ ...state, seen: remote }, refresh, now)
      if (isWhole) return proceed({ ...planned, list: remote.manifest?.list ?? planned.list })
      // A replica without a list does not wait until another one stores it anew.
      const refreshAt =
        planned.list === undefined ? Math.max(now.millis, planned.minRefreshAt) : planned.refreshAt
      return proceed({ ...planned, refreshAt })
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
      const { answeredAt, failures, published, waitMillis } = event
      const refreshAt = now.millis + Math.ceil(waitMillis)
      const unshared = answeredAt === undefined ? state.list : { answeredAt, body: undefined }
      return proceed({
        list: published?.manifest?.list ?? unshared,
        seen: published ?? state.seen,
        failures,
        refreshAt,
        minRefreshAt: published === undefined && answeredAt === undefined ? refreshAt : 0,
        fallbackAt: undefined
      })
    }
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

/** Whether our list is of a later response than the others'. */
const isNewer = ({ list }: FleetState, manifest: Manifest, date: number): boolean =>
  list !== undefined &&
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
