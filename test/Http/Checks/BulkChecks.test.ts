import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import type { Outcome } from "../../../src/Checkers/Checker.ts"
import type { Batch } from "../../../src/Checkers/Checkers.ts"
import * as BulkChecks from "../../../src/Http/Checks/BulkChecks.ts"
import * as BulkTurns from "../../../src/Http/Checks/BulkTurns.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"
import { nextTurn, turnsUntil } from "../../fixtures/NextTurn.ts"

const { MAX_URLS_UNDER_WAY } = BulkChecks

const urlsOf = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => String(index))

/** A batch of these checks. */
const batchOf = (check: (url: string) => Effect.Effect<ReadonlyArray<Outcome>>): Batch => ({
  add: (url) => () => check(url),
  send: Effect.void
})

const start = (
  batch: Batch,
  urls: ReadonlyArray<string>,
  resultOf: (url: string) => string = (url) => `result of ${url}`
) => Effect.flatMap(BulkTurns.make, (turns) => BulkChecks.start(turns, batch, urls, resultOf))

/** All results by their place, taken one group after the other. */
const all = (next: Effect.Effect<ReadonlyArray<BulkChecks.Ended<string>>>) =>
  Effect.gen(function* () {
    const results = new Map<number, Exit.Exit<string>>()
    for (let ended = yield* next; ended.length > 0; ended = yield* next)
      for (const { index, result } of ended) results.set(index, result)
    return results
  })

describe("BulkChecks", () => {
  for (const [what, check] of [
    ["compute at once", Effect.succeed([])],
    ["wait", Effect.as(nextTurn, [])]
  ] as const)
    it.scoped(`yields a result for each URL, of checks that ${what}`, () =>
      Effect.gen(function* () {
        const urls = urlsOf(100)
        const { next } = yield* start(
          batchOf(() => check),
          urls
        )
        const results = yield* all(next)
        for (const [index, url] of urls.entries())
          assert.deepStrictEqual(results.get(index), Exit.succeed(`result of ${url}`))
        assert.deepStrictEqual(yield* next, [])
      })
    )

  it.scoped("has at most MAX_URLS_UNDER_WAY checks under way, and starts the next when one has ended", () =>
    Effect.gen(function* () {
      let underWay = 0
      let most = 0
      const finish = yield* Deferred.make<void>()
      const { next } = yield* start(
        batchOf((url) =>
          Effect.gen(function* () {
            underWay++
            most = Math.max(most, underWay)
            if (url !== "0") yield* Deferred.await(finish)
            else yield* nextTurn
            underWay--
            return []
          })
        ),
        urlsOf(5 * MAX_URLS_UNDER_WAY)
      )
      assert.strictEqual((yield* next).length, 1)
      const rest = yield* forkNow(all(next))
      yield* turnsUntil(() => underWay === MAX_URLS_UNDER_WAY)
      yield* Effect.repeatN(nextTurn, 3)
      assert.strictEqual(underWay, MAX_URLS_UNDER_WAY)
      yield* Deferred.succeed(finish, undefined)
      assert.strictEqual((yield* Fiber.join(rest)).size, 5 * MAX_URLS_UNDER_WAY - 1)
      assert.strictEqual(most, MAX_URLS_UNDER_WAY)
    })
  )

  it.scoped("starts no more checks than that while nobody takes the results", () =>
    Effect.gen(function* () {
      let started = 0
      const { next } = yield* start(
        batchOf(() =>
          Effect.sync(() => {
            started++
            return []
          })
        ),
        urlsOf(200)
      )
      const first = yield* next
      yield* Effect.repeatN(nextTurn, 5)
      assert.isAtMost(started, MAX_URLS_UNDER_WAY)
      assert.strictEqual(first.length + (yield* all(next)).size, 200)
    })
  )

  it.scoped("yields a defect of a check, of a start and of a result in its place; the others go on", () =>
    Effect.gen(function* () {
      const bug = new Error("bug")
      const batch: Batch = {
        add: (url) => () => {
          if (url === "1") throw bug
          return url === "3" ? Effect.zipRight(nextTurn, Effect.die(bug)) : Effect.succeed([])
        },
        send: Effect.void
      }
      const { next } = yield* start(batch, urlsOf(5), (url) => {
        if (url === "4") throw bug
        return url
      })
      const results = yield* all(next)
      assert.deepStrictEqual(
        urlsOf(5).map((_, index) => results.get(index)),
        [Exit.succeed("0"), Exit.die(bug), Exit.succeed("2"), Exit.die(bug), Exit.die(bug)]
      )
    })
  )

  it.effect("interrupts all checks and starts no more when the scope closes", () =>
    Effect.gen(function* () {
      let started = 0
      let interrupted = 0
      const running = yield* forkNow(
        Effect.scoped(
          Effect.flatMap(
            start(
              batchOf(() => {
                return Effect.onInterrupt(
                  Effect.zipRight(
                    Effect.sync(() => started++),
                    Effect.never
                  ),
                  () => Effect.sync(() => interrupted++)
                )
              }),
              urlsOf(200)
            ),
            ({ next }) => next
          )
        )
      )
      yield* turnsUntil(() => started === MAX_URLS_UNDER_WAY)
      yield* Fiber.interrupt(running)
      assert.strictEqual(interrupted, MAX_URLS_UNDER_WAY)
      yield* Effect.repeatN(nextTurn, 5)
      assert.strictEqual(started, MAX_URLS_UNDER_WAY)
    })
  )
})
