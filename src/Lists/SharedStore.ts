import { randomUUID } from "node:crypto"
import { Context, Duration, Effect, Option } from "effect"
import type { DatabaseError } from "../Layers/CacheDatabase/UpstashRest.ts"

/** A body in the store. Its pieces never change: another body has another id. */
export interface StoredBody {
  readonly id: string
  readonly bytes: number
  /** Length of each piece but the last. */
  readonly pieceBytes: number
}

/**
 * What the replicas of a fleet share: small texts, bodies of megabytes and leases, each under a name. Everything expires.
 *
 * After a DatabaseError it is unknown whether the command was executed. Callers need not log it: the start and the end of an
 * outage are logged by the store.
 */
export interface SharedStoreShape {
  /** None when there is no text of that name. */
  readonly text: (name: string) => Effect.Effect<Option.Option<string>, DatabaseError>
  readonly setText: (
    name: string,
    text: string,
    timeToLive: Duration.Duration
  ) => Effect.Effect<void, DatabaseError>
  /** None when any piece is missing or has another length. */
  readonly body: (name: string, body: StoredBody) => Effect.Effect<Option.Option<Uint8Array>, DatabaseError>
  /** Stores a body under a new id. After an error it removes the pieces it has stored. */
  readonly storeBody: (
    name: string,
    bytes: Iterable<Uint8Array>,
    timeToLive: Duration.Duration
  ) => Effect.Effect<StoredBody, DatabaseError>
  /** Sets when a body expires, from now. False when any piece is missing. */
  readonly extendBody: (
    name: string,
    body: StoredBody,
    timeToLive: Duration.Duration
  ) => Effect.Effect<boolean, DatabaseError>
  /** Takes the lease of a name, or renews it. False when another token has it. */
  readonly lease: (
    name: string,
    token: string,
    duration: Duration.Duration
  ) => Effect.Effect<boolean, DatabaseError>
  /** Ends the lease of a name if this token has it. */
  readonly endLease: (name: string, token: string) => Effect.Effect<void, DatabaseError>
}

/** None when no cache database is configured: then replicas share nothing. */
export class SharedStore extends Context.Tag("app/Lists/SharedStore")<
  SharedStore,
  Option.Option<SharedStoreShape>
>() {}

/** The part of the lease after which it is renewed: two renewals in a row may fail. */
const RENEW_AFTER = 1 / 3

/**
 * Runs an effect under the lease of a name, which one process of the fleet has at a time. Renews the lease while the effect
 * runs and ends it afterwards; it expires by itself when the process dies.
 *
 * None: another process has the lease, or took it after the renewals failed; then the effect was interrupted. A process that
 * was paused notices that late: the effect must not rely on being the only one. Fails when the database does not answer the
 * first request for the lease; failed renewals are ignored.
 */
export const holdLease =
  (store: SharedStoreShape, name: string, duration: Duration.Duration) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E | DatabaseError, R> =>
    Effect.suspend(() => {
      const token = randomUUID()
      const take = store.lease(name, token, duration)
      const untilLost = take.pipe(
        Effect.orElseSucceed(() => true),
        Effect.delay(Duration.times(duration, RENEW_AFTER)),
        Effect.repeat({ while: (isOurs) => isOurs }),
        Effect.as(Option.none<A>())
      )
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(take), (isOurs) =>
          isOurs
            ? restore(Effect.raceFirst(Effect.asSome(effect), untilLost)).pipe(
                Effect.ensuring(Effect.ignore(store.endLease(name, token)))
              )
            : Effect.succeedNone
        )
      )
    })
