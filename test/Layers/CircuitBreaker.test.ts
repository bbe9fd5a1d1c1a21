import { assert, describe, it } from "@effect/vitest"
import * as CircuitBreaker from "../../src/Layers/CircuitBreaker.ts"

const RULES: CircuitBreaker.Rules = {
  maxFailuresInARow: 5,
  minPauseMs: 1000,
  maxPauseMs: 30_000
}

type Step = readonly [at: number, event: CircuitBreaker.Event]

const success: CircuitBreaker.Event = { _tag: "Succeeded", isProbe: false }
const failure: CircuitBreaker.Event = {
  _tag: "Failed",
  isProbe: false,
  retryAfterMs: 0
}
const probe: CircuitBreaker.Event = { _tag: "ProbeStarted" }
const probed: CircuitBreaker.Event = { _tag: "Succeeded", isProbe: true }
const probeFailed: CircuitBreaker.Event = { ...failure, isProbe: true }
const probeEnded: CircuitBreaker.Event = { _tag: "Ended", isProbe: true }

const breakerAfter = (steps: ReadonlyArray<Step>, from = CircuitBreaker.initial) =>
  steps.reduce((breaker, [at, event]) => CircuitBreaker.next(RULES, breaker, event, at), from)

const times = (count: number, at: number, event: CircuitBreaker.Event): ReadonlyArray<Step> =>
  Array.from({ length: count }, () => [at, event] as const)

/** Open since the time 0. */
const open = breakerAfter(times(5, 0, failure))

/** The first time at which the probe is allowed. */
const probeAt = (breaker: CircuitBreaker.CircuitBreaker): number => {
  if (breaker._tag !== "Open") return Number.NaN
  assert.strictEqual(CircuitBreaker.permission(breaker, breaker.until - 1), "None")
  assert.strictEqual(CircuitBreaker.permission(breaker, breaker.until), "Probe")
  return breaker.until
}

describe("CircuitBreaker", () => {
  it("opens after five failures in a row", () => {
    assert.strictEqual(CircuitBreaker.permission(breakerAfter(times(4, 0, failure)), 0), "Call")
    assert.strictEqual(CircuitBreaker.permission(open, 0), "None")
    const interrupted = breakerAfter([...times(4, 0, failure), [0, success], ...times(4, 0, failure)])
    assert.strictEqual(interrupted._tag, "Closed")
  })

  it("stays closed while one call in a hundred fails", () => {
    const steps = Array.from({ length: 10_000 }, (_, i): Step => [i, i % 100 === 99 ? failure : success])
    assert.strictEqual(breakerAfter(steps)._tag, "Closed")
  })

  it("allows a probe after a second, and doubles the pause up to 30 seconds while probes fail", () => {
    let breaker = open
    const pauses: Array<number> = []
    let now = 0
    for (let probes = 0; probes < 7; probes++) {
      const at = probeAt(breaker)
      pauses.push(at - now)
      now = at
      breaker = breakerAfter(
        [
          [now, probe],
          [now, probeFailed]
        ],
        breaker
      )
    }
    assert.deepStrictEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  })

  it("allows one probe at a time, and closes when it succeeds", () => {
    const probing = breakerAfter([[1000, probe]], open)
    assert.strictEqual(CircuitBreaker.permission(probing, 100_000), "None")
    assert.deepStrictEqual(breakerAfter([[2000, probed]], probing), CircuitBreaker.initial)
  })

  it("allows the next probe at once when one was interrupted", () => {
    const ended = breakerAfter(
      [
        [1000, probe],
        [1500, probeEnded]
      ],
      open
    )
    assert.strictEqual(CircuitBreaker.permission(ended, 1500), "Probe")
  })

  it("ignores late results of calls made before the outage", () => {
    assert.deepStrictEqual(
      breakerAfter(
        [
          [1, success],
          [2, failure]
        ],
        open
      ),
      open
    )
    const probing = breakerAfter([[1000, probe]], open)
    assert.deepStrictEqual(
      breakerAfter(
        [
          [1001, success],
          [1002, failure]
        ],
        probing
      ),
      probing
    )
  })

  it("opens after no fewer failures when one of them asks to wait, and then waits that long", () => {
    const asking: CircuitBreaker.Event = { ...failure, retryAfterMs: 7000 }
    assert.strictEqual(breakerAfter(times(4, 0, asking))._tag, "Closed")
    assert.strictEqual(probeAt(breakerAfter([[0, asking], ...times(4, 100, failure)])), 7000)
    assert.strictEqual(
      probeAt(breakerAfter([...times(4, 0, failure), [100, { ...failure, retryAfterMs: 10 }]])),
      1100
    )
    const recovered = breakerAfter([
      [0, asking],
      [1, success]
    ])
    assert.deepStrictEqual(recovered, CircuitBreaker.initial)
  })

  it("waits for the longest time that was asked for", () => {
    assert.strictEqual(probeAt(breakerAfter([[500, { ...failure, retryAfterMs: 7000 }]], open)), 7500)
    const probing = breakerAfter([[1000, probe]], open)
    assert.strictEqual(probeAt(breakerAfter([[1000, { ...probeFailed, retryAfterMs: 7000 }]], probing)), 8000)
    assert.strictEqual(probeAt(breakerAfter([[1000, { ...probeFailed, retryAfterMs: 10 }]], probing)), 3000)
    const late = breakerAfter([[1000, { ...failure, retryAfterMs: 7000 }]], probing)
    assert.strictEqual(probeAt(breakerAfter([[1001, probeFailed]], late)), 8000)
  })
})
