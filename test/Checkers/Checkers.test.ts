import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Logger, Ref } from "effect"
import { type CheckerId, checkerIds } from "../../src/Checkers/Checker/CheckerNames.ts"
import * as CheckerTelemetry from "../../src/Checkers/Checker/CheckerTelemetry.ts"
import {
  type AskingChecker,
  type CheckExit,
  type Checker,
  CheckerError,
  nothingFound,
  type Outcome
} from "../../src/Checkers/Checker.ts"
import { type Checked, Checkers } from "../../src/Checkers/Checkers.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import * as Slices from "../../src/Layers/Time/Slices.ts"
import { logged } from "../fixtures/LogLines.ts"
import * as NanosClock from "../fixtures/NanosClock.ts"
import { adjust, nextTurn, turnsUntil } from "../fixtures/NextTurn.ts"
import { outcomesBy } from "../fixtures/Outcomes.ts"

/** Enough for several slices. */
const turns = Effect.repeatN(nextTurn, 20)

const ids = checkerIds

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
  Effect.map(outcomesBy(checkers, "https://example.com/"), (outcomes) =>
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
      const checkers = six({
        feed_a: () => {
          throw new TypeError("thrown while building the effect")
        },
        feed_b: () => Effect.die(new Error("died"))
      })
      const [found, lines] = yield* logged(statuses(checkers))
      assert.strictEqual(
        found,
        "heuristics=ok feed_a=failed reputation_lookup=ok feed_b=failed feed_c=ok feed_d=ok"
      )
      assert.deepStrictEqual(
        lines.map(({ message, cause }) => [message, String(cause).split("\n", 1)[0]]),
        [
          ["A checker failed", "TypeError: thrown while building the effect"],
          ["A checker failed", "Error: died"]
        ]
      )
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
      const fiber = yield* Effect.fork(outcomesBy(checkers, "https://example.com/"))
      yield* adjust("1999 millis")
      assert.isNull(fiber.unsafePoll())
      yield* adjust("1 millis")
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
        outcomesBy(Checkers.make(ids.map((id) => checker(id, slow))), "https://example.com/")
      )
      yield* adjust("1 second")
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
      const fiber = yield* Effect.fork(outcomesBy(checkers, "https://example.com/"))
      yield* adjust("1 second")
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
      const outcomes = yield* Effect.withClock(outcomesBy(checkers, "https://example.com/"), clock)
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

  it.effect("counts the time of reading the submission as time of the first checker, and of no other", () =>
    Effect.gen(function* () {
      const { clock, advance } = yield* NanosClock.make
      const readsIn7Millis = {
        ...clock,
        // `Submission.read` reads it once.
        unsafeCurrentTimeMillis: () => {
          advance(7)
          return 0
        }
      }
      const { checker: asking } = makeAsking()
      const slow: AskingChecker<string> = {
        ...asking,
        prepare: (submission) => {
          advance(3)
          return asking.prepare(submission)
        }
      }
      const checkers = Checkers.make([quiet("heuristics"), slow, quiet("feed_b")])
      const times = ({ outcomes }: Checked) => outcomes.map(({ elapsed }) => elapsed)
      assert.deepStrictEqual(
        times(yield* Effect.withClock(checkers.checkAll("a"), readsIn7Millis)),
        [7, 3, 0]
      )
      const slices = yield* Slices.make
      const many = checkers.checkMany(["a", "known"], slices, (_, checked) => times(checked))
      assert.deepStrictEqual(yield* Effect.withClock(many, readsIn7Millis), [
        [7, 3, 0],
        [7, 3, 0]
      ])
    })
  )

  it.effect("a check that computes for more than 50 ms is logged and counted, without its text", () =>
    Effect.gen(function* () {
      const { clock, advance } = yield* NanosClock.make
      const computes = (millis: number) =>
        checker("heuristics", () => {
          advance(millis)
          return Exit.succeed(nothingFound)
        })
      const submitted = "https://a.example/?url=https://secret.example/"
      const linesOf = (millis: number) =>
        Effect.gen(function* () {
          const { checker: asking } = makeAsking()
          const checkers = Checkers.make([computes(millis), asking], yield* CheckerTelemetry.make)
          const slices = yield* Slices.make
          const both = Effect.zipRight(
            checkers.checkAll(submitted),
            checkers.checkMany([submitted], slices, () => undefined)
          )
          const [, lines] = yield* logged(Effect.withClock(both, clock))
          return lines
        })
      assert.deepStrictEqual(yield* linesOf(50), [])
      const line = {
        level: "info",
        message: "A check computed for more than 50 ms",
        millis: 51,
        characters: submitted.length,
        addresses: 2
      }
      assert.deepStrictEqual(yield* linesOf(51), [line, line])
      assert.include((yield* Metrics).text(), "\nthreat_scoring_slow_checks_total 2\n")
    }).pipe(Effect.provide(Metrics.layer))
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
      const outcomes = yield* Effect.withClock(outcomesBy(checkers, "https://example.com/"), clock)
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
      const fiber = yield* Effect.fork(outcomesBy(checkers, "https://example.com/"))
      yield* adjust("40 millis")
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
      yield* outcomesBy(checkers, "https://example.com/")
      const after = yield* checkers.latest
      status = () => Exit.fail(new CheckerError({ checker: "feed_a", reason: "Unavailable" }))
      yield* outcomesBy(checkers, "https://example.com/")
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
      yield* adjust("1 second")
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(interrupted)
    })
  )
})

/** A checker that asks about submitted strings, and notes about which. Those that begin with "known" need no asking. */
const makeAsking = ({
  answered = Effect.void,
  check = () => Exit.succeed(nothingFound)
}: {
  readonly answered?: Effect.Effect<void>
  readonly check?: (submitted: string) => CheckExit
} = {}) => {
  const asked: Array<ReadonlyArray<string>> = []
  const checked: Array<string> = []
  const checker: AskingChecker<string> = {
    id: "reputation_lookup",
    prepare: ({ submitted }) =>
      submitted.startsWith("known") ? Exit.succeed({ findings: [], stale: true }) : submitted,
    ask: (lookups) => {
      asked.push(lookups)
      return Effect.as(answered, (lookup) => {
        checked.push(lookup)
        return check(lookup)
      })
    }
  }
  return { checker, asked, checked }
}

const timedOut = Exit.fail(new CheckerError({ checker: "reputation_lookup", reason: "Timeout" }))

const tokens = (outcomes: ReadonlyArray<Outcome>) =>
  outcomes.map(({ checker, status }) => `${checker}=${status}`).join()

describe("a checker that asks", () => {
  it.effect("decides when all is answered, beside the others, and is timed with both steps", () =>
    Effect.gen(function* () {
      const { clock, advance } = yield* NanosClock.make
      const { asked, checker: asking } = makeAsking({
        answered: Effect.sync(() => advance(40)),
        check: () => {
          advance(2)
          return Exit.succeed({ findings: [], stale: true })
        }
      })
      const checkers = Checkers.make([quiet("heuristics"), asking, quiet("feed_b")])
      const outcomes = yield* Effect.withClock(outcomesBy(checkers, "new"), clock)
      assert.deepStrictEqual(
        outcomes.map(({ checker, elapsed, status }) => [checker, status, elapsed]),
        [
          ["heuristics", "ok", 0],
          ["reputation_lookup", "stale", 42],
          ["feed_b", "ok", 0]
        ]
      )
      assert.deepStrictEqual(asked, [["new"]])
    })
  )

  it.effect("is not asked, and nothing waits, if it decides in memory", () =>
    Effect.gen(function* () {
      const { asked, checked, checker: asking } = makeAsking()
      const checkers = Checkers.make([quiet("heuristics"), asking])
      assert.strictEqual(
        tokens(yield* outcomesBy(checkers, "known")),
        "heuristics=ok,reputation_lookup=stale"
      )
      assert.deepStrictEqual([asked, checked], [[], []])
    })
  )

  it.effect("has failed if one of its steps throws, dies or interrupts itself; the others go on", () =>
    Effect.gen(function* () {
      const { checker: asking } = makeAsking()
      const fail = () => {
        throw new TypeError("bug")
      }
      for (const broken of [
        { ...asking, prepare: fail },
        { ...asking, ask: fail },
        { ...asking, ask: () => Effect.die(new Error("bug")) },
        makeAsking({ answered: Effect.interrupt }).checker,
        makeAsking({ check: fail }).checker,
        makeAsking({ check: () => Exit.die(new Error("bug")) }).checker
      ]) {
        const checkers = Checkers.make([quiet("heuristics"), broken])
        const expected = "heuristics=ok,reputation_lookup=failed"
        assert.strictEqual(tokens(yield* outcomesBy(checkers, "new")), expected)
        const slices = yield* Slices.make
        assert.deepStrictEqual(
          yield* checkers.checkMany(["new"], slices, (_, { outcomes }) => tokens(outcomes)),
          [expected]
        )
      }
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )
})

describe("decisions", () => {
  it.live("are about the submission that the checkers read, once", () =>
    Effect.gen(function* () {
      const checked: Array<unknown> = []
      const decided: Array<unknown> = []
      const watching = checker("heuristics", (submission) => {
        checked.push(submission)
        return Effect.succeed(nothingFound)
      })
      const checkers = Checkers.make([watching], undefined, (submission) => {
        decided.push(submission)
        return submission.addresses.map(() => "allow")
      })
      const url = "https://example.com/?next=https://example.net/"
      assert.deepStrictEqual((yield* checkers.checkAll(url)).decisions, ["allow", "allow"])
      const slices = yield* Slices.make
      assert.deepStrictEqual(
        yield* checkers.checkMany([url, "x"], slices, (_, { decisions }) => decisions.length),
        [2, 1]
      )
      assert.strictEqual(checked.length, 3)
      for (const [index, submission] of checked.entries()) assert.strictEqual(submission, decided[index])
    })
  )
})

describe("checkMany", () => {
  const checkMany = (checkers: Checkers["Type"], submitted: ReadonlyArray<string>) =>
    Effect.flatMap(Slices.make, (slices) =>
      checkers.checkMany(submitted, slices, (each, { outcomes }) => `${each}: ${tokens(outcomes)}`)
    )

  it.live("asks once about all that must be asked about, and returns the results in order", () =>
    Effect.gen(function* () {
      const { asked, checker: asking } = makeAsking({
        check: (submitted) => (submitted === "b" ? timedOut : Exit.succeed(nothingFound))
      })
      const checkers = Checkers.make([quiet("heuristics"), asking])
      assert.deepStrictEqual(yield* checkMany(checkers, ["a", "known", "b", "a"]), [
        "a: heuristics=ok,reputation_lookup=ok",
        "known: heuristics=ok,reputation_lookup=stale",
        "b: heuristics=ok,reputation_lookup=timeout",
        "a: heuristics=ok,reputation_lookup=ok"
      ])
      assert.deepStrictEqual(asked, [["a", "b", "a"]])
      yield* checkMany(checkers, ["known", "known too"])
      assert.lengthOf(asked, 1)
      assert.deepStrictEqual(
        [...(yield* checkers.latest)],
        [
          ["heuristics", "ok"],
          ["reputation_lookup", "stale"]
        ]
      )
    })
  )

  it.live("checks without a checker that asks, and nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* checkMany(Checkers.make([quiet("feed_a")]), ["a"]), ["a: feed_a=ok"])
      assert.deepStrictEqual(yield* checkMany(six({}), []), [])
    })
  )

  it.effect("times the asking for each string that was asked about, and each step by its own work", () =>
    Effect.gen(function* () {
      const { clock, advance } = yield* NanosClock.make
      const { checker: asking } = makeAsking({
        answered: Effect.sync(() => advance(40))
      })
      const slow: AskingChecker<string> = {
        ...asking,
        prepare: (submission) => {
          advance(3)
          return asking.prepare(submission)
        }
      }
      const computing = checker("heuristics", () => {
        advance(5)
        return Exit.succeed(nothingFound)
      })
      const times = Effect.flatMap(Slices.make, (slices) =>
        Checkers.make([computing, slow]).checkMany(["a", "known", "b"], slices, (_, { outcomes }) =>
          outcomes.map(({ elapsed }) => elapsed)
        )
      )
      assert.deepStrictEqual(yield* Effect.withClock(times, clock), [
        [5, 43],
        [5, 3],
        [5, 43]
      ])
    })
  )

  it.effect("gives a local checker that waits its budget for each string", () =>
    Effect.gen(function* () {
      const checkers = Checkers.make([
        quiet("heuristics"),
        checker("feed_a", ({ submitted }) =>
          submitted === "b" ? Effect.never : Effect.succeed(nothingFound)
        )
      ])
      const fiber = yield* Effect.fork(checkMany(checkers, ["a", "b", "c"]))
      yield* Effect.zipRight(turns, adjust("2 seconds"))
      yield* turns
      assert.deepStrictEqual(yield* Fiber.join(fiber), [
        "a: heuristics=ok,feed_a=ok",
        "b: heuristics=ok,feed_a=timeout",
        "c: heuristics=ok,feed_a=ok"
      ])
    })
  )

  it.live("turns a defect at one string into that checker's failure there", () =>
    Effect.gen(function* () {
      const bug = (submitted: string) => {
        if (submitted === "bad") throw new TypeError("bug")
        return Exit.succeed(nothingFound)
      }
      const checkers = Checkers.make([
        checker("feed_a", ({ submitted }) => bug(submitted)),
        makeAsking({ check: bug }).checker
      ])
      assert.deepStrictEqual(yield* checkMany(checkers, ["a", "bad", "b"]), [
        "a: feed_a=ok,reputation_lookup=ok",
        "bad: feed_a=failed,reputation_lookup=failed",
        "b: feed_a=ok,reputation_lookup=ok"
      ])
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )

  it.live("dies with what resultOf throws", () =>
    Effect.gen(function* () {
      const bug = new Error("bug")
      const exit = yield* Effect.exit(
        Effect.flatMap(Slices.make, (slices) =>
          six({}).checkMany(["a", "b"], slices, (each) => {
            if (each === "b") throw bug
          })
        )
      )
      assert.deepStrictEqual(exit, Exit.die(bug))
    })
  )

  it.live("ends its work when it is interrupted while it waits for answers", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<void>()
      const { asked, checked, checker: asking } = makeAsking({ answered: Deferred.await(answer) })
      const fiber = yield* Effect.fork(checkMany(Checkers.make([asking]), ["a", "b"]))
      yield* turnsUntil("the checker is asked", () => asked.length === 1)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.succeed(answer, undefined)
      yield* turns
      assert.deepStrictEqual(checked, [])
    })
  )
})
