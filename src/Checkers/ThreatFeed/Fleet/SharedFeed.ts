import { Duration, Effect, Option } from "effect"
import { CacheError } from "../../../Layers/Database/CacheError.ts"
import * as Lease from "../../../Layers/SharedStore/Lease.ts"
import type { SharedStoreShape, StoredBody } from "../../../Layers/SharedStore.ts"
import type { Feed } from "../Feed.ts"
import * as FeedSchedule from "../FeedSchedule.ts"
import * as FeedSnapshot from "../FeedSnapshot.ts"
import * as FeedManifest from "./FeedManifest.ts"
import type { RemoteState } from "./FleetState.ts"

/** Lists survive three days without a refresh. */
const MIN_TIME_TO_LIVE = Duration.days(3)

/** For a body that no manifest names yet, and for a replaced one, which another replica may be reading. */
const UNNAMED_TIME_TO_LIVE = Duration.minutes(10)

export interface Update {
  /** The manifest that this one replaces. */
  readonly before: RemoteState | undefined
  readonly snapshot: Option.Option<FeedSnapshot.FeedSnapshot>
  /** The body of the snapshot's list, if it was stored before. */
  readonly body: StoredBody | undefined
  readonly failures: number
  readonly nextAt: number
  readonly lastError: FeedManifest.FeedManifest["lastError"]
}

/**
 * The name of a feed in the store: neither its address nor its rows can be read from it. Replicas that could not read each
 * other's manifests or lists use different names, and so different leases.
 */
const nameOf = (digest: string) => `feed:${FeedManifest.VERSION}:${FeedSnapshot.FORMAT}:${digest}`

/**
 * A feed in the shared store: one manifest, the body that it names, and one lease.
 *
 * The manifest is overwritten without a comparison. A replica whose lease has run out unnoticed may overwrite a newer one:
 * that costs one refresh.
 */
export const make = (store: SharedStoreShape, feed: Feed) => {
  const digest = FeedSnapshot.feedDigest(feed)
  const name = nameOf(digest)
  const timeToLive = Duration.max(MIN_TIME_TO_LIVE, Duration.times(feed.refresh, 2))

  const storeBody = Effect.fnUntraced(function* (snapshot: FeedSnapshot.FeedSnapshot) {
    const body = yield* store.storeBody(name, FeedSnapshot.encode(snapshot, digest), UNNAMED_TIME_TO_LIVE)
    // A database without memory may have removed it already.
    if (!(yield* store.extendBody(name, body, timeToLive)))
      return yield* new CacheError({ reason: "Refused" })
    return body
  })

  /** Stores the list anew when its body has lost a piece. */
  const listOf = Effect.fnUntraced(function* (
    snapshot: FeedSnapshot.FeedSnapshot,
    known: StoredBody | undefined
  ) {
    const isWhole = known !== undefined && (yield* store.extendBody(name, known, timeToLive))
    const body = isWhole ? known : yield* storeBody(snapshot)
    const { fetchedAt, answeredAt, shrunkenSince } = snapshot
    return { body, fetchedAt, answeredAt, ...(shrunkenSince !== undefined && { shrunkenSince }) }
  })

  return {
    read: Effect.gen(function* () {
      const text = yield* store.text(name)
      return {
        text: Option.getOrUndefined(text),
        manifest: Option.getOrUndefined(Option.flatMap(text, FeedManifest.decode))
      } satisfies RemoteState
    }),

    /** None when the body is not whole. */
    load: Effect.fnUntraced(function* ({
      body,
      fetchedAt,
      answeredAt,
      shrunkenSince
    }: FeedManifest.SharedList) {
      const bytes = yield* store.body(name, body)
      const decoded = yield* Effect.transposeMapOption(bytes, (bytes) =>
        Effect.option(FeedSnapshot.decode(bytes, digest))
      )
      return Option.map(Option.flatten(decoded), (snapshot) => ({
        ...snapshot,
        fetchedAt,
        answeredAt,
        shrunkenSince
      }))
    }),

    /** Stores the list unless its body is there, then the manifest. The body of the manifest before expires in minutes. */
    publish: Effect.fnUntraced(function* ({ before, snapshot, body, failures, nextAt, lastError }: Update) {
      const list = Option.isSome(snapshot) ? yield* listOf(snapshot.value, body) : undefined
      const manifest: FeedManifest.FeedManifest = {
        failures,
        nextAt,
        ...(list !== undefined && { list }),
        ...(lastError !== undefined && { lastError })
      }
      const text = FeedManifest.encode(manifest)
      yield* store.setText(name, text, timeToLive)
      const old = before?.manifest?.list?.body
      if (old !== undefined && old.id !== list?.body.id)
        yield* Effect.ignore(store.extendBody(name, old, UNNAMED_TIME_TO_LIVE))
      return { text, manifest } satisfies RemoteState
    }),

    /** See `Lease.hold`. */
    underLease: Lease.hold(store, name, FeedSchedule.leaseDuration(feed.refresh))
  }
}

export type SharedFeed = ReturnType<typeof make>
