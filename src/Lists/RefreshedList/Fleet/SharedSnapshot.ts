import { Duration, Effect, Option } from "effect"
import { DatabaseError } from "../../../Layers/CacheDatabase/UpstashRest.ts"
import { holdLease, type SharedStoreShape, type StoredBody } from "../../SharedStore.ts"
import * as ListSchedule from "../ListSchedule.ts"
import type { Shared } from "../ListState.ts"
import * as SnapshotBytes from "../SnapshotBytes.ts"
import type { RemoteState } from "./FleetState.ts"
import * as Manifest from "./Manifest.ts"

/** Lists survive three days without a refresh. */
const MIN_TIME_TO_LIVE = Duration.days(3)

/** For a body that no manifest names yet, and for a replaced one, which another replica may be reading. */
const UNNAMED_TIME_TO_LIVE = Duration.minutes(10)

export interface Publication<S> {
  /** The manifest that this one replaces. */
  readonly before: RemoteState | undefined
  readonly snapshot: Option.Option<S>
  /** The body of the snapshot's list, if it was stored before. */
  readonly body: StoredBody | undefined
  readonly failures: number
  readonly nextAt: number
  readonly lastError: Manifest.Manifest["lastError"]
}

/**
 * A snapshot in the shared store: one manifest, the body that it names, and one lease.
 *
 * The manifest is overwritten without a comparison. A replica whose lease has run out unnoticed may overwrite a newer one:
 * that costs one refresh.
 */
export const make = <S extends { readonly answeredAt: number }>(
  store: SharedStoreShape,
  { digest, format, interval, kind }: Shared<S>
) => {
  const timeToLive = Duration.max(MIN_TIME_TO_LIVE, Duration.times(interval, 2))
  // Replicas that could not read each other's manifests or bodies use different names.
  const name = `${kind}:${Manifest.VERSION}:${format.magic}.${format.version}:${digest}`

  const storeBody = Effect.fnUntraced(function* (snapshot: S) {
    const body = yield* store.storeBody(name, SnapshotBytes.encode(format, snapshot), UNNAMED_TIME_TO_LIVE)
    // A database without memory may have removed it already.
    if (!(yield* store.extendBody(name, body, timeToLive)))
      return yield* new DatabaseError({ reason: "Refused" })
    return body
  })

  /** Stores the list anew when its body has lost a piece. */
  const listOf = Effect.fnUntraced(function* (snapshot: S, known: StoredBody | undefined) {
    const isWhole = known !== undefined && (yield* store.extendBody(name, known, timeToLive))
    const body = isWhole ? known : yield* storeBody(snapshot)
    return { body, answeredAt: snapshot.answeredAt }
  })

  return {
    read: Effect.gen(function* () {
      const text = yield* store.text(name)
      return {
        text: Option.getOrUndefined(text),
        manifest: Option.getOrUndefined(Option.flatMap(text, Manifest.decode))
      } satisfies RemoteState
    }),

    /** None when the body is not whole. The metadata of the manifest may be later than those in the body. */
    load: Effect.fnUntraced(function* (body: StoredBody) {
      const bytes = yield* store.body(name, body)
      const decoded = yield* Effect.transposeMapOption(bytes, (bytes) =>
        Effect.option(SnapshotBytes.decode(format, bytes))
      )
      return Option.flatten(decoded)
    }),

    /** Stores the list, if the source has answered with one, unless its body is there, then the manifest. The body of the manifest before expires in minutes. */
    publish: Effect.fnUntraced(function* ({ before, snapshot, body, ...update }: Publication<S>) {
      const { failures, lastError, nextAt } = update
      const list =
        Option.isSome(snapshot) && snapshot.value.answeredAt > 0
          ? yield* listOf(snapshot.value, body)
          : undefined
      const manifest: Manifest.Manifest = {
        failures,
        nextAt,
        ...(list !== undefined && { list }),
        ...(lastError !== undefined && { lastError }),
        ...(Option.isSome(snapshot) && { metadata: format.metadata(snapshot.value) })
      }
      const text = Manifest.encode(manifest)
      yield* store.setText(name, text, timeToLive)
      const old = before?.manifest?.list?.body
      if (old !== undefined && old.id !== list?.body.id)
        yield* Effect.ignore(store.extendBody(name, old, UNNAMED_TIME_TO_LIVE))
      return { text, manifest } satisfies RemoteState
    }),

    /** See `holdLease`. */
    underLease: holdLease(store, name, ListSchedule.leaseDuration(interval))
  }
}
