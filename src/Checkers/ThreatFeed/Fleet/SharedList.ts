import { Duration, Effect, Either, Option } from "effect"
import type { FeedSlot } from "../../../Layers/AppConfig.ts"
import { CacheError } from "../../../Layers/Cache/CacheError.ts"
import * as Lease from "../../../Layers/SharedStore/Lease.ts"
import type { SharedStoreShape } from "../../../Layers/SharedStore.ts"
import * as FeedSchedule from "../FeedSchedule.ts"
import type { FeedAddress } from "../FeedSource.ts"
import * as FeedSnapshot from "../Snapshot/FeedSnapshot.ts"
import * as TimeSlices from "../TimeSlices.ts"
import * as FeedManifest from "./FeedManifest.ts"

export interface Feed extends FeedAddress {
  readonly slot: FeedSlot
  readonly refresh: Duration.Duration
}

/** What stands in the database about a feed. */
export interface Standing {
  /** Tells one standing from another. */
  readonly head: Option.Option<string>
  readonly manifest: Option.Option<FeedManifest.FeedManifest>
}

/** What is published: everything of a manifest but where its list lies. */
export interface News extends Omit<FeedManifest.FeedManifest, "snapshot"> {
  /** Undefined: the list that stands there stays, unless it was found not to be whole. */
  readonly snapshot: FeedSnapshot.FeedSnapshot | undefined
}

/** A feed as the replicas of a fleet share it. Every error means that the database is away, and is logged by its layer. */
export interface SharedList {
  /** Waits until the fleet was looked at again, as happens all the time; None: the database is away. */
  readonly nextHead: Effect.Effect<Option.Option<Standing["head"]>>
  readonly standing: Effect.Effect<Standing, CacheError>
  /** The list that stands there; None when it is not whole. */
  readonly load: (
    shared: FeedManifest.SharedSnapshot,
    held: Option.Option<FeedSnapshot.FeedSnapshot>
  ) => Effect.Effect<Option.Option<FeedSnapshot.FeedSnapshot>, CacheError>
  /** Puts news in the place of a standing. None, and nothing is changed, when it stands no more. */
  readonly publish: (standing: Standing, news: News) => Effect.Effect<Option.Option<Standing>, CacheError>
  /** See `Lease.hold`. */
  readonly underLease: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<Option.Option<A>, E | CacheError, R>
}

/** A fleet that was down for a weekend begins with the lists from before. Renewed by each attempt to refresh. */
const LEAST_TIME_TO_LIVE = Duration.days(3)

const timeToLive = (refresh: Duration.Duration) =>
  Duration.max(LEAST_TIME_TO_LIVE, Duration.times(refresh, 2))

/** Another list is overwritten soon: see `FeedKeeper`. */
const isHeld = (
  { list }: FeedSnapshot.FeedSnapshot,
  held: Option.Option<FeedSnapshot.FeedSnapshot>
): boolean => Option.exists(held, (held) => held.list === list)

const standingOf = (head: Option.Option<string>): Standing => ({
  head,
  manifest: Option.flatMap(head, FeedManifest.decode)
})

/** A feed under its name in the store. `nextHead` tells when the fleet was looked at. */
export const make = Effect.fnUntraced(function* (
  store: SharedStoreShape,
  feed: Feed,
  name: string,
  nextHead: SharedList["nextHead"]
) {
  const slices = yield* TimeSlices.make
  const digest = FeedSnapshot.feedDigest(feed)
  /** The list that was held when it stood in the database too, and as what. */
  let known: { readonly snapshot: FeedSnapshot.FeedSnapshot; readonly version: string } | undefined
  /** The version of a list that is not whole: it is not loaded again, and published by this replica no more. */
  let broken: string | undefined

  const withTimes = (
    snapshot: FeedSnapshot.FeedSnapshot,
    { version, fetchedAt, answeredAt, shrunkenSince }: FeedManifest.SharedSnapshot
  ) => {
    const current = { ...snapshot, fetchedAt, answeredAt, shrunkenSince }
    known = { snapshot: current, version }
    return Option.some(current)
  }

  const load: SharedList["load"] = (shared, held) => {
    if (known?.version === shared.version && isHeld(known.snapshot, held))
      return Effect.succeed(withTimes(known.snapshot, shared))
    // One answer of the feed, that this replica holds from its disk: the same list.
    if (Option.isSome(held) && held.value.answeredAt === shared.answeredAt)
      return Effect.succeed(withTimes(held.value, shared))
    if (broken === shared.version) return Effect.succeedNone
    return Effect.gen(function* () {
      const body = yield* store.body(name, shared)
      const decoded = yield* Effect.transposeMapOption(body, (bytes) =>
        slices.run(FeedSnapshot.decode(bytes, digest))
      )
      const snapshot = Option.flatMap(decoded, Either.getRight)
      if (Option.isSome(snapshot)) return withTimes(snapshot.value, shared)
      broken = shared.version
      return Option.none()
    })
  }

  const storeBody = (snapshot: FeedSnapshot.FeedSnapshot) =>
    store.storeBody(name, FeedSnapshot.encode(snapshot, digest))

  const publish: SharedList["publish"] = Effect.fnUntraced(function* (standing, { snapshot, ...rest }) {
    const before = Option.flatMapNullable(standing.manifest, ({ snapshot }) => snapshot)

    const switchTo = Effect.fnUntraced(function* (shared: Option.Option<FeedManifest.SharedSnapshot>) {
      const head = FeedManifest.encode({
        ...rest,
        ...Option.match(shared, { onNone: () => ({}), onSome: (snapshot) => ({ snapshot }) })
      })
      const result = yield* store.switchHead(name, {
        expected: standing.head,
        head,
        body: shared,
        dropped: Option.filter(
          before,
          ({ version }) => !Option.exists(shared, (now) => now.version === version)
        ),
        timeToLive: timeToLive(feed.refresh)
      })
      return { result, standing: standingOf(Option.some(head)) }
    })

    if (snapshot === undefined) {
      const kept = yield* switchTo(Option.filter(before, ({ version }) => version !== broken))
      const { result, standing } = kept.result === "BodyGone" ? yield* switchTo(Option.none()) : kept
      return Option.liftPredicate(standing, () => result === "Switched")
    }

    const { fetchedAt, answeredAt, shrunkenSince } = snapshot
    const times = { fetchedAt, answeredAt, shrunkenSince }
    const version = known?.snapshot.list === snapshot.list ? known.version : undefined
    const same = Option.filter(before, (before) => before.version === version)
    if (Option.isSome(same)) {
      const { result, standing } = yield* switchTo(Option.some({ ...same.value, ...times }))
      if (result === "Outrun") return Option.none()
      if (result === "Switched") {
        known = { snapshot, version: same.value.version }
        return Option.some(standing)
      }
    }
    const body = yield* storeBody(snapshot)
    const { result, standing: after } = yield* switchTo(Option.some({ ...body, ...times })).pipe(
      Effect.tap(({ result }) =>
        result === "Switched" ? Effect.void : Effect.ignore(store.removeBody(name, body))
      )
    )
    if (result === "Outrun") return Option.none()
    // It keeps nothing, for lack of memory perhaps.
    if (result === "BodyGone") return yield* new CacheError({ reason: "Refused" })
    known = { snapshot, version: body.version }
    return Option.some(after)
  })

  return {
    nextHead,
    standing: Effect.map(store.heads([name]), ([head = Option.none()]) => standingOf(head)),
    load,
    publish,
    underLease: Lease.hold(store, name, FeedSchedule.lease(feed.refresh))
  } satisfies SharedList
})
