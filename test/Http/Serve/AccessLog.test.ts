import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, LogLevel, Scope } from "effect"
import * as AccessLog from "../../../src/Http/Serve/AccessLog.ts"
import { collect } from "../../fixtures/LogLines.ts"
import { adjust } from "../../fixtures/NextTurn.ts"
import { postJson } from "../../fixtures/Request.ts"
import { serviceUnderTest } from "../../fixtures/ServiceUnderTest.ts"

const line = (byRateLimit: number, byOverload = 0) => ({
  level: "info",
  message: "requests refused",
  byRateLimit,
  byOverload
})

const refused = (status: number) => ({
  method: "POST",
  path: "/api/check",
  status,
  milliseconds: 0,
  checkerStatus: undefined
})

describe("AccessLog", () => {
  it.effect("logs one line a second with the number of refusals, and none without any", () => {
    const { layer, lines } = collect()
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const log = yield* Scope.extend(AccessLog.make, scope)
      const send = (status: number) =>
        log(LogLevel.Info, Effect.succeed({ status, headers: {}, body: "" }), () => refused(status))
      const refuse = send(429)
      const overloaded = send(503)
      yield* adjust("1 minute")
      for (let sent = 0; sent < 2000; sent++) yield* refuse
      for (let sent = 0; sent < 3000; sent++) yield* overloaded
      yield* adjust("999 millis")
      assert.deepStrictEqual(lines, [])
      yield* adjust("1 millis")
      assert.deepStrictEqual(lines, [line(2000, 3000)])
      yield* adjust("1 minute")
      for (let second = 0; second < 3; second++) {
        yield* refuse
        yield* adjust("1 second")
      }
      assert.deepStrictEqual(lines.slice(1), [line(1), line(1), line(1)])
      yield* overloaded
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(lines.slice(4), [line(0, 1)])
    }).pipe(Effect.provide(layer))
  })

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
      assert.deepStrictEqual(lines[1], line(10))
    }).pipe(Effect.provide(layer))
  })
})
