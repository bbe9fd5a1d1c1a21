import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Exit, Layer, Option, Redacted, Scope, TestClock, type Tracer } from "effect"
import * as HashListSet from "../../src/Lists/HashLists/HashListSet.ts"
import * as SetRefresh from "../../src/Lists/HashLists/SetRefresh.ts"
import { ListError } from "../../src/Lists/ListError.ts"
import type { NewDocument, NotModified } from "../../src/Lists/ListWorker/Messages.ts"
import { ListWorker } from "../../src/Lists/ListWorker.ts"
import type { ListState } from "../../src/Lists/RefreshedList/ListState.ts"
import * as RefreshedList from "../../src/Lists/RefreshedList.ts"
import type { SharedStoreShape } from "../../src/Lists/SharedStore.ts"
import * as FeedRefresh from "../../src/Lists/ThreatFeed/FeedRefresh.ts"
import { type Answer, failing, make as google, listing } from "../fixtures/ListUpdatesDouble.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { eventually, eventuallyLater, nextTurn } from "../fixtures/NextTurn.ts"
import { rankingOf } from "../fixtures/Rankings.ts"
import * as SharedStoreDouble from "../fixtures/SharedStoreDouble.ts"
import { listOf } from "../fixtures/ThreatLists.ts"

const start = Date.UTC(2026, 10, 21, 9)

const service = { baseUrl: new URL("https://safebrowsing.example/"), key: Redacted.make("SECRET-KEY") }

/** A list that was started. */
interface Started {
  readonly state: () => ListState<{ readonly answeredAt: number }>
  readonly saveError: () => Option.Option<RefreshedList.LastError>
  readonly entries: () => number
}

/** Starts a list of any kind. */
const started = <S extends { readonly answeredAt: number }, R>(
  definition: RefreshedList.Definition<S, R>,
  store: Option.Option<SharedStoreShape>
) =>
  Effect.map(
    RefreshedList.start(definition, "data", store),
    ({ get, saveError }): Started => ({
      state: get,
      saveError,
      entries: () => Option.match(get().snapshot, { onNone: () => 0, onSome: definition.entries })
    })
  )

/** The source of one kind of list. */
interface Source {
  /** How often it was requested. */
  readonly requests: () => number
  /** From now on it answers with a list of its own, or that nothing has changed if the client has that list. */
  readonly publish: (list: "first" | "second") => void
  readonly fail: (failure: Effect.Effect<never, ListError>) => void
  /** Starts a process with the list. */
  readonly start: (
    disk: MemoryDisk.MemoryDisk,
    store: Option.Option<SharedStoreShape>
  ) => Effect.Effect<Started, never, Scope.Scope>
  readonly file: string
}

type Publication = "first" | "second" | Effect.Effect<never, ListError>

const feedSource = (slot: "feed_a" | "popular"): Source => {
  let publication: Publication = "first"
  let requests = 0
  const worker = Layer.mock(ListWorker, {
    build: ({ headers }) =>
      Effect.suspend((): Effect.Effect<NewDocument | NotModified, ListError> => {
        requests++
        if (typeof publication !== "string") return publication
        if (headers["if-none-match"] === publication)
          return Effect.succeed({ _tag: "NotModified", bytes: undefined })
        const hosts = publication === "first" ? ["a.example"] : ["a.example", "b.example"]
        return Effect.succeed({
          _tag: "NewDocument",
          bytes: (slot === "popular" ? rankingOf(hosts) : listOf(hosts)).bytes,
          counts: { skipped: 0, ignored: 0 },
          validators: { etag: publication, lastModified: undefined }
        })
      })
  })
  const feed = {
    slot,
    url: new URL("https://lists.example/list"),
    format: slot === "popular" ? ("majestic-csv" as const) : ("lines" as const),
    authHeader: Option.none(),
    source: { name: "lists.example", category: "malicious" as const },
    refresh: Duration.minutes(30),
    retention: Duration.zero
  }
  return {
    requests: () => requests,
    publish: (list) => {
      publication = list
    },
    fail: (failure) => {
      publication = failure
    },
    start: (disk, store) =>
      Effect.flatMap(FeedRefresh.definition(feed), (definition) => started(definition, store)).pipe(
        Effect.provide([worker, disk.layer])
      ),
    file: `data/${slot}.6`
  }
}

const safeBrowsing = (): Source => {
  const answers = google(listing(["a.example/"]))
  return {
    requests: () => answers.sent.length,
    publish: (list) =>
      answers.answer(listing(list === "first" ? ["a.example/"] : ["a.example/", "b.example/"])),
    fail: (failure) => answers.answer(() => failure),
    start: (disk, store) =>
      Effect.flatMap(SetRefresh.definition(service, ["se-4b"]), (definition) =>
        started(definition, store)
      ).pipe(Effect.provide([answers.layer, disk.layer])),
    file: "data/safe-browsing.1"
  }
}

const settled = Effect.repeatN(nextTurn, 20)

const pass = (duration: Duration.DurationInput) =>
  Effect.zipRight(settled, Effect.zipRight(TestClock.adjust(duration), settled))

const kinds: ReadonlyArray<readonly [name: string, make: () => Source]> = [
  ["a feed", () => feedSource("feed_a")],
  ["the ranking", () => feedSource("popular")],
  ["the lists of Safe Browsing", safeBrowsing]
]

describe.each(kinds)("%s", (_, makeSource) => {
  const inTime = <A, E>(name: string, test: (source: Source) => Effect.Effect<A, E, Scope.Scope>) =>
    it.scoped(name, () =>
      Effect.zipRight(
        TestClock.setTime(start),
        Effect.suspend(() => test(makeSource()))
      )
    )

  const untilEntries = (entries: () => number, expected: number) =>
    eventually(
      `the list has ${expected} entries`,
      Effect.sync(() => entries() === expected)
    )

  const messageOf = (state: Started["state"]) =>
    Option.getOrUndefined(Option.map(state().lastError, ({ message }) => message))

  /** A process that starts, has the list and ends. */
  const once = (source: Source, disk: MemoryDisk.MemoryDisk) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { entries } = yield* source.start(disk, Option.none())
        yield* untilEntries(entries, 1)
        yield* settled
      })
    )

  inTime("is requested at once without a saved list, and again when it is due", (source) =>
    Effect.gen(function* () {
      const { entries, state } = yield* source.start(MemoryDisk.make(), Option.none())
      yield* untilEntries(entries, 1)
      yield* settled
      const nextAttemptAt = Option.getOrThrow(state().nextAttemptAt)
      assert.isAtLeast(nextAttemptAt, start + Duration.toMillis("30 minutes"))
      source.publish("second")
      yield* TestClock.setTime(nextAttemptAt - 1)
      yield* settled
      assert.strictEqual(source.requests(), 1)
      yield* pass("1 millis")
      yield* untilEntries(entries, 2)
      assert.strictEqual(source.requests(), 2)
    })
  )

  inTime("is there at once after a restart, and is not requested early", (source) =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* once(source, disk)
      yield* TestClock.adjust("20 minutes")
      const { entries } = yield* source.start(disk, Option.none())
      assert.strictEqual(entries(), 1)
      yield* pass("9 minutes")
      assert.strictEqual(source.requests(), 1)
      yield* eventuallyLater(
        "the second request is sent",
        "1 minute",
        Effect.sync(() => source.requests() === 2)
      )
    })
  )

  inTime("stays after an error or a defect, which the state shows until the next success", (source) =>
    Effect.gen(function* () {
      const { entries, state } = yield* source.start(MemoryDisk.make(), Option.none())
      yield* untilEntries(entries, 1)
      for (const [failure, message] of [
        [new ListError({ reason: "WorkerDied", detail: "exit 1" }), "WorkerDied (exit 1)"],
        [Effect.dieMessage("a bug"), "Defect"]
      ] as const) {
        source.fail(failure)
        yield* eventuallyLater(
          `the error is ${message}`,
          "5 minutes",
          Effect.sync(() => messageOf(state) === message)
        )
        assert.strictEqual(entries(), 1)
      }
      source.publish("second")
      yield* eventuallyLater(
        "the second list is used",
        "5 minutes",
        Effect.sync(() => entries() === 2)
      )
      assert.isUndefined(messageOf(state))
    })
  )

  inTime("is written as a whole once: only its times are written when it is not modified", (source) =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const renamed = () => disk.done.filter((step) => step.startsWith("rename"))
      const { entries, state } = yield* source.start(disk, Option.none())
      yield* untilEntries(entries, 1)
      yield* settled
      const written = renamed().length
      assert.strictEqual(renamed().at(-1), `rename ${source.file}.snapshot`)
      yield* pass("34 minutes")
      yield* eventually(
        "the file is renamed once more",
        Effect.sync(() => renamed().length > written)
      )
      deepStrictEqual(renamed().slice(written), [`rename ${source.file}.times`])
      const content = disk.files.get(`${source.file}.times`)?.toString() ?? ""
      assert.notInclude(content, "example")
      assert.notInclude(content, "SECRET")

      const { answeredAt } = Option.getOrThrow(state().snapshot)
      const again = yield* source.start(disk, Option.none())
      assert.strictEqual(Option.getOrThrow(again.state().snapshot).answeredAt, answeredAt)
    })
  )

  inTime("is used when it cannot be saved, and the state says so", (source) =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      disk.error = Effect.dieMessage("a bug")
      const { entries, saveError } = yield* source.start(disk, Option.none())
      yield* untilEntries(entries, 1)
      yield* eventually(
        "the error of saving is shown",
        Effect.sync(() => Option.isSome(saveError()))
      )
      assert.strictEqual(Option.getOrThrow(saveError()).message, "not saved (Defect)")
    })
  )

  inTime("is requested by one replica of a fleet, also when that one ends", (source) =>
    Effect.gen(function* () {
      const store = Option.some(SharedStoreDouble.make().store)
      const scope = yield* Scope.make()
      const replica = source.start(MemoryDisk.make(), store)
      const first = yield* Scope.extend(replica, scope)
      const others = [yield* replica, yield* replica]
      const untilAll = (replicas: ReadonlyArray<typeof first>, expected: number) =>
        eventuallyLater(
          `all replicas use ${expected} entries`,
          "10 seconds",
          Effect.sync(() => replicas.every(({ entries }) => entries() === expected))
        )
      yield* untilAll([first, ...others], 1)
      assert.strictEqual(source.requests(), 1)
      yield* Scope.close(scope, Exit.void)
      source.publish("second")
      yield* untilAll(others, 2)
      assert.strictEqual(source.requests(), 2)
      const [one, other] = others.map(({ state }) => Option.getOrThrow(state().snapshot).answeredAt)
      assert.strictEqual(one, other)
    })
  )

  inTime("is refreshed in a trace of its own", (source) =>
    Effect.gen(function* () {
      const spans: Array<Tracer.AnySpan | undefined> = []
      source.fail(
        Effect.flatMap(Effect.option(Effect.currentParentSpan), (span) => {
          spans.push(Option.getOrUndefined(span))
          return new ListError({ reason: "WorkerDied" })
        })
      )
      yield* Effect.withSpan(source.start(MemoryDisk.make(), Option.none()), "another")
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

describe("the bytes of a list in shared memory", () => {
  it.scoped("are counted by V8, so that a replaced list is collected soon", () =>
    Effect.gen(function* () {
      const definition = yield* SetRefresh.definition(service, ["se-4b"])
      const setOf = (bytes: Uint8Array) => {
        const content = { version: "x", checksum: "", fetchedAt: 1, waitMillis: 1 }
        const list = { name: "se-4b", dueAt: 0 }
        return HashListSet.make([{ ...list, content: { ...content, list: { width: 4, bytes } } }], 0)
      }
      const [first, second, third] = [1, 2, 3].map(() =>
        setOf(new Uint8Array(new SharedArrayBuffer(2 ** 24)))
      )
      if (first === undefined || second === undefined || third === undefined) return assert.fail()
      const { external } = process.memoryUsage()
      /** Rounded: what others hold may be collected meanwhile. */
      const counted = () => Math.round((process.memoryUsage().external - external) / 2 ** 24)
      const opened = yield* RefreshedList.open({ ...definition, first: () => Option.some(first) }, "data")
      assert.isAtLeast(counted(), 1)
      const wait = Duration.hours(1)
      const outcome = { isAnswered: true, error: Option.none(), failures: 0, wait, retryWait: wait }
      yield* opened.state.applyRefresh({ ...outcome, snapshot: Option.some(second) })
      assert.isAtLeast(counted(), 2)
      yield* opened.state.adoptShared(third)
      assert.isAtLeast(counted(), 3)
    }).pipe(Effect.provide(Layer.mergeAll(MemoryDisk.make().layer, google(listing([])).layer)))
  )
})

describe("an update of Safe Browsing's lists", () => {
  const answers = google(listing([], 60_000))
  it.effect("says when the list that failed is requested again, not when the next one is", () =>
    Effect.gen(function* () {
      const definition = yield* SetRefresh.definition(service, ["se-4b", "mw-4b"])
      const set = definition.first(Option.none(), 0, 0)
      const minutesFor = Effect.fnUntraced(function* (failure: Answer) {
        answers.answer(failure, "mw-4b")
        const outcome = yield* definition.refresh(set, 0, () => Effect.void)
        return [outcome.wait, outcome.retryWait].map(Duration.toMinutes)
      })
      const [wait, retryWait = 0] = yield* minutesFor(failing("ChecksumMismatch"))
      assert.strictEqual(wait, 1)
      assert.isAtLeast(retryWait, 15)
      deepStrictEqual(yield* minutesFor(failing("Status", "404")), [1, 24 * 60])
    }).pipe(Effect.provide(answers.layer))
  )
})
