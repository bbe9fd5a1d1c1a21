import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Logger, Ref, TestClock } from "effect"
import { type Checker, CheckerError, type CheckerId, nothingFound } from "../../src/Checkers/Checker.ts"
import { Checkers } from "../../src/Checkers/Checkers.ts"

const ids: ReadonlyArray<CheckerId> = [
  "heuristics",
  "feed_a",
  "reputation_lookup",
  "feed_b",
  "feed_c",
  "feed_d"
]

const checker = (
  id: CheckerId,
  check: Checker["check"],
  budget: Duration.Duration = Duration.seconds(2)
): Checker => ({
  id,
  budget,
  check
})

const quiet = (id: CheckerId) => checker(id, () => Effect.succeed(nothingFound))

/** The six, some of them replaced. */
const six = (replaced: Partial<Record<CheckerId, Checker["check"]>>) =>
  Checkers.make(
    ids.map((id) => {
      const check = replaced[id]
      return check === undefined ? quiet(id) : checker(id, check)
    })
  )

const statuses = (checkers: Checkers["Type"]) =>
  Effect.map(checkers.checkAll("https://example.com/"), (outcomes) =>
    outcomes.map((outcome) => `${outcome.checker}=${outcome.status}`).join(" ")
  )

describe("Checkers", () => {
  it.effect("gives one outcome for each checker, in their order", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* statuses(six({})),
        "heuristics=ok feed_a=ok reputation_lookup=ok feed_b=ok feed_c=ok feed_d=ok"
      )
    })
  )

  it.effect("turns each failure into its own token and leaves the others alone", () =>
    Effect.gen(function* () {
      const fails = (id: CheckerId, reason: CheckerError["reason"]) => () =>
        Effect.fail(new CheckerError({ checker: id, reason }))
      const checkers = six({
        feed_a: fails("feed_a", "Unavailable"),
        reputation_lookup: fails("reputation_lookup", "NotConfigured"),
        feed_b: fails("feed_b", "Malformed"),
        feed_c: fails("feed_c", "Timeout"),
        feed_d: () => Effect.succeed({ findings: [], stale: true })
      })
      assert.strictEqual(
        yield* statuses(checkers),
        "heuristics=ok feed_a=unavailable reputation_lookup=not-configured feed_b=malformed feed_c=timeout feed_d=stale"
      )
    })
  )

  it.effect("a defect, thrown or died, is that one checker's failure and is logged once with its cause", () =>
    Effect.gen(function* () {
      const lines = yield* Ref.make<ReadonlyArray<string>>([])
      const logger = Logger.make(({ cause, message }) => {
        Effect.runSync(Ref.update(lines, (seen) => [...seen, `${String(message)} ${cause._tag}`]))
      })
      const checkers = six({
        feed_a: () => {
          throw new TypeError("thrown while building the effect")
        },
        feed_b: () => Effect.die(new Error("died"))
      })
      assert.strictEqual(
        yield* statuses(checkers).pipe(
          Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
          Effect.provide(Logger.add(logger))
        ),
        "heuristics=ok feed_a=failed reputation_lookup=ok feed_b=failed feed_c=ok feed_d=ok"
      )
      assert.deepStrictEqual(yield* Ref.get(lines), ["A checker failed Die", "A checker failed Die"])
    })
  )

  it.effect("interrupts a checker at its budget, reports a timeout, and times it by the Clock", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const checkers = six({
        reputation_lookup: () =>
          Effect.never.pipe(Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))),
        feed_c: () => Effect.as(Effect.sleep("1500 millis"), nothingFound)
      })
      const fiber = yield* Effect.fork(checkers.checkAll("https://example.com/"))
      yield* TestClock.adjust("1999 millis")
      assert.isNull(fiber.unsafePoll())
      yield* TestClock.adjust("1 millis")
      const outcomes = yield* Fiber.join(fiber)
      yield* Deferred.await(interrupted)
      assert.deepStrictEqual(
        outcomes.map(({ checker, status, elapsed }) => [checker, status, elapsed]),
        [
          ["heuristics", "ok", 0],
          ["feed_a", "ok", 0],
          ["reputation_lookup", "timeout", 2000],
          ["feed_b", "ok", 0],
          ["feed_c", "ok", 1500],
          ["feed_d", "ok", 0]
        ]
      )
    })
  )

  it.effect("runs all at once: six that take a second each are done after one second", () =>
    Effect.gen(function* () {
      const slow = () => Effect.as(Effect.sleep("1 second"), nothingFound)
      const fiber = yield* Effect.fork(
        Checkers.make(ids.map((id) => checker(id, slow))).checkAll("https://example.com/")
      )
      yield* TestClock.adjust("1 second")
      const outcomes = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        outcomes.map(({ elapsed }) => elapsed),
        [1000, 1000, 1000, 1000, 1000, 1000]
      )
    })
  )

  it.effect("each checker has a budget of its own", () =>
    Effect.gen(function* () {
      const checkers = Checkers.make([
        checker("feed_a", () => Effect.never, Duration.millis(100)),
        checker("feed_b", () => Effect.never, Duration.millis(300))
      ])
      const fiber = yield* Effect.fork(checkers.checkAll("https://example.com/"))
      yield* TestClock.adjust("1 second")
      const outcomes = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        outcomes.map(({ status, elapsed }) => [status, elapsed]),
        [
          ["timeout", 100],
          ["timeout", 300]
        ]
      )
    })
  )

  it.effect("hands every checker the same parsed subject", () =>
    Effect.gen(function* () {
      const seen = yield* Ref.make<ReadonlyArray<unknown>>([])
      const look: Checker["check"] = (subject) =>
        Effect.as(
          Ref.update(seen, (all) => [...all, subject]),
          nothingFound
        )
      yield* Checkers.make(ids.map((id) => checker(id, look))).checkAll("HTTP://Example.com:80/a/../b")
      const subjects = yield* Ref.get(seen)
      assert.strictEqual(subjects.length, 6)
      assert.strictEqual(new Set(subjects).size, 1)
    })
  )

  it.effect("a checker's time does not hold its neighbours' work on the thread", () =>
    Effect.gen(function* () {
      let nanos = 0n
      const clock = {
        ...(yield* Effect.clock),
        unsafeCurrentTimeNanos: () => nanos,
        unsafeCurrentTimeMillis: () => 0
      }
      const works = (millis: number, neverWaits: boolean): Partial<Checker> => ({
        ...(neverWaits ? { neverWaits: true as const } : {}),
        check: () =>
          Effect.sync(() => {
            nanos += BigInt(millis) * 1_000_000n
            return nothingFound
          })
      })
      const checkers = Checkers.make([
        { ...quiet("heuristics"), ...works(5, true) },
        { ...quiet("feed_a"), ...works(1, true) },
        { ...quiet("reputation_lookup"), ...works(3, false) },
        { ...quiet("feed_b"), ...works(2, true) }
      ])
      const outcomes = yield* Effect.withClock(checkers.checkAll("https://example.com/"), clock)
      assert.deepStrictEqual(
        outcomes.map(({ elapsed }) => elapsed),
        [5, 1, 3, 2]
      )
    })
  )

  it.effect("counts what a checker that waits computes first as its own time, not as the next one's", () =>
    Effect.gen(function* () {
      let nanos = 0n
      const clock = {
        ...(yield* Effect.clock),
        unsafeCurrentTimeNanos: () => nanos,
        unsafeCurrentTimeMillis: () => 0
      }
      const works = (millis: number) => {
        nanos += BigInt(millis) * 1_000_000n
        return nothingFound
      }
      const checkers = Checkers.make([
        { ...quiet("heuristics"), neverWaits: true, check: () => Exit.succeed(works(5)) },
        checker("feed_a", () =>
          Effect.as(
            Effect.sync(() => works(3)),
            works(4)
          )
        ),
        checker("reputation_lookup", () =>
          Effect.as(
            Effect.flatMap(Effect.yieldNow(), () => Effect.sync(() => works(16))),
            works(8)
          )
        ),
        { ...quiet("feed_b"), neverWaits: true, check: () => Exit.succeed(works(2)) },
        {
          ...quiet("feed_c"),
          neverWaits: true,
          check: () =>
            Effect.as(
              Effect.sync(() => works(1)),
              works(32)
            )
        },
        { ...quiet("feed_d"), neverWaits: true, check: () => Exit.succeed(works(64)) }
      ])
      const outcomes = yield* Effect.withClock(checkers.checkAll("https://example.com/"), clock)
      assert.deepStrictEqual(
        outcomes.map(({ elapsed }) => elapsed),
        [5, 3 + 4, 16 + 8 + 1 /* beside feed_c */, 2, 32 + 1, 64]
      )
    })
  )

  it.effect("takes what a checker knows at once, and what it throws", () =>
    Effect.gen(function* () {
      const malformed = new CheckerError({ checker: "feed_c", reason: "Malformed" })
      const checkers = Checkers.make([
        checker("feed_a", () => Exit.succeed(nothingFound)),
        checker("feed_b", () => Exit.succeed({ findings: [], stale: true })),
        checker("feed_c", () => Exit.fail(malformed)),
        checker("feed_d", () => {
          throw new Error("bug")
        })
      ])
      assert.strictEqual(yield* statuses(checkers), "feed_a=ok feed_b=stale feed_c=malformed feed_d=failed")
    })
  )

  it.effect("times one that waits from its own beginning, beside others that do not", () =>
    Effect.gen(function* () {
      const checkers = Checkers.make([
        quiet("heuristics"),
        checker("reputation_lookup", () => Effect.as(Effect.sleep("40 millis"), nothingFound)),
        quiet("feed_b")
      ])
      const fiber = yield* Effect.fork(checkers.checkAll("https://example.com/"))
      yield* TestClock.adjust("40 millis")
      assert.deepStrictEqual(
        (yield* Fiber.join(fiber)).map(({ elapsed }) => elapsed),
        [0, 40, 0]
      )
    })
  )

  it.effect("a defect of a checker that never waits is its failure too", () =>
    Effect.gen(function* () {
      const checkers = Checkers.make([
        {
          ...quiet("heuristics"),
          neverWaits: true,
          check: () => {
            throw new Error("bug")
          }
        },
        { ...quiet("feed_a"), neverWaits: true, check: () => Effect.die(new Error("bug")) },
        { ...quiet("feed_b"), neverWaits: true }
      ])
      assert.strictEqual(yield* statuses(checkers), "heuristics=failed feed_a=failed feed_b=ok")
    })
  )

  it.effect("times one that throws, and those after it, by their own work", () =>
    Effect.gen(function* () {
      let nanos = 0n
      const clock = {
        ...(yield* Effect.clock),
        unsafeCurrentTimeNanos: () => nanos,
        unsafeCurrentTimeMillis: () => 0
      }
      const works = (id: CheckerId, millis: number, answer: () => ReturnType<Checker["check"]>): Checker => ({
        ...quiet(id),
        neverWaits: true,
        check: () => {
          nanos += BigInt(millis) * 1_000_000n
          return answer()
        }
      })
      const checkers = Checkers.make([
        works("heuristics", 5, () => {
          throw new Error("bug")
        }),
        works("feed_a", 1, () => Effect.succeed(nothingFound)),
        works("feed_b", 2, () => Effect.die(new Error("bug")))
      ])
      const outcomes = yield* Effect.withClock(checkers.checkAll("https://example.com/"), clock)
      assert.deepStrictEqual(
        outcomes.map(({ status, elapsed }) => [status, elapsed]),
        [
          ["failed", 5],
          ["ok", 1],
          ["failed", 2]
        ]
      )
    })
  )

  it.effect("interrupts what still runs when the request is interrupted", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(
        six({
          feed_d: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined)),
          feed_a: () => Effect.never
        }).checkAll("x")
      )
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(interrupted)
    })
  )
})
