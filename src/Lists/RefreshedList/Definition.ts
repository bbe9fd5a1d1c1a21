import { type Duration, type Effect, type Either, type Option, Schema } from "effect"
import type { ListError } from "../ListError.ts"
import type { Backoff } from "./ListSchedule.ts"

/** The latest time of a Date (https://tc39.es/ecma262/#sec-time-values-and-time-range). A later one throws when formatted. */
const MAX_EPOCH_MILLIS = 8_640_000_000_000_000

/** A stored time, in milliseconds since 1970, by the clock of the machine that stored it. */
export const EpochMillis = Schema.Number.pipe(Schema.between(0, MAX_EPOCH_MILLIS))

/** A list with its times and what the next request needs. Never modified: a refresh makes another one. */
export interface Snapshot {
  /** When the source last answered, in milliseconds since 1970. */
  readonly answeredAt: number
}

/** What the source answered. */
export interface Answer<S> {
  readonly snapshot: S
  /** Why a part of the answer, or all of it, is not used. */
  readonly error: Option.Option<ListError>
}

/** What the log says of a snapshot. */
export interface Description {
  readonly entries: number
  /** Further numbers for JSON lines. */
  readonly counts: Readonly<Record<string, number>>
  /** Of the document, the first rows that are not used, with the reason; empty for none. */
  readonly skipped: string
}

/** A snapshot as it is stored. */
export interface Stored {
  /** JSON with the times of the snapshot, and what the next request needs. */
  readonly metadata: string
  /** The list itself, in memory that threads share. The arrays are the same objects until the list changes. */
  readonly parts: ReadonlyArray<Uint8Array>
}

/**
 * Why the caller must go on without a snapshot. `Damaged`: cut off, changed, or of another version of this format. `OtherFeed`: of
 * another address or format. `OtherService`: of another Safe Browsing service.
 */
export type UnusableSnapshot = "Damaged" | "OtherFeed" | "OtherService"

/** How the snapshots of one source are stored, in a file and in the database. */
export interface SnapshotFormat<S> {
  /** Part of the names of files and of keys in the database: those of another version are neither read nor changed. */
  readonly version: number
  readonly encode: (snapshot: S) => Stored
  /** Reads the metadata of a snapshot, or of a later one with the same parts. The parts are not copied. */
  readonly decode: (stored: Stored) => Either.Either<S, UnusableSnapshot>
}

/** A source of lists: what to request, how to read the answer, and when the next request is due. */
export interface Definition<S extends Snapshot, R> {
  /** Such as `feed_a`: in the log, and the beginning of its file's name. */
  readonly name: string
  /** The publisher. */
  readonly source: string
  /**
   * Identifies what is requested, without an address or a key: replicas of the same digest share the list. Undefined: a file of
   * this machine, which each process reads at its start.
   */
  readonly digest: string | undefined
  readonly format: SnapshotFormat<S>
  readonly request: (previous: Option.Option<S>) => Effect.Effect<Answer<S>, ListError, R>
  /** How long to send no request after an answer, for a `random` number from 0 to 1, and after requests that failed. */
  readonly waits: {
    readonly afterAnswer: (inUse: Option.Option<S>, random: number) => Duration.Duration
    readonly backoff: Backoff
  }
  readonly describe: (snapshot: S) => Description
  /** What happened and what to check, in plain words. `wait`: until the next try. */
  readonly failureText: (error: ListError, wait: Duration.Duration) => string
}
