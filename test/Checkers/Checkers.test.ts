import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Logger, Ref, TestClock } from "effect"
import { type Checker, CheckerError, CheckerId, nothingFound } from "../../src/Checkers/Checker.ts"
import { Checkers } from "../../src/Checkers/Checkers.ts"
import * as NanosClock from "../fixtures/NanosClock.ts"

const ids = CheckerId.literals

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

  it.effect("gives every checker the same parsed submission", () =>
    Effect.gen(function* () {
      const seen = yield* Ref.make<ReadonlyArray<unknown>>([])
      const look: Checker["check"] = (submission) =>
        Effect.as(
          Ref.update(seen, (all) => [...all, submission]),
          nothingFound
        )
      yield* Checkers.make(ids.map((id) => checker(id, look))).checkAll("HTTP://Example.com:80/a/../b")
      const submissions = yield* Ref.get(seen)
      assert.strictEqual(submissions.length, 6)
      assert.strictEqual(new Set(submissions).size, 1)
    })
  )

  it.effect("times what a checker computes at once by its own work", () =>
    Effect.gen(function* () {
      const { clock, advance } = yield* NanosClock.make
      const works = (id: CheckerId, millis: number, check: Checker["check"]) =>
        checker(id, (submission) => {
          advance(millis)
          return check(submission)
        })
      const checkers = Checkers.make([
        works("heuristics", 5, () => Exit.succeed(nothingFound)),
        works("feed_a", 1, () => {
          throw new Error("bug")
        }),
        works("reputation_lookup", 3, () => Exit.die(new Error("bug"))),
        works("feed_b", 2, () => Exit.succeed(nothingFound))
      ])
      const outcomes = yield* Effect.withClock(checkers.checkAll("https://example.com/"), clock)
      assert.deepStrictEqual(
        outcomes.map(({ status, elapsed }) => [status, elapsed]),
        [
          ["ok", 5],
          ["failed", 1],
          ["failed", 3],
          ["ok", 2]
        ]
      )
    })
  )

  it.effect("counts what a checker computes before it waits as its own time", () =>
    Effect.gen(function* () {
      const { clock, advance } = yield* NanosClock.make
      const checkers = Checkers.make([
        checker("reputation_lookup", () => {
          advance(4)
          return Effect.sync(() => {
            advance(3)
            return nothingFound
          })
        }),
        checker("feed_b", () => {
          advance(2)
          return Exit.succeed(nothingFound)
        })
      ])
      const outcomes = yield* Effect.withClock(checkers.checkAll("https://example.com/"), clock)
      assert.deepStrictEqual(
        outcomes.map(({ elapsed }) => elapsed),
        [4 + 3, 2]
      )
    })
  )

  it.effect("takes an Exit, and what a checker throws", () =>
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

  it.effect("a checker that interrupts itself has failed, and the others go on", () =>
    Effect.gen(function* () {
      const checkers = six({
        feed_a: () => Effect.interrupt,
        feed_b: () => Effect.zipRight(Effect.yieldNow(), Effect.interrupt),
        feed_c: () => Effect.flatMap(Effect.fork(Effect.interrupt), Fiber.join)
      })
      assert.strictEqual(
        yield* statuses(checkers),
        "heuristics=ok feed_a=failed reputation_lookup=ok feed_b=failed feed_c=failed feed_d=ok"
      )
    })
  )

  it.effect("latest does not change under whoever has read it", () =>
    Effect.gen(function* () {
      let status: Checker["check"] = () => Exit.succeed(nothingFound)
      const checkers = Checkers.make([checker("feed_a", (submission) => status(submission))])
      const before = yield* checkers.latest
      yield* checkers.checkAll("https://example.com/")
      const after = yield* checkers.latest
      status = () => Exit.fail(new CheckerError({ checker: "feed_a", reason: "Unavailable" }))
      yield* checkers.checkAll("https://example.com/")
      assert.deepStrictEqual([...before], [])
      assert.deepStrictEqual([...after], [["feed_a", "ok"]])
      assert.deepStrictEqual([...(yield* checkers.latest)], [["feed_a", "unavailable"]])
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

describe("Checkers.batch", () => {
  it.effect("checks each string as checkAll does, and sends once what a checker asks about all of them", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const asking: Checker = {
        ...quiet("reputation_lookup"),
        batch: () => {
          let added: Array<string> = []
          return {
            add: ({ submitted }) => {
              added.push(submitted)
              return Effect.sync(() => {
                events.push(`checked ${submitted}`)
                return { findings: [], stale: submitted === "b" }
              })
            },
            send: Effect.sync(() => {
              events.push(`sent ${added.join()}`)
              added = []
            })
          }
        }
      }
      const checkers = Checkers.make([quiet("heuristics"), asking])
      const batch = yield* checkers.batch
      const checks = ["a", "b"].map(batch.add)
      assert.deepStrictEqual(events, [])
      yield* batch.send
      const outcomes = yield* Effect.all(checks.toReversed().map((check) => check()))
      assert.deepStrictEqual(events, ["sent a,b", "checked b", "checked a"])
      assert.deepStrictEqual(
        outcomes.map((each) => each.map(({ checker, status }) => `${checker}=${status}`).join()),
        ["heuristics=ok,reputation_lookup=stale", "heuristics=ok,reputation_lookup=ok"]
      )
    })
  )

  it.effect("turns what adding throws into a defect of that check alone", () =>
    Effect.gen(function* () {
      const throwing: Checker = {
        ...quiet("reputation_lookup"),
        batch: () => ({
          add: ({ submitted }) => {
            if (submitted === "bad") throw new TypeError("thrown")
            return Exit.succeed(nothingFound)
          },
          send: Effect.void
        })
      }
      const { add } = yield* Checkers.make([throwing]).batch
      const checks = ["bad", "good"].map(add)
      const outcomes = yield* Effect.all(checks.map((check) => check()))
      assert.deepStrictEqual(
        outcomes.map(([outcome]) => outcome?.status),
        ["failed", "ok"]
      )
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )

  it.effect("has its outcomes at once if no checker waits", () =>
    Effect.gen(function* () {
      const { add } = yield* six({}).batch
      assert.isTrue(Exit.isExit(add("https://example.com/")()))
    })
  )
})
