import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, LogLevel, Scope } from "effect"
import * as AccessLog from "../../../src/Http/Serve/AccessLog.ts"
import { collect } from "../../fixtures/LogLines.ts"
import { adjust } from "../../fixtures/NextTurn.ts"
import { postJson } from "../../fixtures/Request.ts"
import { serviceUnderTest } from "../../fixtures/ServiceUnderTest.ts"

const summary = (byStatus: Readonly<Record<string, number>>) => ({
  level: "info",
  message: "requests summarized",
  ...byStatus
})

const { MAX_LINES_PER_SECOND } = AccessLog
const logged = { method: "POST", path: "/api/check", milliseconds: 0 }
const check: AccessLog.Kind = { level: LogLevel.Info, isCounted: true }
const other: AccessLog.Kind = { level: LogLevel.Info, isCounted: false }
const minor: AccessLog.Kind = { level: LogLevel.Debug, isCounted: false }

/** Logs a response with this status; 499: the client leaves before it. */
const responding = Effect.map(AccessLog.make, (log) => (kind: AccessLog.Kind, status: number) => {
  const response =
    status === AccessLog.CLIENT_CLOSED_REQUEST
      ? Effect.interrupt
      : Effect.succeed({ status, headers: {}, body: "" })
  return Effect.exit(log(kind, response, () => logged))
})

describe("AccessLog", () => {
  it.effect("logs one line a second with the number of refusals, and none without any", () => {
    const { layer, lines } = collect()
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const respond = yield* Scope.extend(responding, scope)
      yield* adjust("1 minute")
      for (let sent = 0; sent < 2000; sent++) yield* respond(check, 429)
      for (let sent = 0; sent < 3000; sent++) yield* respond(check, 503)
      yield* adjust("999 millis")
      assert.deepStrictEqual(lines, [])
      yield* adjust("1 millis")
      assert.deepStrictEqual(lines, [summary({ status429: 2000, status503: 3000 })])
      yield* adjust("1 minute")
      for (let second = 0; second < 3; second++) {
        yield* respond(check, 429)
        yield* adjust("1 second")
      }
      assert.deepStrictEqual(
        lines.slice(1),
        [1, 2, 3].map(() => summary({ status429: 1 }))
      )
      yield* respond(check, 503)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(lines.slice(4), [summary({ status503: 1 })])
    }).pipe(Effect.provide(layer))
  })

  // How many of 25 responses have lines of their own.
  const sent = 25
  const first = MAX_LINES_PER_SECOND
  for (const [name, kind, status, own] of [
    ...[200, 400, 413, 415, 500].map((status) => ["a check", check, status, sent] as const),
    ...[408, 429, 503].map((status) => ["a check", check, status, 0] as const),
    ["a check", check, 499, first],
    ...[200, 204, 304, 400, 404, 405, 499, 500].map(
      (status) => ["another request", other, status, first] as const
    ),
    ...[408, 429, 503].map((status) => ["another request", other, status, 0] as const),
    ...[200, 204, 304, 404, 405, 499, 500, 503].map(
      (status) => ["a request at level debug", minor, status, first] as const
    )
  ] as const)
    it.scoped(
      `gives ${own} of ${sent} responses a second to ${name} with ${status} lines of their own`,
      () => {
        const { layer, lines } = collect(LogLevel.Debug)
        return Effect.gen(function* () {
          const respond = yield* responding
          for (let second = 1; second <= 3; second++) {
            lines.length = 0
            for (let index = 0; index < sent; index++) yield* respond(kind, status)
            yield* adjust("1 second")
            assert.deepStrictEqual(lines, [
              ...Array.from({ length: own }, () => ({
                level: kind.level._tag.toLowerCase(),
                message: "request",
                ...logged,
                status
              })),
              ...(own === sent ? [] : [summary({ [`status${status}`]: sent - own })])
            ])
          }
        }).pipe(Effect.provide(layer))
      }
    )

  it.scoped(
    "shares the lines among all requests that are not counted, and logs nothing below the level",
    () => {
      const { layer, lines } = collect()
      return Effect.gen(function* () {
        const respond = yield* responding
        for (let sent = 0; sent < 50; sent++) yield* respond(minor, 200)
        for (let sent = 0; sent < 8; sent++) yield* respond(other, 404)
        for (let sent = 0; sent < 8; sent++) yield* respond(other, 204)
        yield* respond(check, 200)
        yield* respond(check, 429)
        yield* adjust("1 second")
        assert.deepStrictEqual(
          lines.map(({ status }) => status),
          [...Array.from({ length: 8 }, () => 404), 204, 204, 200, undefined]
        )
        assert.deepStrictEqual(lines.at(-1), summary({ status204: 6, status429: 1 }))
      }).pipe(Effect.provide(layer))
    }
  )

  it.scoped("gives refused requests no line of their own", () => {
    const { layer, lines } = collect()
    return Effect.gen(function* () {
      const port = yield* serviceUnderTest({ env: { RATE_LIMIT: "1" } })
      lines.length = 0
      assert.strictEqual((yield* postJson(port, { url: "x" })).status, 200)
      for (let sent = 0; sent < 10; sent++)
        assert.strictEqual((yield* postJson(port, { url: "x" })).status, 429)
      yield* adjust("1 second")
      assert.lengthOf(lines, 2)
      assert.deepStrictEqual(lines[1], summary({ status429: 10 }))
    }).pipe(Effect.provide(layer))
  })
})
