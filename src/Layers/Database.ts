import { Redis } from "@upstash/redis"
import { type Duration, Effect, Redacted } from "effect"
import { CacheError, fromRejection, refused } from "./Database/CacheError.ts"

export interface CacheDatabase {
  readonly url: URL
  readonly token: Redacted.Redacted
  /** Of a command that a caller waits for: those of `UpstashPipeline`. */
  readonly timeout: Duration.Duration
}

/** Adds exactly one command. */
export type Command = (pipeline: ReturnType<Redis["pipeline"]>) => void

/** Not validated yet, whatever the library's types say. */
export interface Reply {
  readonly result?: unknown
  readonly error?: unknown
}

/**
 * Sends commands in one HTTP call. Returns one reply for each, in order, error replies included. Interruption aborts the
 * call. It has no timeout.
 */
type SendCommands = (commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<Reply>, CacheError>

/** The cache database, by the REST interface of Upstash. */
export const make = (database: CacheDatabase): SendCommands => {
  // The library calls `signal` synchronously when a call starts. With a fixed signal an aborted call would resolve.
  let signal = AbortSignal.abort()
  const redis = new Redis({
    url: database.url.href,
    token: Redacted.value(database.token),
    retry: { retries: 0 },
    enableTelemetry: false,
    automaticDeserialization: false,
    enableAutoPipelining: false,
    responseEncoding: false,
    signal: () => signal
  })
  return (commands) =>
    Effect.tryPromise({
      try: (interrupted) => {
        const pipeline = redis.pipeline()
        for (const command of commands) command(pipeline)
        signal = interrupted
        return pipeline.exec<Array<Reply>>({ keepErrors: true })
      },
      catch: fromRejection
    }).pipe(
      Effect.filterOrFail(
        (replies) => replies.length === commands.length,
        () => new CacheError({ reason: "Malformed" })
      )
    )
}

/** The results of the commands. Fails if any reply is an error. */
export const results = (replies: ReadonlyArray<Reply>): Effect.Effect<ReadonlyArray<unknown>, CacheError> =>
  Effect.forEach(replies, ({ error, result }) => {
    if (error === undefined || error === null) return Effect.succeed(result)
    return typeof error === "string" ? refused(error) : new CacheError({ reason: "Malformed" })
  })
