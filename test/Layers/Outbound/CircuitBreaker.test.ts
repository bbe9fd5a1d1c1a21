import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as CircuitBreaker from "../../../src/Layers/Outbound/CircuitBreaker.ts"
import { runs } from "../../fixtures/Seed.ts"

interface Failure {
  readonly at: number
  readonly retryAfterMs: number
}

/** The rules, told by what has happened since the breaker was last closed by a success. */
const rulesOver = ({ maxFailuresInARow, minPauseMs, maxPauseMs }: CircuitBreaker.Rules) => {
  let failures: Array<Failure> = []
  /** When it opened, and when each probe failed. */
  let pauses: Array<number> = []
  const isClosed = () => pauses.length === 0
  return {
    isClosed,
    /** After the last pause, which is twice as long as the one before, and when no failure asks to wait any more. */
    probeAt: () =>
      Math.max(
        0,
        ...pauses.slice(-1).map((at) => at + Math.min(minPauseMs * 2 ** (pauses.length - 1), maxPauseMs)),
        ...failures.map(({ at, retryAfterMs }) => at + retryAfterMs)
      ),
    succeed: (call: CircuitBreaker.Call) => {
      if (!isClosed() && call !== "probe") return
      failures = []
      pauses = []
    },
    fail: (call: CircuitBreaker.Call, failure: Failure) => {
      failures.push(failure)
      if (isClosed() ? failures.length === maxFailuresInARow : call === "probe") pauses.push(failure.at)
    }
  }
}

const SECOND = 1000
const HOUR = 3600 * SECOND

const rules = FastCheck.record({
  maxFailuresInARow: FastCheck.integer({ min: 1, max: 4 }),
  minPauseMs: FastCheck.constantFrom(SECOND, 5 * SECOND),
  maxPauseMs: FastCheck.constantFrom(5 * SECOND, 30 * SECOND, 120 * SECOND)
})

const OUTCOMES = ["succeeded", "succeeded", "failed", "failed", "failed", "interrupted"] as const

const step = FastCheck.record({
  /** How long nothing happens, or until a time relative to that of the next probe. */
  pause: FastCheck.oneof(
    FastCheck.record({ ms: FastCheck.nat(400) }),
    FastCheck.record({ ms: FastCheck.nat(9000) }),
    FastCheck.record({ untilProbe: FastCheck.constantFrom(-1, 0) })
  ),
  outcome: FastCheck.constantFrom(...OUTCOMES),
  retryAfterMs: FastCheck.constantFrom(0, 0, 0, 0, 0, 0, SECOND, 60 * SECOND, HOUR),
  /** It is the outcome of a call that was made before. */
  isLate: FastCheck.boolean()
})

describe("CircuitBreaker", () => {
  it("follows its rules, whatever happens", () => {
    FastCheck.assert(
      FastCheck.property(rules, FastCheck.array(step, { maxLength: 120 }), (rules, steps) => {
        let now = 0
        let isProbing = false
        const expected = rulesOver(rules)
        const breaker = CircuitBreaker.make(rules, () => now)
        const assertState = () => {
          const open = isProbing ? "half-open" : "open"
          assert.strictEqual(breaker.state(), expected.isClosed() ? "closed" : open)
        }
        for (const { pause, outcome, retryAfterMs, isLate } of steps) {
          now = "ms" in pause ? now + pause.ms : Math.max(now, expected.probeAt() + pause.untilProbe)
          const probe = isProbing || now < expected.probeAt() ? undefined : "probe"
          const call = breaker.start()
          assert.strictEqual(call, expected.isClosed() ? "call" : probe)
          isProbing ||= call === "probe"
          assertState()

          const ended = isProbing && !isLate ? "probe" : "call"
          if (ended === "probe") isProbing = false
          breaker.end(ended, outcome === "failed" ? { retryAfterMs } : outcome)
          if (outcome === "failed") expected.fail(ended, { at: now, retryAfterMs })
          if (outcome === "succeeded") expected.succeed(ended)
          assertState()
        }
      }),
      { numRuns: runs(2000) }
    )
  })

  it("is open for 5, 10, 20, 40, 80 and then 120 seconds while probes fail", () => {
    let now = 0
    const breaker = CircuitBreaker.make(
      { maxFailuresInARow: 3, minPauseMs: 5 * SECOND, maxPauseMs: 120 * SECOND },
      () => now
    )
    for (let failures = 0; failures < 3; failures++) {
      assert.strictEqual(breaker.start(), "call")
      breaker.end("call", { retryAfterMs: 0 })
    }
    for (const seconds of [5, 10, 20, 40, 80, 120, 120]) {
      now += seconds * SECOND - 1
      assert.isUndefined(breaker.start())
      now++
      assert.strictEqual(breaker.start(), "probe")
      breaker.end("probe", { retryAfterMs: 0 })
    }
  })
})
