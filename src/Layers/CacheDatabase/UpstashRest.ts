import type { UpstashResponse } from "@upstash/redis"
import { Duration, Effect, Either, Predicate, Redacted, Schema } from "effect"
import * as HttpExchange from "../Outbound/HttpExchange.ts"
import * as Program from "../Program.ts"

export interface DatabaseConfig {
  readonly url: URL
  readonly token: Redacted.Redacted
  /** Of a command that a caller waits for: those of `UpstashPipeline`. */
  readonly timeout: Duration.Duration
}

export const reasons = ["Timeout", "Unreachable", "Refused", "Malformed"] as const

/**
 * Why a command to the cache database failed. Contains nothing that was sent or received but the codes below.
 *
 * - `Timeout`: no complete response within the command's timeout.
 * - `Unreachable`: no connection, or it broke before the response was complete; `code` is Node's (`ECONNREFUSED`).
 * - `Refused`: an error response, for example for a wrong token, an exceeded quota or a full database; `code` is Redis's
 *   (`WRONGPASS`), if it is a known one.
 * - `Malformed`: the response is not one to the command.
 */
export class DatabaseError extends Schema.TaggedError<DatabaseError>()("DatabaseError", {
  reason: Schema.Literal(...reasons),
  code: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    return this.code === undefined ? this.reason : `${this.reason} (${this.code})`
  }
}

/** The codes that Redis's and Upstash's messages start with. Others are dropped: a response could repeat a secret. */
const redisCodes = ["WRONGPASS", "NOAUTH", "NOPERM", "OOM", "READONLY", "LOADING", "BUSY", "WRONGTYPE", "ERR"]

/** The error for an error reply: `"OOM command not allowed when used memory > 'maxmemory'."` gives `OOM`. */
const refused = (text: string): DatabaseError => {
  const code = redisCodes.find((code) => text.startsWith(`${code} `))
  return new DatabaseError({ reason: "Refused", ...(code === undefined ? {} : { code }) })
}

/** A command of Redis with its arguments: `["SET", "key", "value", "PX", 1000]`. */
export type Command = ReadonlyArray<string | number>

/** Not validated yet, whatever the library's types say. */
export type Reply = Readonly<Partial<Record<keyof UpstashResponse<unknown>, unknown>>>

/** All replies of a call, error replies included, in the order of the commands. */
export type Replies = Either.Either<ReadonlyArray<Reply>, DatabaseError>

/** A connection that is idle for longer is closed. Servers and load balancers keep them longer; fetch has the same. */
const IDLE_TIMEOUT = Duration.seconds(4)

/** The largest expected one is a piece of a list (350 KB), or what is cached of 30 prefixes for each of 1,000 checks in flight. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024

const malformed = () => Either.left(new DatabaseError({ reason: "Malformed" }))

/** The replies in the response to as many commands. */
const decode = ({ status, body, isWhole }: HttpExchange.ReceivedResponse, commands: number): Replies => {
  const json = isWhole
    ? Either.try((): unknown => JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString()))
    : malformed()
  if (Either.isLeft(json)) return malformed()
  const value = json.right
  if (status < 200 || status > 299)
    return Predicate.hasProperty(value, "error") && typeof value.error === "string"
      ? Either.left(refused(value.error))
      : malformed()
  return Array.isArray(value) && value.length === commands && value.every(Predicate.isRecord)
    ? Either.right(value)
    : malformed()
}

/**
 * The cache database, by the REST interface of Upstash (https://upstash.com/docs/redis/features/restapi). Its connections close
 * with the scope. Of `@upstash/redis` it has the types of a response: the library sends by `fetch`, which takes three times the
 * CPU time of a call.
 */
export const make = (database: DatabaseConfig) =>
  Effect.map(HttpExchange.scopedAgents({ timeout: Duration.toMillis(IDLE_TIMEOUT) }), (agents) => {
    const pipelineUrl = new URL(database.url)
    pipelineUrl.pathname = `${database.url.pathname.replace(/\/$/, "")}/pipeline`
    const options = {
      method: "POST",
      headers: {
        authorization: `Bearer ${Redacted.value(database.token)}`,
        "content-type": "application/json",
        "user-agent": Program.nameAndVersion
      },
      agents,
      maxBodyBytes: () => MAX_RESPONSE_BYTES
    }
    /**
     * Sends commands in one HTTP call, and calls `onEnd` once. Returns a function that aborts the call; `onEnd` is not called
     * then. It has no timeout except for the connection.
     */
    return (commands: ReadonlyArray<Command>, onEnd: (replies: Replies) => void): (() => void) =>
      HttpExchange.start(pipelineUrl, { ...options, body: JSON.stringify(commands) }, (result) =>
        onEnd(
          Either.match(result, {
            onLeft: ({ code }) => Either.left(new DatabaseError({ reason: "Unreachable", code })),
            onRight: (response) => decode(response, commands.length)
          })
        )
      )
  })

/** The results of the commands, or the first error among the replies. */
export const results = (
  replies: ReadonlyArray<Reply>
): Either.Either<ReadonlyArray<unknown>, DatabaseError> => {
  for (const { error } of replies)
    if (error !== undefined && error !== null)
      return typeof error === "string" ? Either.left(refused(error)) : malformed()
  return Either.right(replies.map(({ result }) => result))
}
