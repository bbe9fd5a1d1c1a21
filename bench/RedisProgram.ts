/** The program of `Redis.ts`. */
import { Effect, Redacted } from "effect"
import * as RedisServer from "../test/fixtures/RedisServer.ts"
import * as UpstashRestFront from "../test/fixtures/UpstashRestFront.ts"
import type { Counts, Listening } from "./Redis.ts"

const commandsIn = ({ path, body }: UpstashRestFront.UpstashRestFront["lastRequest"]): number =>
  path === "/pipeline" || path === "/multi-exec" ? JSON.parse(body).length : 1

const program = Effect.gen(function* () {
  const front = yield* UpstashRestFront.make(yield* RedisServer.make)
  let commands = 0
  front.onRequest = () => {
    commands += commandsIn(front.lastRequest)
  }
  process.on("message", () => {
    const counts: Counts = { calls: front.requestCount, commands }
    process.send?.(counts)
  })
  const listening: Listening = { url: front.url.href, token: Redacted.value(front.token) }
  process.send?.(listening)
  return yield* Effect.async<void>((resume) => {
    // Not `once`: a second signal would end this process before it has stopped redis-server.
    for (const signal of ["SIGTERM", "SIGINT", "disconnect"]) process.on(signal, () => resume(Effect.void))
  })
})

Effect.runPromise(Effect.scoped(program)).finally(() => process.exit(0))
