import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck, Fiber, TestClock, TestContext } from "effect"
import * as UpstashPipeline from "../../../src/Layers/Database/UpstashPipeline.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"
import { nextTurn } from "../../fixtures/NextTurn.ts"
import * as UpstashRestFront from "../../fixtures/UpstashRestFront.ts"

const TIMEOUT_MS = 500

/** Enough for requests and responses on loopback to arrive mostly; what is asserted holds without it. */
const turns = Effect.repeatN(nextTurn, 8)

/** `at` chooses one of the calls or callers that there are. */
const at = FastCheck.nat(20)
const step = FastCheck.oneof(
  {
    weight: 4,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("send"),
      commands: FastCheck.integer({ min: 1, max: 400 })
    })
  },
  { weight: 4, arbitrary: FastCheck.record({ do: FastCheck.constant("reply"), at }) },
  {
    weight: 1,
    arbitrary: FastCheck.record({
      do: FastCheck.constantFrom("reset", "refuse", "reply with too few", "interrupt"),
      at
    })
  },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("wait"),
      millis: FastCheck.constantFrom(1, 100, 250, TIMEOUT_MS)
    })
  }
)

const property = FastCheck.asyncProperty(FastCheck.array(step, { minLength: 5, maxLength: 60 }), (steps) =>
  Effect.gen(function* () {
    const front = yield* UpstashRestFront.make({ path: "/nonexistent" })
    const calls: Array<{ readonly body: string; readonly response: ServerResponse }> = []
    front.fault = (response) => calls.push({ response, body: front.lastRequest.body })
    const pipeline = yield* UpstashPipeline.make(front)
    const clock = yield* Effect.clock
    const now = () => clock.unsafeCurrentTimeMillis()

    const send = (count: number, name: number) =>
      Effect.gen(function* () {
        const keys = Array.from({ length: count }, (_, index) => `${name}/${index}`)
        const sentAt = now()
        const caller = { sentAt, isSettled: false, isInterrupted: false }
        const fiber = yield* forkNow(
          pipeline.send(keys.map((key) => (commands) => commands.get(key))).pipe(
            Effect.either,
            Effect.tap((results) => {
              caller.isSettled = true
              if (Either.isRight(results)) assert.deepStrictEqual(results.right, keys)
              else if (results.left.reason === "Timeout") assert.isAtLeast(now(), sentAt + TIMEOUT_MS)
              else assert.include(["Unreachable", "Refused", "Malformed"], results.left.reason)
            })
          )
        )
        return { caller, fiber }
      })

    const callers: Array<Effect.Effect.Success<ReturnType<typeof send>>> = []

    const answer = (how: string, index: number) => {
      const [call] = calls.splice(index % Math.max(1, calls.length), 1)
      if (call === undefined) return
      const commands: ReadonlyArray<ReadonlyArray<string>> = JSON.parse(call.body)
      const replies = commands.map(([, key]) => ({ result: key }))
      if (how === "reset") call.response.socket?.resetAndDestroy()
      else if (how === "refuse") call.response.writeHead(500).end('{"error":"ERR busy"}')
      else call.response.end(JSON.stringify(how === "reply" ? replies : replies.slice(1)))
    }

    const checkDeadlines = Effect.sync(() => {
      for (const { caller } of callers)
        assert.isTrue(caller.isSettled || caller.isInterrupted || now() < caller.sentAt + TIMEOUT_MS)
    })

    for (const step of steps) {
      if ("commands" in step) callers.push(yield* send(step.commands, callers.length))
      else if ("millis" in step) yield* TestClock.adjust(step.millis)
      else if (step.do !== "interrupt") answer(step.do, step.at)
      else {
        const one = callers[step.at % Math.max(1, callers.length)]
        if (one !== undefined) {
          one.caller.isInterrupted = true
          yield* Fiber.interrupt(one.fiber)
        }
      }
      yield* turns
      yield* checkDeadlines
    }
    yield* TestClock.adjust(TIMEOUT_MS)
    yield* turns
    yield* checkDeadlines
    for (const { caller, fiber } of callers) if (!caller.isInterrupted) yield* Fiber.join(fiber)

    front.fault = (response) => response.end('[{"result":"works"}]')
    assert.deepStrictEqual(yield* pipeline.send([(commands) => commands.get("key")]), ["works"])
  }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext), Effect.runPromise)
)

describe("UpstashPipeline", () => {
  it.effect(
    "gives each caller its own results or an error by its deadline, whatever happens to the calls",
    () => Effect.promise(() => FastCheck.assert(property, { seed: 20, numRuns: 40 }))
  )
})
