import type { ServerResponse } from "node:http"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Either, Exit, Fiber, Redacted, Scope, TestClock } from "effect"
import * as UpstashCache from "../../../src/Layers/Cache/UpstashCache.ts"
import type { CacheError } from "../../../src/Layers/Database/CacheError.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"
import { nextTurn, turnsUntil } from "../../fixtures/NextTurn.ts"
import * as RedisServer from "../../fixtures/RedisServer.ts"
import * as UpstashRestFront from "../../fixtures/UpstashRestFront.ts"

const WINDOW = Duration.minutes(15)
const LIMIT = 1000

/** A front without a database behind it: each test sets a fault. */
const frontWithoutDatabase = UpstashRestFront.make({ path: "/nonexistent" })

const setUp = Effect.gen(function* () {
  const front = yield* frontWithoutDatabase
  return { front, cache: yield* UpstashCache.make(front) }
})

const entry = (key: string, value: string, timeToLive: Duration.DurationInput) => ({
  key,
  value,
  timeToLive: Duration.decode(timeToLive)
})

const answerWith =
  (body: string, status = 200) =>
  (response: ServerResponse) =>
    response.writeHead(status).end(body)

/** Answers each command as the first amount of its counter. */
const answerIncrements = (front: UpstashRestFront.UpstashRestFront) => (response: ServerResponse) => {
  const commands: ReadonlyArray<unknown> = JSON.parse(front.lastRequest.body)
  answerWith(JSON.stringify(commands.map(() => ({ result: [1, 900_000] }))))(response)
}

/** The next request that the front receives. */
const received = (front: UpstashRestFront.UpstashRestFront) =>
  Effect.async<void>((resume) => {
    front.onRequest = () => resume(Effect.void)
  })

/** Sends nine batches, of which a front that does not respond receives the maximum of eight at a time. */
const nineBatches = (
  front: UpstashRestFront.UpstashRestFront,
  cache: Effect.Effect.Success<ReturnType<typeof UpstashCache.make>>
) =>
  Effect.gen(function* () {
    front.fault = () => {}
    const entries = Array.from({ length: 600 }, (_, index) => entry(`${index}`, "", "1 minute"))
    const failures = yield* Effect.fork(
      Effect.forEach(Array.from({ length: 9 }), () => failureOf(cache.setMany(entries)), {
        concurrency: "unbounded"
      })
    )
    yield* turnsUntil(() => front.requestCount === 8)
    return { entries, failures }
  })

const failureOf = <A>(effect: Effect.Effect<A, CacheError>) =>
  Effect.flatMap(Effect.either(effect), (result) =>
    Either.isLeft(result) ? Effect.succeed(result.left) : Effect.dieMessage("no failure")
  )

describe("UpstashCache", () => {
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
    ...[
      "null",
      "{}",
      '"x"',
      "1",
      "[]",
      "[null]",
      "[1]",
      "[{}]",
      "[[]]",
      '[{"result":null}]',
      '[{"result":"1"}]',
      '[{"result":[1]}]',
      '[{"result":["1","900000"]}]',
      '[{"result":[0,900000]}]',
      '[{"result":[1.5,900000]}]',
      '[{"result":[1,-1]}]',
      '[{"result":[1,900000,1]}]',
      '[{"result":[1,900000]},{"result":[1,900000]}]',
      '{"result":[1,900000]}'
    ].map((body) => [`an answer of the wrong shape, ${body}`, answerWith(body), "Malformed"] as const)
  ]

  it.scoped.each(faults)("fails with a closed reason on %s", ([, fault, message]) =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      front.fault = fault
      const error = yield* failureOf(cache.add("key-with-a-secret", 1, WINDOW, LIMIT))
      // which code a broken connection has depends on which of its ends is noticed first
      assert.strictEqual(message === "Unreachable" ? error.reason : error.message, message)
      assert.strictEqual(front.requestCount, 1)
    })
  )

  it.scoped("fails as Malformed when values or stored replies are of the wrong shape", () =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      for (const body of ['[{"result":[["1"],["x"]]}]', '[{"result":[[1],[1]]}]', '[{"result":["1"]}]']) {
        front.fault = answerWith(body)
        assert.strictEqual((yield* failureOf(cache.getMany(["a"]))).message, "Malformed")
      }
      front.fault = answerWith('[{"result":null}]')
      assert.strictEqual(
        (yield* failureOf(cache.setMany([entry("a", "1", "1 minute")]))).message,
        "Malformed"
      )
    })
  )

  it.scoped("ignores an error that is null", () =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      front.fault = answerWith('[{"result":[7,900000],"error":null}]')
      assert.strictEqual((yield* cache.add("a", 1, WINDOW, LIMIT)).current, 7)
    })
  )

  it.scoped("fails as Unreachable when nothing listens", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { timeout, token, url } = yield* Scope.extend(frontWithoutDatabase, scope)
      yield* Scope.close(scope, Exit.void)
      const cache = yield* UpstashCache.make({ timeout, token, url })
      assert.strictEqual((yield* failureOf(cache.getMany(["a"]))).message, "Unreachable (ECONNREFUSED)")
    })
  )

  it.scoped("fails as Refused when the token is wrong", () =>
    Effect.gen(function* () {
      const { timeout, url } = yield* frontWithoutDatabase
      const cache = yield* UpstashCache.make({ timeout, url, token: Redacted.make("wrong") })
      assert.strictEqual((yield* failureOf(cache.getMany(["a"]))).message, "Refused (WRONGPASS)")
    })
  )

  it.scoped("shows neither token, key nor value in an error", () =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      const secrets = [Redacted.value(front.token), "secret-key", "secret-value"]
      for (const [, fault] of faults) {
        front.fault = fault
        const error = yield* failureOf(cache.setMany([entry("secret-key", "secret-value", "1 minute")]))
        const shown = [inspect(error, { depth: 9 }), JSON.stringify(error), String(error), error.stack].join()
        for (const secret of secrets) assert.notInclude(shown, secret)
      }
    })
  )

  it.scoped("fails as Timeout after its timeout without a response, and aborts the request", () =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      const aborted = yield* Deferred.make<void>()
      front.fault = (response) => {
        response.once("close", () => Deferred.unsafeDone(aborted, Effect.void))
      }
      const pending = yield* Effect.fork(failureOf(cache.add("a", 1, WINDOW, LIMIT)))
      yield* received(front)
      yield* TestClock.adjust("499 millis")
      yield* nextTurn
      assert.strictEqual(pending.unsafePoll(), null)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(pending)).message, "Timeout")
      yield* Deferred.await(aborted)
    })
  )

  it.scoped("takes the timeout of its database", () =>
    Effect.gen(function* () {
      const front = yield* frontWithoutDatabase
      const { token, url } = front
      const cache = yield* UpstashCache.make({ token, url, timeout: Duration.seconds(5) })
      front.fault = () => {}
      const pending = yield* Effect.fork(failureOf(cache.add("a", 1, WINDOW, LIMIT)))
      yield* received(front)
      yield* TestClock.adjust("4999 millis")
      yield* nextTurn
      assert.strictEqual(pending.unsafePoll(), null)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(pending)).message, "Timeout")
    })
  )

  it.scoped("fails as Timeout when the response is not complete in time", () =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      front.fault = (response) => response.writeHead(200).write("[")
      const pending = yield* Effect.fork(failureOf(cache.getMany(["a"])))
      yield* received(front)
      yield* TestClock.adjust("500 millis")
      assert.strictEqual((yield* Fiber.join(pending)).message, "Timeout")
    })
  )

  it.scopedLive("accepts a response that arrived in time while this process was blocked", () =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      front.fault = (response) => {
        answerIncrements(front)(response)
        const until = performance.now() + 550
        while (performance.now() < until);
      }
      assert.strictEqual((yield* cache.add("a", 1, WINDOW, LIMIT)).current, 1)
    })
  )

  it.scoped(
    "sends the commands of one turn of the event loop in one HTTP call, reads and writes together",
    () =>
      Effect.gen(function* () {
        const { front, cache } = yield* setUp
        front.fault = answerWith(
          JSON.stringify([{ result: [1, 5] }, { result: [["v"], [7]] }, { result: "OK" }, { result: "OK" }])
        )
        const [count, values] = yield* Effect.all(
          [
            cache.add("a", 1, WINDOW, LIMIT),
            cache.getMany(["b"]),
            cache.setMany([entry("c", "1", "1 minute"), entry("d", "2", "1 minute")])
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(count, { current: 1, resetAfter: Duration.millis(5) })
        assert.deepStrictEqual(values, [entry("b", "v", "7 millis")])
        assert.strictEqual(front.requestCount, 1)
        assert.strictEqual(front.lastRequest.path, "/pipeline")
        assert.notMatch(Object.keys(front.lastRequest.headers).join(), /telemetry|upstash-encoding/)
      })
  )

  it.scoped("collects the commands of several turns while a call is in flight", () =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      const first = yield* Deferred.make<ServerResponse>()
      front.fault = (response) => Deferred.unsafeDone(first, Effect.succeed(response))
      const pending = [yield* Effect.fork(cache.add("first", 1, WINDOW, LIMIT))]
      const response = yield* Deferred.await(first)
      for (const key of ["second", "third", "fourth"]) {
        pending.push(yield* Effect.fork(cache.add(key, 1, WINDOW, LIMIT)))
        yield* nextTurn
      }
      assert.strictEqual(front.requestCount, 1)
      front.fault = answerIncrements(front)
      front.fault(response)
      yield* Fiber.joinAll(pending)
      assert.strictEqual(front.requestCount, 2)
    })
  )

  it.scoped("collects commands for at most a millisecond", () =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      const first = yield* Deferred.make<ServerResponse>()
      front.fault = (response) => Deferred.unsafeDone(first, Effect.succeed(response))
      yield* Effect.fork(cache.add("first", 1, WINDOW, LIMIT))
      yield* Deferred.await(first)
      front.fault = answerIncrements(front)
      const second = yield* Effect.fork(cache.add("second", 1, WINDOW, LIMIT))
      yield* nextTurn
      assert.strictEqual(second.unsafePoll(), null)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(second)).current, 1)
    })
  )

  it.scoped("makes at most eight calls of 1000 commands at a time; the other commands time out unsent", () =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      const { entries, failures: storing } = yield* nineBatches(front, cache)
      yield* TestClock.adjust("500 millis")
      for (const { reason } of yield* Fiber.join(storing)) assert.strictEqual(reason, "Timeout")
      front.fault = answerWith(JSON.stringify(entries.map(() => ({ result: "OK" }))))
      yield* cache.setMany(entries)
      assert.strictEqual(front.requestCount, 9)
    })
  )

  it.scoped("gives a command that joins a waiting batch a timeout of its own", () =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      const { entries, failures: early } = yield* nineBatches(front, cache)
      yield* TestClock.adjust("400 millis")
      const late = yield* Effect.fork(cache.add("late", 1, WINDOW, LIMIT))
      yield* nextTurn
      front.fault = answerWith(JSON.stringify([...entries.map(() => ({ result: "OK" })), { result: [1, 5] }]))
      yield* TestClock.adjust("100 millis")
      for (const { reason } of yield* Fiber.join(early)) assert.strictEqual(reason, "Timeout")
      assert.strictEqual((yield* Fiber.join(late)).current, 1)
    })
  )

  it.scoped("does not abort a call when one of its callers is interrupted", () =>
    Effect.gen(function* () {
      const { front, cache } = yield* setUp
      const first = yield* Deferred.make<ServerResponse>()
      front.fault = (response) => Deferred.unsafeDone(first, Effect.succeed(response))
      const impatient = yield* Effect.fork(cache.add("a", 1, WINDOW, LIMIT))
      const patient = yield* Effect.fork(cache.add("b", 1, WINDOW, LIMIT))
      const response = yield* Deferred.await(first)
      yield* Fiber.interrupt(impatient)
      answerIncrements(front)(response)
      assert.strictEqual((yield* Fiber.join(patient)).current, 1)
    })
  )

  it.scoped("fails commands in flight when its scope closes", () =>
    Effect.gen(function* () {
      const front = yield* frontWithoutDatabase
      front.fault = () => {}
      const scope = yield* Scope.make()
      const cache = yield* Scope.extend(UpstashCache.make(front), scope)
      const pending = yield* Effect.fork(failureOf(cache.add("a", 1, WINDOW, LIMIT)))
      yield* received(front)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(pending)).message, "Unreachable")
    })
  )

  it.scoped("fails unsent commands when its scope closes, and at once those after it", () =>
    Effect.gen(function* () {
      const front = yield* frontWithoutDatabase
      front.fault = answerIncrements(front)
      const scope = yield* Scope.make()
      const cache = yield* Scope.extend(UpstashCache.make(front), scope)
      const pending = yield* forkNow(failureOf(cache.add("a", 1, WINDOW, LIMIT)))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(pending)).message, "Unreachable")
      assert.strictEqual((yield* failureOf(cache.add("a", 1, WINDOW, LIMIT))).message, "Unreachable")
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
      const { front, cache } = yield* setUp
      front.fault = answerIncrements(front)
      for (let call = 0; call < 50; call++) yield* cache.add("a", 1, WINDOW, LIMIT)
      yield* nextTurn
      assert.deepStrictEqual(warnings, [])
    })
  )
})

describe.skipIf(!RedisServer.isInstalled)("UpstashCache over redis-server (needs the program)", () => {
  const setUp = Effect.gen(function* () {
    const front = yield* UpstashRestFront.make(yield* RedisServer.make)
    const redis = (...command: ReadonlyArray<string>) => UpstashRestFront.command(front, command)
    const replicas = [yield* UpstashCache.make(front), yield* UpstashCache.make(front)] as const
    return { front, redis, replicas }
  })

  it.scoped("returns distinct counts for concurrent amounts of one of two replicas", () =>
    Effect.gen(function* () {
      const { replicas } = yield* setUp
      const counts = yield* Effect.forEach(
        Array.from({ length: 400 }, (_, index) => replicas[index % 2 === 0 ? 0 : 1]),
        (replica) => replica.add("caller", 1, WINDOW, LIMIT),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        counts.map(({ current }) => current).sort((a, b) => a - b),
        Array.from({ length: 400 }, (_, index) => index + 1)
      )
    })
  )

  it.scoped("sends 16 concurrent amounts in one HTTP request", () =>
    Effect.gen(function* () {
      const { front, replicas } = yield* setUp
      yield* Effect.forEach(
        Array.from({ length: 16 }, (_, index) => `caller ${index}`),
        (key) => replicas[0].add(key, 1, WINDOW, LIMIT),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(front.requestCount, 1)
    })
  )

  it.scoped("starts a window with the first amount and lets later ones not prolong it", () =>
    Effect.gen(function* () {
      const { redis, replicas } = yield* setUp
      const [cache] = replicas
      assert.deepStrictEqual(yield* cache.add("caller", 1, WINDOW, LIMIT), { current: 1, resetAfter: WINDOW })
      yield* redis("PEXPIRE", "caller", "60000")
      const { current, resetAfter } = yield* cache.add("caller", 1, WINDOW, LIMIT)
      assert.strictEqual(current, 2)
      assert.isTrue(
        Duration.between(resetAfter, { minimum: Duration.seconds(50), maximum: Duration.minutes(1) })
      )
      yield* redis("PEXPIRE", "caller", "0")
      assert.deepStrictEqual(yield* cache.add("caller", 1, WINDOW, LIMIT), { current: 1, resetAfter: WINDOW })
    })
  )

  it.scoped("adds an amount that fits the limit, and of one that does not fit only one", () =>
    Effect.gen(function* () {
      const { redis, replicas } = yield* setUp
      const stored = yield* Effect.forEach([60, 41, 40, 39, 30, 9, 7, 1, 5], (amount) =>
        Effect.zip(
          Effect.map(replicas[0].add("caller", amount, WINDOW, 100), ({ current }) => current),
          redis("GET", "caller")
        )
      )
      assert.deepStrictEqual(stored, [
        [60, "60"],
        [101, "61"],
        [101, "62"],
        [101, "63"],
        [93, "93"],
        [102, "94"],
        [101, "95"],
        [96, "96"],
        [101, "97"]
      ])
      assert.deepStrictEqual(yield* replicas[0].add("other", 101, WINDOW, 100), {
        current: 101,
        resetAfter: WINDOW
      })
      assert.strictEqual(yield* redis("GET", "other"), "1")
      assert.isAbove(Number(yield* redis("PTTL", "other")), 0)
    })
  )

  it.scoped("lets exactly what fits the limit pass when two connections add amounts at once", () =>
    Effect.gen(function* () {
      const LIMIT = 500
      const database = yield* RedisServer.make
      const fronts = [yield* UpstashRestFront.make(database), yield* UpstashRestFront.make(database)]
      const replicas = yield* Effect.forEach(fronts, (front) => UpstashCache.make(front))
      const requests = Array.from({ length: 400 }, (_, index) => ({
        amount: 1 + ((index * 7) % 25),
        replica: replicas[index % 2]
      }))
      const counts = yield* Effect.forEach(
        requests,
        ({ amount, replica }) =>
          Effect.flatMap(Effect.fromNullable(replica), (cache) =>
            Effect.map(cache.add("caller", amount, WINDOW, LIMIT), ({ current }) => ({ amount, current }))
          ),
        { concurrency: "unbounded" }
      )
      // As the database executed them: each began with the value that the one before had stored.
      const inOrder = counts.toSorted((a, b) => a.current - a.amount - (b.current - b.amount))
      let value = 0
      let passed = 0
      for (const { amount, current } of inOrder) {
        assert.strictEqual(current, value + amount)
        if (current <= LIMIT) passed += amount
        value += current <= LIMIT ? amount : 1
      }
      const [front] = fronts
      if (front === undefined) return yield* Effect.dieMessage("no front")
      assert.strictEqual(yield* UpstashRestFront.command(front, ["GET", "caller"]), String(value))
      assert.isAtMost(passed, LIMIT)
      assert.isAbove(passed, LIMIT - 25)
    })
  )

  it.scoped("gives a counter that lost its expiry a new one", () =>
    Effect.gen(function* () {
      const { redis, replicas } = yield* setUp
      yield* redis("SET", "caller", "41")
      assert.deepStrictEqual(yield* replicas[0].add("caller", 1, WINDOW, LIMIT), {
        current: 42,
        resetAfter: WINDOW
      })
      assert.isAbove(Number(yield* redis("PTTL", "caller")), 0)
    })
  )

  it.scoped("ends a window in time when the database's clock was set back by an hour", () =>
    Effect.gen(function* () {
      const { redis, replicas } = yield* setUp
      yield* replicas[0].add("caller", 1, WINDOW, LIMIT)
      yield* redis("PEXPIRE", "caller", String(Duration.toMillis("75 minutes")))
      assert.deepStrictEqual(yield* replicas[0].add("caller", 1, WINDOW, LIMIT), {
        current: 2,
        resetAfter: WINDOW
      })
      assert.isAtMost(Number(yield* redis("PTTL", "caller")), Duration.toMillis(WINDOW))
    })
  )

  it.scoped(
    "stores values with the time that they have to live, and reads them with what is left of it",
    () =>
      Effect.gen(function* () {
        const { redis, replicas } = yield* setUp
        const [one, other] = replicas
        const text = '[{"hash":"q\\"\n\u0000 \u{1f41f}"}]'
        yield* one.setMany([entry("a", text, "1 minute"), entry("b", "", "90 seconds")])
        yield* redis("SET", "for ever", "x")
        const entries = yield* other.getMany(["b", "missing", "a", "c", "for ever"])
        assert.deepStrictEqual(
          entries.map(({ key, value }) => [key, value]),
          [
            ["b", ""],
            ["a", text],
            ["for ever", "x"]
          ]
        )
        const [b, a, forEver] = entries.map(({ timeToLive }) => Duration.toMillis(timeToLive))
        assert.isTrue(b !== undefined && b > 80_000 && b <= 90_000)
        assert.isTrue(a !== undefined && a > 50_000 && a <= 60_000)
        assert.strictEqual(forEver, 0)
      })
  )

  it.scoped("stores nothing that does not expire", () =>
    Effect.gen(function* () {
      const { redis, replicas } = yield* setUp
      yield* replicas[0].add("caller", 1, Duration.millis(1500.5), LIMIT)
      yield* replicas[0].setMany([
        entry("a", "1", "2 minutes"),
        entry("b", "1", Duration.micros(60_000_001n))
      ])
      const left = yield* redis(
        "EVAL",
        "local left = {} for i, key in ipairs(redis.call('KEYS', '*')) do left[i] = redis.call('PTTL', key) end return left",
        "0"
      )
      assert.isTrue(
        Array.isArray(left) &&
          left.length === 3 &&
          left.every((millis: unknown) => typeof millis === "number" && millis > 0)
      )
    })
  )

  it.scoped("fails to write to a full database, and reads from it", () =>
    Effect.gen(function* () {
      const { redis, replicas } = yield* setUp
      yield* replicas[0].setMany([entry("a", "1", "1 minute")])
      yield* redis("CONFIG", "SET", "maxmemory", "1")
      assert.strictEqual(
        (yield* failureOf(replicas[0].add("caller", 1, WINDOW, LIMIT))).message,
        "Refused (OOM)"
      )
      assert.lengthOf(yield* replicas[0].getMany(["a"]), 1)
    })
  )

  it.scoped("fails for a key of another type, and works for other keys", () =>
    Effect.gen(function* () {
      const { redis, replicas } = yield* setUp
      yield* redis("LPUSH", "list", "x")
      assert.strictEqual((yield* failureOf(replicas[0].add("list", 1, WINDOW, LIMIT))).reason, "Refused")
      assert.strictEqual((yield* replicas[0].add("caller", 1, WINDOW, LIMIT)).current, 1)
    })
  )
})
