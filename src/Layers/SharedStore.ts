import { Context, type Duration, type Effect, type Option } from "effect"
import type { CacheError } from "./Database/CacheError.ts"

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
 * After a CacheError it is unknown whether the command was executed. Callers need not log it: the start and the end of an
 * outage are logged by the store.
 */
export interface SharedStoreShape {
  /** None when there is no text of that name. */
  readonly text: (name: string) => Effect.Effect<Option.Option<string>, CacheError>
  readonly setText: (
    name: string,
    text: string,
    timeToLive: Duration.Duration
  ) => Effect.Effect<void, CacheError>
  /** None when any piece is missing or has another length. */
  readonly body: (name: string, body: StoredBody) => Effect.Effect<Option.Option<Uint8Array>, CacheError>
  /** Stores a body under a new id. After an error it removes the pieces it has stored. */
  readonly storeBody: (
    name: string,
    bytes: Iterable<Uint8Array>,
    timeToLive: Duration.Duration
  ) => Effect.Effect<StoredBody, CacheError>
  /** Sets when a body expires, from now. False when any piece is missing. */
  readonly extendBody: (
    name: string,
    body: StoredBody,
    timeToLive: Duration.Duration
  ) => Effect.Effect<boolean, CacheError>
  /** Takes the lease of a name, or renews it. False when another token has it. */
  readonly lease: (
    name: string,
    token: string,
    duration: Duration.Duration
  ) => Effect.Effect<boolean, CacheError>
  /** Ends the lease of a name if this token has it. */
  readonly endLease: (name: string, token: string) => Effect.Effect<void, CacheError>
}

/** None when no cache database is configured: then replicas share nothing. */
export class SharedStore extends Context.Tag("app/Layers/SharedStore")<
  SharedStore,
  Option.Option<SharedStoreShape>
>() {}
