import type { FileSystem } from "@effect/platform"
import { Array as Arrays, Clock, Context, Effect, Layer, Option } from "effect"
import { AppConfig, type ReputationMode } from "../Layers/AppConfig.ts"
import type { ExpressionHash } from "../Url/ExpressionHash.ts"
import * as HashList from "./HashLists/HashList.ts"
import * as HashListSet from "./HashLists/HashListSet.ts"
import type { ListWorker } from "./ListWorker.ts"
import * as RefreshedList from "./RefreshedList.ts"
import { SharedStore } from "./SharedStore.ts"

/**
 * What the threat lists together can say about a hash that none of them has.
 *
 * - `fresh`: younger than twice the wait that Google asked for.
 * - `stale`: older, at most 24 hours; or Google refuses one by its name, and answers for the others.
 * - `unusable`: older than 24 hours, or missing.
 */
export type ListsAge = HashListSet.Age

/** The local lists as one lookup uses them, all of the same moment. */
export interface LocalLists {
  readonly age: ListsAge
  /** Whether a threat list has the hash's prefix. Not a finding: it has to be confirmed. */
  readonly hasThreat: (hash: ExpressionHash) => boolean
  /** Whether the global cache has the whole hash. False unless it and the threat lists are fresh, and in `local-list`. */
  readonly isLikelySafe: (hash: ExpressionHash) => boolean
}

/** The state of a list in `/health/ready` and the metrics. */
export interface HashListStatus extends RefreshedList.ListStatus {
  readonly name: string
  /** Not before this time, in milliseconds since 1970; now while an update runs. */
  readonly nextUpdateAt: number
}

/** The local lists of Safe Browsing, which update themselves. No member waits for anything. */
export interface HashListsShape {
  /** The procedure of lookups: the configured one, or `no-storage` where no list can be used, as in a run of the command. */
  readonly mode: ReputationMode
  /** At a time in milliseconds since 1970. */
  readonly current: (now: number) => LocalLists
  readonly status: Effect.Effect<ReadonlyArray<HashListStatus>>
  /** Why a restart would start without these lists. */
  readonly saveError: Effect.Effect<Option.Option<RefreshedList.LastError>>
}

export const noLists: LocalLists = { age: "unusable", hasThreat: () => false, isLikelySafe: () => false }

const withoutLists: HashListsShape = {
  mode: "no-storage",
  current: () => noLists,
  status: Effect.succeed([]),
  saveError: Effect.succeedNone
}

type State = () => RefreshedList.ListState<HashListSet.HashListSet>

const hasIn =
  (lists: ReadonlyArray<HashListSet.StoredList>) =>
  (hash: ExpressionHash): boolean =>
    lists.some((list) => HashList.contains(list, hash))

/** What the lists of a set know at a time. */
const view = (set: HashListSet.HashListSet, names: ReadonlyArray<string>, now: number): LocalLists => {
  const age = HashListSet.ageOfThreatLists(set, names, now)
  const [threatLists, caches] = Arrays.partition(set.lists, ({ name }) => HashListSet.isCache(name))
  return { age, hasThreat: hasIn(threatLists), isLikelySafe: age === "fresh" ? hasIn(caches) : () => false }
}

const fromState = (mode: ReputationMode, names: ReadonlyArray<string>, state: State): HashListsShape => ({
  mode,
  current: (now) =>
    Option.match(state().snapshot, { onNone: () => noLists, onSome: (set) => view(set, names, now) }),
  status: Effect.map(Clock.currentTimeMillis, (now) => {
    const { lastError, nextAttemptAt, snapshot } = state()
    const set = Option.getOrUndefined(snapshot)
    const isStale = set !== undefined && HashListSet.ageOf(set, now) !== "fresh"
    return names.map((name): HashListStatus => {
      const list = set?.lists.find((list) => list.name === name)
      return {
        name,
        entries: list === undefined ? 0 : HashList.size(list),
        fetchedAt: list && set?.answeredAt,
        isStale: list !== undefined && isStale,
        nextUpdateAt: Option.getOrElse(nextAttemptAt, () => now),
        lastError:
          set !== undefined && list === undefined
            ? Option.some({ message: "Safe Browsing refuses this list", at: set.answeredAt })
            : lastError
      }
    })
  }),
  saveError: Effect.sync(() => state().saveError)
})

/** The lists that `open` yields. In mode `no-storage` nothing is read, requested or written. */
const ifStored = <R>(
  open: (source: HashListSet.Source, dataDir: string) => Effect.Effect<Option.Option<State>, never, R>
) =>
  Effect.flatMap(AppConfig, ({ dataDir, reputation }) =>
    Effect.transposeMapOption(reputation, ({ baseUrl, key, lists, mode }) => {
      const names = mode === "real-time" ? [...lists, HashList.GLOBAL_CACHE] : lists
      const state = mode === "no-storage" ? Effect.succeedNone : open({ baseUrl, key, names }, dataDir)
      return Effect.map(
        state,
        Option.match({ onNone: () => withoutLists, onSome: (state) => fromState(mode, names, state) })
      )
    })
  )

/** None without REPUTATION_API_KEY. */
export class HashLists extends Context.Tag("app/Lists/HashLists")<
  HashLists,
  Option.Option<HashListsShape>
>() {
  /** Waits for the data directory to be read, not for Google or the database. After a failed update the lists in use stay. */
  static readonly layer: Layer.Layer<
    HashLists,
    never,
    AppConfig | ListWorker | FileSystem.FileSystem | SharedStore
  > = Layer.scoped(
    HashLists,
    ifStored(
      Effect.fnUntraced(function* (source, dataDir) {
        const definition = HashListSet.definition(source)
        return Option.some(yield* RefreshedList.start(definition, dataDir, yield* SharedStore))
      })
    )
  )

  /**
   * For one run of the command: the lists of the data directory, if all of them are fresh at the start; else mode
   * `no-storage`. Requests and writes nothing.
   */
  static readonly saved: Layer.Layer<HashLists, never, AppConfig | FileSystem.FileSystem> = Layer.effect(
    HashLists,
    ifStored(
      Effect.fnUntraced(function* (source, dataDir) {
        const { get } = yield* RefreshedList.open(HashListSet.definition(source), dataDir)
        const now = yield* Clock.currentTimeMillis
        const isFresh = Option.exists(
          get().snapshot,
          (set) => HashListSet.ageOfThreatLists(set, source.names, now) === "fresh"
        )
        return isFresh ? Option.some(get) : Option.none()
      })
    )
  )
}
