import type { ServerResponse } from "node:http"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import {
  Deferred,
  Duration,
  Effect,
  Either,
  Exit,
  FastCheck,
  Fiber,
  Redacted,
  Scope,
  TestContext
} from "effect"
import * as UpstashPipeline from "../../../src/Layers/CacheDatabase/UpstashPipeline.ts"
import type * as UpstashRest from "../../../src/Layers/CacheDatabase/UpstashRest.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"
import { adjust, nextTurn, turnsUntil } from "../../fixtures/NextTurn.ts"
import { runs } from "../../fixtures/Seed.ts"
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
          pipeline.send(keys.map((key) => ["GET", key])).pipe(
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
      else if ("millis" in step) yield* adjust(step.millis)
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
    yield* adjust(TIMEOUT_MS)
    yield* turns
    yield* checkDeadlines
    for (const { caller, fiber } of callers) if (!caller.isInterrupted) yield* Fiber.join(fiber)

    front.fault = (response) => response.end('[{"result":"works"}]')
    assert.deepStrictEqual(yield* pipeline.send([["GET", "key"]]), ["works"])
  }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext), Effect.runPromise)
)

/** A front without a database behind it: each test sets a fault. */
const frontWithoutDatabase = UpstashRestFront.make({ path: "/nonexistent" })

const setUp = Effect.gen(function* () {
  const front = yield* frontWithoutDatabase
  return { front, send: yield* sender(front) }
})

/** Reads keys. */
const sender = (database: UpstashRest.DatabaseConfig) =>
  Effect.map(
    UpstashPipeline.make(database),
    ({ send }) =>
      (...keys: ReadonlyArray<string>) =>
        send(keys.map((key) => ["GET", key]))
  )

const answerWith =
  (body: string, status = 200) =>
  (response: ServerResponse) =>
    response.writeHead(status).end(body)

/** Answers each command with its key. */
const answerKeys = (front: UpstashRestFront.UpstashRestFront) => (response: ServerResponse) => {
  const commands: ReadonlyArray<ReadonlyArray<string>> = JSON.parse(front.lastRequest.body)
  answerWith(JSON.stringify(commands.map(([, key]) => ({ result: key }))))(response)
}

/** The next request that the front receives. */
const received = (front: UpstashRestFront.UpstashRestFront) =>
  Effect.async<void>((resume) => {
    front.onRequest = () => resume(Effect.void)
  })

/** Makes eight calls to a front that does not respond. */
const eightCalls = (
  front: UpstashRestFront.UpstashRestFront,
  send: Effect.Effect.Success<ReturnType<typeof sender>>
) =>
  Effect.gen(function* () {
    const calls: Array<ServerResponse> = []
    front.fault = (response) => calls.push(response)
    while (calls.length < 8) {
      yield* Effect.fork(send("key"))
      const before = calls.length
      yield* turnsUntil("one more call has arrived", () => calls.length > before)
    }
    return calls
  })

const failureOf = <A>(effect: Effect.Effect<A, UpstashRest.DatabaseError>) =>
  Effect.flatMap(Effect.either(effect), (result) =>
    Either.isLeft(result) ? Effect.succeed(result.left) : Effect.dieMessage("no failure")
  )

describe("UpstashPipeline", () => {
  it.effect(
    "gives each caller its own results or an error by its deadline, whatever happens to the calls",
    () => Effect.promise(() => FastCheck.assert(property, { numRuns: runs(40) }))
  )

  const faults: ReadonlyArray<
    readonly [name: string, fault: (response: ServerResponse) => void, message: string]
  > = [
    ["an error status with its error", answerWith('{"error":"Internal error"}', 500), "Refused"],
    [
      "an exceeded quota",
      answerWith('{"error":"ERR max daily request limit exceeded."}', 400),
      "Refused (ERR)"
    ],
    ["an error status with HTML", answerWith("<html>Bad gateway</html>", 502), "Malformed"],
    ["an error status with null", answerWith("null", 500), "Malformed"],
    ["HTML with 200", answerWith("<html>Welcome</html>"), "Malformed"],
    ["nothing with 200", answerWith(""), "Malformed"],
    [
      "a redirect, which is not followed",
      (response) => response.writeHead(307, { location: "/pipeline" }).end("[]"),
      "Malformed"
    ],
    [
      "an answer of more than 4 MiB",
      answerWith(`[{"result":[1,900000]}]${" ".repeat(4 * 1024 * 1024)}`),
      "Malformed"
    ],
    ["a connection that ends without an answer", (response) => response.destroy(), "Unreachable"],
    [
      "a reset in mid-body",
      (response) => {
        response.writeHead(200, { "content-length": "100" }).write("[{")
        setImmediate(() => response.socket?.resetAndDestroy())
      },
      "Unreachable"
    ],
    [
      "a connection that ends too early",
      (response) => {
        response.writeHead(200, { "content-length": "100" }).write("[{")
        setImmediate(() => response.destroy())
      },
      "Unreachable"
    ],
    [
      "a full database",
      answerWith(`[{"error":"OOM command not allowed when used memory > 'maxmemory'."}]`),
      "Refused (OOM)"
    ],
    ["an error that is not a string", answerWith('[{"error":{"code":1}}]'), "Malformed"],
    ["an error with an unknown code", answerWith('[{"error":"SECRET123 is not allowed"}]'), "Refused"],
    ...["null", "{}", '"x"', "1", "[]", "[null]", '[{"result":1},{"result":2}]', '{"result":[1,900000]}'].map(
      (body) => [`an answer of the wrong shape, ${body}`, answerWith(body), "Malformed"] as const
    )
  ]

  it.scoped.each(faults)("fails with a closed reason on %s", ([, fault, message]) =>
    Effect.gen(function* () {
      const { front, send } = yield* setUp
      front.fault = fault
      const error = yield* failureOf(send("key-with-a-secret"))
      // which code a broken connection has depends on which of its ends is noticed first
      assert.strictEqual(message === "Unreachable" ? error.reason : error.message, message)
      assert.strictEqual(front.requestCount, 1)
    })
  )

  it.scoped("ignores an error that is null", () =>
    Effect.gen(function* () {
      const { front, send } = yield* setUp
      front.fault = answerWith('[{"result":[7,900000],"error":null}]')
      assert.deepStrictEqual(yield* send("a"), [[7, 900_000]])
    })
  )

  it.scoped("fails as Unreachable when nothing listens", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { timeout, token, url } = yield* Scope.extend(frontWithoutDatabase, scope)
      yield* Scope.close(scope, Exit.void)
      const send = yield* sender({ timeout, token, url })
      assert.strictEqual((yield* failureOf(send("a"))).message, "Unreachable (ECONNREFUSED)")
    })
  )

  it.scoped("fails as Refused when the token is wrong", () =>
    Effect.gen(function* () {
      const { timeout, url } = yield* frontWithoutDatabase
      const send = yield* sender({ timeout, url, token: Redacted.make("wrong") })
      assert.strictEqual((yield* failureOf(send("a"))).message, "Refused (WRONGPASS)")
    })
  )

  it.scoped("shows neither token, key nor value in an error", () =>
    Effect.gen(function* () {
      const { front, send } = yield* setUp
      const secrets = [Redacted.value(front.token), "secret-key", "secret-value"]
      for (const [, fault] of faults) {
        front.fault = fault
        const error = yield* failureOf(send("secret-key"))
        const shown = [inspect(error, { depth: 9 }), JSON.stringify(error), String(error), error.stack].join()
        for (const secret of secrets) assert.notInclude(shown, secret)
      }
    })
  )

  it.scoped("fails as Timeout after its timeout without a response, and aborts the request", () =>
    Effect.gen(function* () {
      const { front, send } = yield* setUp
      const aborted = yield* Deferred.make<void>()
      front.fault = (response) => {
        response.once("close", () => Deferred.unsafeDone(aborted, Effect.void))
      }
      const pending = yield* Effect.fork(failureOf(send("a")))
      yield* received(front)
      yield* adjust("499 millis")
      yield* nextTurn
      assert.strictEqual(pending.unsafePoll(), null)
      yield* adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(pending)).message, "Timeout")
      yield* Deferred.await(aborted)
    })
  )

  it.scoped("takes the timeout of its database", () =>
    Effect.gen(function* () {
      const front = yield* frontWithoutDatabase
      const { token, url } = front
      const send = yield* sender({ token, url, timeout: Duration.seconds(5) })
      front.fault = () => {}
      const pending = yield* Effect.fork(failureOf(send("a")))
      yield* received(front)
      yield* adjust("4999 millis")
      yield* nextTurn
      assert.strictEqual(pending.unsafePoll(), null)
      yield* adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(pending)).message, "Timeout")
    })
  )

  it.scoped("fails as Timeout when the response is not complete in time", () =>
    Effect.gen(function* () {
      const { front, send } = yield* setUp
      front.fault = (response) => response.writeHead(200).write("[")
      const pending = yield* Effect.fork(failureOf(send("a")))
      yield* received(front)
      yield* adjust("500 millis")
      assert.strictEqual((yield* Fiber.join(pending)).message, "Timeout")
    })
  )

  it.scopedLive("accepts a response that arrived in time while this process was blocked", () =>
    Effect.gen(function* () {
      const { front, send } = yield* setUp
      front.fault = (response) => {
        answerKeys(front)(response)
        const until = performance.now() + 550
        while (performance.now() < until);
      }
      assert.deepStrictEqual(yield* send("a"), ["a"])
    })
  )

  it.scoped("sends the commands of one turn of the event loop in one HTTP call", () =>
    Effect.gen(function* () {
      const { front, send } = yield* setUp
      front.fault = answerKeys(front)
      const results = yield* Effect.all([send("a"), send("b"), send("c", "d")], { concurrency: "unbounded" })
      assert.deepStrictEqual(results, [["a"], ["b"], ["c", "d"]])
      assert.strictEqual(front.requestCount, 1)
      assert.strictEqual(front.lastRequest.path, "/pipeline")
      assert.notMatch(Object.keys(front.lastRequest.headers).join(), /telemetry|upstash-encoding/)
    })
  )

  it.scoped("makes at most eight calls at a time, and collects commands until one of them ends", () =>
    Effect.gen(function* () {
      const { front, send } = yield* setUp
      const calls = yield* eightCalls(front, send)
      const waiting = [yield* Effect.fork(send("a"))]
      yield* Effect.repeatN(nextTurn, 20)
      waiting.push(yield* Effect.fork(send("b", "c")))
      yield* Effect.repeatN(nextTurn, 20)
      assert.strictEqual(front.requestCount, 8)
      front.fault = answerKeys(front)
      for (const first of calls.slice(0, 1)) first.end('[{"result":0}]')
      assert.deepStrictEqual(yield* Fiber.joinAll(waiting), [["a"], ["b", "c"]])
      assert.strictEqual(front.requestCount, 9)
    })
  )

  it.scoped("gives a command that joins a waiting batch a timeout of its own", () =>
    Effect.gen(function* () {
      const { front, send } = yield* setUp
      yield* eightCalls(front, send)
      const early = yield* Effect.fork(failureOf(send("early")))
      yield* nextTurn
      yield* adjust("400 millis")
      const late = yield* Effect.fork(send("late"))
      yield* nextTurn
      front.fault = answerKeys(front)
      yield* adjust("100 millis")
      assert.strictEqual((yield* Fiber.join(early)).reason, "Timeout")
      assert.deepStrictEqual(yield* Fiber.join(late), ["late"])
    })
  )

  it.scoped("does not abort a call when one of its callers is interrupted", () =>
    Effect.gen(function* () {
      const { front, send } = yield* setUp
      const first = yield* Deferred.make<ServerResponse>()
      front.fault = (response) => Deferred.unsafeDone(first, Effect.succeed(response))
      const impatient = yield* Effect.fork(send("a"))
      const patient = yield* Effect.fork(send("b"))
      const response = yield* Deferred.await(first)
      yield* Fiber.interrupt(impatient)
      answerKeys(front)(response)
      assert.deepStrictEqual(yield* Fiber.join(patient), ["b"])
    })
  )

  it.scoped("fails commands in flight when its scope closes", () =>
    Effect.gen(function* () {
      const front = yield* frontWithoutDatabase
      front.fault = () => {}
      const scope = yield* Scope.make()
      const send = yield* Scope.extend(sender(front), scope)
      const pending = yield* Effect.fork(failureOf(send("a")))
      yield* received(front)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(pending)).message, "Unreachable")
    })
  )

  it.scoped("fails unsent commands when its scope closes, and at once those after it", () =>
    Effect.gen(function* () {
      const front = yield* frontWithoutDatabase
      front.fault = answerKeys(front)
      const scope = yield* Scope.make()
      const send = yield* Scope.extend(sender(front), scope)
      const pending = yield* forkNow(failureOf(send("a")))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(pending)).message, "Unreachable")
      assert.strictEqual((yield* failureOf(send("a"))).message, "Unreachable")
      yield* nextTurn
      assert.strictEqual(front.requestCount, 0)
    })
  )

  it.scoped("leaks no listener over many calls", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const onWarning = (warning: Error) => warnings.push(warning.message)
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("warning", onWarning)),
        () => Effect.sync(() => process.off("warning", onWarning))
      )
      const { front, send } = yield* setUp
      front.fault = answerKeys(front)
      for (let call = 0; call < 50; call++) yield* send("a")
      yield* nextTurn
      assert.deepStrictEqual(warnings, [])
    })
  )
})
