import type { FileSystem, Path } from "@effect/platform"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { AppConfig, type ReputationConfig, type ReputationMode } from "../Layers/AppConfig.ts"
import * as HashList from "./HashLists/HashList.ts"
import * as SetSnapshot from "./HashLists/HashListSet/SetSnapshot.ts"
import * as SetState from "./HashLists/HashListSet/SetState.ts"
import * as SetView from "./HashLists/HashListSet/SetView.ts"
import * as HashListSet from "./HashLists/HashListSet.ts"
import * as ListName from "./HashLists/ListName.ts"
import * as ListSchedule from "./HashLists/ListSchedule.ts"
import * as ListUpdates from "./HashLists/ListUpdates.ts"
import { SharedStore } from "./SharedStore.ts"
import type { LastError } from "./ThreatFeed/FeedState.ts"
import type { FeedWorker } from "./ThreatFeed/FeedWorker.ts"
import * as FeedManifest from "./ThreatFeed/Fleet/FeedManifest.ts"
import * as Fleet from "./ThreatFeed/Fleet.ts"
import * as SingleReplica from "./ThreatFeed/SingleReplica.ts"

/**
 * What the threat lists together can say about a hash that none of them has.
 *
 * - `fresh`: each is younger than twice its wait.
 * - `stale`: one is older, none is older than 24 hours; or Google refuses one by its name, and the others are there.
 * - `unusable`: one is older than 24 hours or is missing.
 */
export type ListsAge = ListSchedule.Age

export type LocalLists = SetView.LocalLists

/** What `/health/ready` and the metrics show of a list. Times are milliseconds since 1970. */
export interface HashListStatus {
  readonly name: string
  readonly entries: number
  /** When Google last answered for this list; undefined without a list. */
  readonly fetchedAt: number | undefined
  readonly isStale: boolean
  /** Not before this time. */
  readonly nextUpdateAt: number
  readonly lastError: Option.Option<LastError>
}

/** The local lists of Safe Browsing, which update themselves. No member waits for anything. */
export interface HashListsShape {
  /** The procedure of lookups: the configured one, or `no-storage` where no list can be used, as in a run of the command. */
  readonly mode: ReputationMode
  /** At a time in milliseconds since 1970. */
  readonly current: (now: number) => LocalLists
  readonly status: Effect.Effect<ReadonlyArray<HashListStatus>>
  /** Why a restart would start without these lists. */
  readonly saveError: Effect.Effect<Option.Option<LastError>>
}

export const noLists: LocalLists = { age: "unusable", hasThreat: () => false, isLikelySafe: () => false }

const statusOf = (list: HashListSet.ScheduledList, now: number): HashListStatus => {
  const { content, dueAt, lastError, name } = list
  return {
    name,
    entries: content === undefined ? 0 : HashList.size(content.list),
    fetchedAt: content?.fetchedAt,
    isStale: content !== undefined && HashListSet.ageOf([list], now) !== "fresh",
    nextUpdateAt: dueAt,
    lastError: Option.map(Option.fromNullable(lastError), (error) => ({
      message: HashListSet.messageOf(error),
      at: error.at
    }))
  }
}

const fromState = (mode: ReputationMode, state: SetState.SetState): HashListsShape => {
  const view = SetView.make()
  return {
    mode,
    current: (now) => view(state.get(), now),
    status: Effect.map(Clock.currentTimeMillis, (now) =>
      state.get().lists.map((list) => statusOf(list, now))
    ),
    saveError: Effect.sync(state.saveError)
  }
}

const withoutLists: HashListsShape = {
  mode: "no-storage",
  current: () => noLists,
  status: Effect.succeed([]),
  saveError: Effect.succeedNone
}

const namesOf = ({ lists, mode }: ReputationConfig): ReadonlyArray<string> =>
  mode === "real-time" ? [...lists, ListName.GLOBAL_CACHE] : lists

/** For the log of what lists of feeds have in common with these. */
const SOURCE = { source: "Safe Browsing" }

/** The lists as a background loop updates them and a fleet shares them. */
const replica = (
  config: ReputationConfig,
  state: SetState.SetState,
  update: Effect.Effect<ListUpdates.UpdateOutcome, never, FeedWorker>
) =>
  ({
    name: "hash_lists",
    shared: {
      name: `hash-lists:${FeedManifest.VERSION}:${SetSnapshot.FORMAT}:${SetSnapshot.digestOf(config, namesOf(config))}`,
      interval: ListSchedule.USUAL_INTERVAL,
      format: SetSnapshot.format(config),
      times: ({ answeredAt }) => ({ fetchedAt: answeredAt, answeredAt })
    },
    current: () => {
      const set = state.get()
      return {
        snapshot: HashListSet.hasList(set) ? Option.some(set) : Option.none(),
        refreshError: ListUpdates.errorOf(set),
        details: SetSnapshot.descriptionOf(set)
      }
    },
    isSameList: HashListSet.hasSameBytes,
    refresh: () => update,
    settle: ({ set }) => state.settle(set),
    // Each list has a time of its own in its status.
    setNextAttemptAt: () => Effect.void,
    follow: ({ details, list }) => state.follow(details, Option.none(), list === undefined),
    take: (set, { details }) => state.follow(details, Option.some(set), true)
  }) satisfies Fleet.Replica<HashListSet.HashListSet, ListUpdates.UpdateOutcome, FeedWorker>

/** Starts the updates in the background of the scope, by this replica or, with a shared store, by any of the fleet. */
const startUpdates = Effect.fnUntraced(function* (config: ReputationConfig, state: SetState.SetState) {
  const update = yield* ListUpdates.make(config, namesOf(config), state)
  const lists = replica(config, state, update)
  const now = yield* Clock.currentTimeMillis
  const untilFirst = Duration.millis(ListSchedule.untilUpdate(HashListSet.dueAt(state.get()), now))
  yield* Option.match(yield* SharedStore, {
    onNone: () => SingleReplica.fork(lists, untilFirst),
    onSome: (store) => Fleet.fork(lists, store, untilFirst)
  })
})

const stateOf = Effect.fnUntraced(function* (config: ReputationConfig) {
  const { dataDir } = yield* AppConfig
  return yield* SetState.make(config, namesOf(config), dataDir)
})

/** None without REPUTATION_API_KEY. */
export class HashLists extends Context.Tag("app/Checkers/HashLists")<
  HashLists,
  Option.Option<HashListsShape>
>() {
  /**
   * Waits for the data directory to be read, not for Google or the database. After a failed update the lists in use stay. In
   * mode `no-storage` nothing is read, requested or written.
   */
  static readonly layer: Layer.Layer<
    HashLists,
    never,
    AppConfig | FeedWorker | FileSystem.FileSystem | Path.Path | SharedStore
  > = Layer.scoped(
    HashLists,
    Effect.flatMap(AppConfig, ({ reputation }) =>
      Effect.transposeMapOption(
        reputation,
        Effect.fnUntraced(function* (config) {
          if (config.mode === "no-storage") return withoutLists
          const state = yield* stateOf(config)
          yield* startUpdates(config, state)
          return fromState(config.mode, state)
        }, Effect.annotateLogs(SOURCE))
      )
    )
  )

  /**
   * For one run of the command: the lists of the data directory, if all of them are fresh at the start; else mode
   * `no-storage`. Requests and writes nothing.
   */
  static readonly saved: Layer.Layer<HashLists, never, AppConfig | FileSystem.FileSystem | Path.Path> =
    Layer.effect(
      HashLists,
      Effect.flatMap(AppConfig, ({ reputation }) =>
        Effect.transposeMapOption(
          reputation,
          Effect.fnUntraced(function* (config) {
            if (config.mode === "no-storage") return withoutLists
            const state = yield* stateOf(config)
            const now = yield* Clock.currentTimeMillis
            return HashListSet.ageOf(state.get().lists, now) === "fresh"
              ? fromState(config.mode, state)
              : withoutLists
          }, Effect.annotateLogs(SOURCE))
        )
      )
    )
}
