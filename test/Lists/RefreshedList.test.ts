import { SystemError } from "@effect/platform/Error"
import { assert, describe } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, Duration, Effect, Exit, Option, Random, Scope, TestClock, type Tracer } from "effect"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import { ListError } from "../../src/Lists/ListError.ts"
import * as JumpingDate from "../fixtures/JumpingDate.ts"
import * as LogLines from "../fixtures/LogLines.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { adjust, eventually, eventuallyLater } from "../fixtures/NextTurn.ts"
import {
  kinds,
  REFRESH,
  refused,
  SECRET,
  type Source,
  START,
  type Started,
  settled,
  testsOf
} from "../fixtures/RefreshedLists.ts"

const pass = (duration: Duration.DurationInput) =>
  Effect.zipRight(settled, Effect.zipRight(adjust(duration), settled))

const notWritable = Effect.fail(
  new SystemError({
    module: "FileSystem",
    method: "open",
    reason: "Unknown",
    cause: Object.assign(new Error("read-only file system"), { code: "EROFS" })
  })
)

/** What every list does that refreshes itself. What replicas share is in `RefreshedList/SharedList.test.ts`. */
describe.each(kinds)("%s", (_, kind) => {
  const inTime = testsOf(kind)

  const untilEntries = ({ entries }: Started, expected: number) =>
    eventually(
      `the list has ${expected} entries`,
      Effect.sync(() => entries() === expected)
    ).pipe(Effect.zipRight(settled))

  const untilError = ({ error }: Started, expected: RegExp | undefined) =>
    eventuallyLater(
      `the error is ${expected}`,
      "5 minutes",
      Effect.sync(() => (expected === undefined ? error() === undefined : expected.test(error() ?? "")))
    )

  /** A process that starts, has the list and ends. */
  const once = (source: Source, disk: MemoryDisk.MemoryDisk) =>
    Effect.scoped(Effect.flatMap(source.start(disk), (list) => untilEntries(list, 1)))

  const waitOf = ({ state }: Started) =>
    Effect.map(Clock.currentTimeMillis, (now) => Option.getOrThrow(state().nextAttemptAt) - now)

  /** Lets the time pass until the next request, which is not sent earlier. */
  const nextRequest = (source: Source, list: Started) =>
    Effect.gen(function* () {
      const at = Option.getOrThrow(list.state().nextAttemptAt)
      const sent = source.requestedAt.length
      yield* TestClock.setTime(at - 1)
      yield* settled
      assert.strictEqual(source.requestedAt.length, sent)
      yield* adjust("1 millis")
      yield* eventually(
        "the next request is sent",
        Effect.sync(() => source.requestedAt.length === sent + 1)
      )
      yield* settled
    })

  inTime("is requested at once without a saved list, and again when it is due", (source) =>
    Effect.gen(function* () {
      const list = yield* source.start(MemoryDisk.make())
      yield* untilEntries(list, 1)
      const wait = yield* waitOf(list)
      assert.isAtLeast(wait, Duration.toMillis(REFRESH))
      assert.isAtMost(wait, 1.1 * Duration.toMillis(REFRESH))
      source.answer(Effect.succeed("second"))
      yield* nextRequest(source, list)
      yield* untilEntries(list, 2)
      assert.strictEqual(source.requestedAt[0], START)
    })
  )

  for (const [how, minutes, isRequested] of [
    ["past its time", 30, true],
    ["forward, but not past its time", 0.5, false],
    ["back, so that its age is unknown", -6, true],
    ["back by the difference that clocks may have", -5, false]
  ] as const)
    inTime(`is ${isRequested ? "" : "not "}requested within a minute after the date jumps ${how}`, (source) =>
      Effect.gen(function* () {
        const { clock, jump } = yield* JumpingDate.make
        yield* untilEntries(yield* Effect.withClock(source.start(MemoryDisk.make()), clock), 1)
        jump(minutes * 60_000)
        yield* pass("1 minute")
        assert.strictEqual(source.requestedAt.length, isRequested ? 2 : 1)
        yield* pass(Duration.times(REFRESH, 0.8))
        assert.strictEqual(source.requestedAt.length, isRequested ? 2 : 1)
      })
    )

  inTime("is not waited for at the start, and its request ends with the scope", (source) =>
    Effect.gen(function* () {
      let isEnded = false
      source.answer(
        Effect.onInterrupt(Effect.never, () =>
          Effect.sync(() => {
            isEnded = true
          })
        )
      )
      const scope = yield* Scope.make()
      const list = yield* Scope.extend(source.start(MemoryDisk.make()), scope)
      yield* eventually(
        "a request is sent",
        Effect.sync(() => source.requestedAt.length === 1)
      )
      assert.strictEqual(list.entries(), 0)
      deepStrictEqual(
        [list.state().lastError, list.state().nextAttemptAt, list.saveError()],
        [Option.none(), Option.none(), Option.none()]
      )
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(isEnded)
      yield* pass("1 day")
      assert.strictEqual(source.requestedAt.length, 1)
    })
  )

  inTime("is there at once after a restart, and is not requested early", (source) =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* once(source, disk)
      yield* adjust("4 minutes")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const list = yield* source.start(disk)
          assert.strictEqual(list.entries(), 1)
          yield* settled
          assert.isAtLeast(yield* waitOf(list), Duration.toMillis("6 minutes"))
          assert.isAtMost(yield* waitOf(list), Duration.toMillis("7 minutes"))
          yield* pass("2 minutes")
          assert.strictEqual(source.requestedAt.length, 1)
        })
      )
      yield* adjust("1 day")
      const list = yield* source.start(disk)
      assert.strictEqual(list.entries(), 1)
      yield* pass("1 minutes")
      assert.strictEqual(source.requestedAt.length, 2, "it is overdue")
    })
  )

  inTime("stays after errors, defects and timeouts, which the state shows until the next success", (source) =>
    Effect.gen(function* () {
      const list = yield* source.start(MemoryDisk.make())
      yield* untilEntries(list, 1)
      const { answeredAt } = Option.getOrThrow(list.state().snapshot)
      for (const [answer, message] of [
        [refused(), /^Status \(429\)$/],
        [Effect.fail(new ListError("WorkerDied", "exit 1")), /^WorkerDied \(exit 1\)$/],
        [Effect.dieMessage("a bug"), /^Defect$/],
        [Effect.never, /^Timeout/]
      ] as const) {
        source.answer(answer)
        yield* untilError(list, message)
        assert.strictEqual(list.entries(), 1)
        assert.strictEqual(Option.getOrThrow(list.state().snapshot).answeredAt, answeredAt)
      }
      const { at } = Option.getOrThrow(list.state().lastError)
      assert.isAtMost(at - (source.requestedAt.at(-1) ?? 0), Duration.toMillis("10 minutes"))
      source.answer(Effect.succeed("second"))
      yield* untilError(list, undefined)
      assert.strictEqual(list.entries(), 2)
    })
  )

  inTime("is requested less and less often while requests fail, and as before after a success", (source) =>
    Effect.withRandom(
      Effect.gen(function* () {
        source.answer(refused())
        const list = yield* source.start(MemoryDisk.make())
        yield* settled
        const first = yield* waitOf(list)
        for (const factor of [2, 4]) {
          yield* nextRequest(source, list)
          assert.closeTo(yield* waitOf(list), factor * first, 1)
        }
        source.answer(Effect.succeed("first"))
        yield* nextRequest(source, list)
        yield* untilEntries(list, 1)
        assert.isAtMost(yield* waitOf(list), 1.1 * Duration.toMillis(REFRESH))
        source.answer(refused())
        yield* nextRequest(source, list)
        assert.closeTo(yield* waitOf(list), first, 1)
      }),
      Random.fixed([0.5])
    )
  )

  inTime("is not requested before the time of Retry-After", (source) =>
    Effect.gen(function* () {
      source.answer(refused("2 hours"))
      const list = yield* source.start(MemoryDisk.make())
      yield* settled
      assert.isAtLeast(yield* waitOf(list), Duration.toMillis("2 hours"))
      source.answer(Effect.succeed("first"))
      yield* nextRequest(source, list)
      yield* untilEntries(list, 1)
    })
  )

  inTime("is written as a whole, also when only its times are new", (source) =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const list = yield* source.start(disk)
      yield* untilEntries(list, 1)
      deepStrictEqual([...disk.files.keys()], [`${kind.file}.list`])
      // Written aside under a name of its own, flushed and renamed.
      const [open = "", ...steps] = disk.done.filter((step, i) => step !== disk.done[i - 1]).slice(-4)
      assert.match(open, /^open data\/.*\.list\.[0-9a-f-]{36}$/)
      deepStrictEqual(steps, ["write", "sync", `rename ${kind.file}.list`])

      const written = disk.done.length
      yield* nextRequest(source, list)
      deepStrictEqual(
        disk.done.slice(written).filter((step) => step.startsWith("rename")),
        [`rename ${kind.file}.list`]
      )
      for (const [, content] of disk.files)
        for (const secret of [SECRET, "example"]) assert.notInclude(content.toString("latin1"), secret)

      const { answeredAt } = Option.getOrThrow(list.state().snapshot)
      assert.isAtLeast(answeredAt, START + Duration.toMillis(REFRESH))
      const again = yield* source.start(disk)
      assert.strictEqual(Option.getOrThrow(again.state().snapshot).answeredAt, answeredAt)
    })
  )

  inTime(
    "is used when it cannot be saved, which the state says until it can, and the log once for each reason",
    (source) =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const messages: Array<string | undefined> = []
        const [, lines] = yield* LogLines.logged(
          Effect.gen(function* () {
            disk.error = notWritable
            const list = yield* source.start(disk)
            yield* untilEntries(list, 1)
            for (const error of [Effect.dieMessage("a bug"), undefined]) {
              messages.push(Option.getOrUndefined(list.saveError())?.message)
              disk.error = error
              source.answer(Effect.succeed("second"))
              yield* nextRequest(source, list)
              yield* untilEntries(list, 2)
            }
            deepStrictEqual(list.saveError(), Option.none())
          })
        )
        deepStrictEqual(messages, ["not saved (EROFS)", "not saved (Defect)"])
        deepStrictEqual(
          lines.filter(({ path }) => path !== undefined),
          ["EROFS", "Defect"].map((reason) => ({
            level: "warning",
            message: "A threat list is in memory only. Can the service write to DATA_DIR?",
            feed: kind.name,
            source: kind.source,
            path: `${kind.file}.list`,
            reason
          }))
        )
      })
  )

  inTime("is used and refreshed while the disk hangs", (source) =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      disk.error = Effect.never
      const list = yield* source.start(disk)
      yield* pass("5 seconds")
      yield* untilEntries(list, 1)
      yield* pass("1 minutes")
      assert.strictEqual(Option.getOrThrow(list.saveError()).message, "not saved (Timeout)")
      source.answer(Effect.succeed("second"))
      yield* nextRequest(source, list)
      yield* untilEntries(list, 2)
    })
  )

  inTime("is requested anew, with a word in state and log, when its file is damaged", (source) =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* once(source, disk)
      const path = `${kind.file}.list`
      const whole = disk.files.get(path) ?? assert.fail("no file")
      disk.files.set(path, whole.subarray(0, whole.length - 40))
      source.answer(refused())
      const [, lines] = yield* LogLines.logged(
        Effect.gen(function* () {
          const list = yield* source.start(disk)
          deepStrictEqual(
            list.saveError(),
            Option.some({ message: "saved list not usable (Damaged)", at: START })
          )
          yield* untilError(list, /^Status/)
          assert.strictEqual(list.entries(), 0)
          source.answer(Effect.succeed("first"))
          yield* nextRequest(source, list)
          yield* untilEntries(list, 1)
          deepStrictEqual(list.saveError(), Option.none())
        })
      )
      deepStrictEqual(lines[0], {
        level: "warning",
        message: "A saved threat list cannot be used and is fetched anew",
        feed: kind.name,
        source: kind.source,
        path,
        reason: "Damaged"
      })
    })
  )

  inTime("is requested at once when the file is of another address", (source) =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* once(source, disk)
      source.answer(Effect.never)
      const list = yield* source.start(disk, undefined, true)
      assert.strictEqual(
        Option.getOrThrow(list.saveError()).message,
        `saved list not usable (${kind.otherReason})`
      )
      assert.strictEqual(list.entries(), 0)
      yield* settled
      assert.strictEqual(source.requestedAt.length, 2)
    })
  )

  inTime(
    "is logged with its source: each list, each new reason once, and never an address or a key",
    (source) =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const [, lines] = yield* LogLines.logged(
          Effect.gen(function* () {
            yield* once(source, disk)
            yield* adjust("3 minutes")
            const list = yield* source.start(disk)
            source.answer(refused())
            yield* nextRequest(source, list)
            yield* nextRequest(source, list)
            source.answer(Effect.dieMessage("a bug"))
            yield* nextRequest(source, list)
            source.answer(Effect.succeed("second"))
            yield* nextRequest(source, list)
            yield* untilEntries(list, 2)
          })
        )
        const [used, loaded, failed, bug, defect, usedAgain, ...others] = lines
        deepStrictEqual(others, [])
        deepStrictEqual(
          [used, loaded, usedAgain].map((line) => line?.message),
          [
            `${kind.name} is up to date: 1 entry from ${kind.source}`,
            `${kind.name} was loaded from DATA_DIR: 1 entry from ${kind.source}, 3 minutes old`,
            `${kind.name} is up to date: 2 entries from ${kind.source}`
          ]
        )
        assert.deepInclude(failed, { level: "warning", reason: "Status (429)" })
        assert.deepInclude(bug, { level: "error", message: "Refreshing a threat list failed" })
        assert.include(bug?.cause, "a bug")
        assert.deepInclude(defect, { level: "warning", reason: "Defect" })
        for (const line of lines) assert.deepInclude(line, { feed: kind.name, source: kind.source })
        for (const secret of [SECRET, "https://"]) assert.notInclude(JSON.stringify(lines), secret)
      })
  )

  inTime("is counted by the outcome of each request", (source) =>
    Effect.gen(function* () {
      const { text } = yield* Metrics
      const counted = (changed: number, unchanged: number, failed: number) =>
        deepStrictEqual(
          Array.from(text().matchAll(/^threat_scoring_list_refreshes_total(.*)$/gm), ([, series]) => series),
          Object.entries({ changed, failed, unchanged }).map(
            ([outcome, count]) => `{list="${kind.name}",outcome="${outcome}"} ${count}`
          )
        )
      const list = yield* source.start(MemoryDisk.make())
      yield* untilEntries(list, 1)
      counted(1, 0, 0)
      yield* nextRequest(source, list)
      counted(1, 1, 0)
      source.answer(refused())
      yield* nextRequest(source, list)
      source.answer(Effect.dieMessage("a bug"))
      yield* nextRequest(source, list)
      counted(1, 1, 2)
      source.answer(Effect.succeed("second"))
      yield* nextRequest(source, list)
      yield* untilEntries(list, 2)
      counted(2, 1, 2)
    }).pipe(Effect.provide(Metrics.layer))
  )

  inTime("is refreshed in a trace of its own", (source) =>
    Effect.gen(function* () {
      const spans: Array<Tracer.AnySpan | undefined> = []
      source.answer(
        Effect.flatMap(Effect.option(Effect.currentParentSpan), (span) => {
          spans.push(Option.getOrUndefined(span))
          return Effect.fail(new ListError("WorkerDied"))
        })
      )
      yield* Effect.withSpan(source.start(MemoryDisk.make()), "another")
      yield* eventually(
        "one span has ended",
        Effect.sync(() => spans.length === 1)
      )
      const [span] = spans
      if (span?._tag !== "Span") return assert.fail("no span")
      assert.strictEqual(span.name, "RefreshedList.refresh")
      deepStrictEqual(span.parent, Option.none())
      // Effect adds where an error was made.
      deepStrictEqual(
        [...span.attributes.keys()].filter((name) => name !== "code.stacktrace"),
        ["source"]
      )
    })
  )
})
