import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as CircuitBreaker from "../../src/Layers/CircuitBreaker.ts"

const RULES: CircuitBreaker.Rules = { maxFailuresInARow: 3, minPauseMs: 5000, maxPauseMs: 120_000 }

type Breaker = ReturnType<typeof CircuitBreaker.make>
type Step = readonly [at: number, step: (breaker: Breaker) => unknown]

const end = (call: CircuitBreaker.Call, outcome: CircuitBreaker.Outcome) => (breaker: Breaker) =>
  breaker.end(call, outcome)

const ok = end("call", "succeeded")
const interrupted = end("call", "interrupted")
const fails = (retryAfterMs = 0) => end("call", { retryAfterMs })
const probe = (breaker: Breaker) => assert.strictEqual(breaker.start(), "probe")
const probeOk = end("probe", "succeeded")
const probeFails = (retryAfterMs = 0) => end("probe", { retryAfterMs })

const breakerAfter = (steps: ReadonlyArray<Step>) => {
  let now = 0
  const breaker = CircuitBreaker.make(RULES, () => now)
  for (const [at, step] of steps) {
    now = at
    step(breaker)
  }
  return {
    ...breaker,
    startAt: (at: number) => {
      now = at
      return breaker.start()
    }
  }
}

/** Asserts when the probe is allowed. */
const assertProbeAt = (steps: ReadonlyArray<Step>, at: number) => {
  assert.strictEqual(breakerAfter(steps).state(), "open")
  assert.isUndefined(breakerAfter(steps).startAt(at - 1))
  assert.strictEqual(breakerAfter(steps).startAt(at), "probe")
}

/** One failure each at these times. */
const failuresAt = (...times: ReadonlyArray<number>): ReadonlyArray<Step> => times.map((at) => [at, fails()])

/** Not enough to open it. */
const two = failuresAt(0, 1)

/** Opens at 0. */
const opened = failuresAt(0, 0, 0)

/** As many steps as `text` has characters, one every `everyMs`: `o` succeeds, `x` fails. */
const sequence = (text: string, everyMs: number): ReadonlyArray<Step> =>
  [...text].map((outcome, at) => [at * everyMs, outcome === "o" ? ok : fails()])

const HOUR = 3_600_000

const OUTCOMES = ["succeeded", "succeeded", "failed", "failed", "interrupted"] as const

describe("CircuitBreaker", () => {
  const closed: ReadonlyArray<readonly [name: string, steps: ReadonlyArray<Step>]> = [
    ["at first", []],
    ["after two failures in a row", two],
    ["after two failures, a success and two more", sequence("xxoxx", 1)],
    ["while two of three fail", sequence("xxoxxoxxoxxo", 100)],
    [
      "after two failures that ask to wait",
      [
        [0, fails(30_000)],
        [1, fails(30_000)]
      ]
    ],
    ["after calls were interrupted", [0, 1, 2, 3].map((at): Step => [at, interrupted])],
    ["after the probe succeeded", [...opened, [5000, probe], [5100, probeOk]]]
  ]
  it.each(closed)("is closed %s", (_, steps) => {
    const breaker = breakerAfter(steps)
    assert.strictEqual(breaker.state(), "closed")
    assert.strictEqual(breaker.startAt(60_000), "call")
  })

  const open: ReadonlyArray<readonly [name: string, steps: ReadonlyArray<Step>, probeAt: number]> = [
    ["for 5 s after three failures in a row", failuresAt(0, 10, 20), 5020],
    ["after three failures with hours in between", failuresAt(0, HOUR, 2 * HOUR), 2 * HOUR + 5000],
    ["as long as the service asks", [...two, [7, fails(30_000)]], 30_007],
    ["for 5 s if the service asks for less", [...two, [7, fails(1000)]], 5007],
    [
      "until the latest time that one of the three failures asks for",
      [
        [0, fails(30_000)],
        [9, fails(1000)],
        [10, fails()]
      ],
      30_000
    ],
    [
      "for 5 s if a failure before a success asked for more",
      [[0, fails(30_000)], [1, ok], ...failuresAt(2, 3, 4)],
      5004
    ],
    ["as long as an earlier call asks", [...opened, [9, fails(30_000)]], 30_009],
    ["and earlier calls that fail change nothing", [...opened, [100, fails()], [200, fails()]], 5000],
    ["and an earlier call that succeeds changes nothing", [...opened, [100, ok]], 5000],
    ["for twice the time after the probe failed", [...opened, [5000, probe], [8000, probeFails()]], 18_000],
    ["as long as the probe's failure asks", [...opened, [5000, probe], [5000, probeFails(60_000)]], 65_000],
    ["for twice the time if it asks for less", [...opened, [5000, probe], [5000, probeFails(1000)]], 15_000],
    [
      "as before when the probe was interrupted",
      [...opened, [5000, probe], [6000, end("probe", "interrupted")]],
      5000
    ],
    [
      "for 5 s again, without memory of an outage before",
      [
        ...opened,
        [5000, probe],
        [8000, probeFails()],
        [18_000, probe],
        [18_000, probeOk],
        ...failuresAt(20_000, 20_000, 20_000)
      ],
      25_000
    ],
    [
      "as long as an earlier call asked while the probe was made",
      [...opened, [6000, probe], [6001, fails(60_000)], [6002, probeFails()]],
      66_001
    ]
  ]
  it.each(open)("is open %s", (_, steps, probeAt) => assertProbeAt(steps, probeAt))

  it("is open for 5, 10, 20, 40, 80 and then 120 s while probes fail", () => {
    let steps = opened
    let at = 0
    for (const seconds of [5, 10, 20, 40, 80, 120, 120, 120]) {
      at += seconds * 1000
      assertProbeAt(steps, at)
      steps = [...steps, [at, probe], [at, probeFails()]]
    }
  })

  it("is half-open while the probe is made, whatever becomes of earlier calls, and permits no other", () => {
    const earlier: ReadonlyArray<Step> = [
      [6001, ok],
      [6002, fails()],
      [6003, interrupted]
    ]
    const breaker = breakerAfter([...opened, [6000, probe], ...earlier])
    assert.strictEqual(breaker.state(), "half-open")
    assert.isUndefined(breaker.startAt(999_999))
  })

  it("after any events: opens by its rules only, sends one probe at a time, and probes again as asked", () => {
    const arbitraryStep = FastCheck.record({
      pauseMs: FastCheck.oneof(
        FastCheck.integer({ min: 0, max: 400 }),
        FastCheck.integer({ min: 0, max: 9000 })
      ),
      outcome: FastCheck.constantFrom(...OUTCOMES),
      retryAfterMs: FastCheck.constantFrom(0, 0, 0, 0, 0, 0, 1000, HOUR),
      isLate: FastCheck.boolean()
    })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(arbitraryStep, { maxLength: 120 }), (steps) => {
        const breaker = breakerAfter([])
        let now = 0
        let isProbing = false
        let failuresInARow = 0
        for (const { pauseMs, outcome, retryAfterMs, isLate } of steps) {
          now += pauseMs
          const before = breaker.state()
          const call = breaker.startAt(now)
          assert.strictEqual(call === "call", before === "closed")
          if (call === "probe") {
            assert.isFalse(isProbing)
            isProbing = true
          }
          const isProbe = isProbing && !isLate
          breaker.end(isProbe ? "probe" : "call", outcome === "failed" ? { retryAfterMs } : outcome)
          if (isProbe) isProbing = false
          assert.strictEqual(breaker.state() === "half-open", isProbing)
          if (before === "closed") {
            if (outcome !== "interrupted") failuresInARow = outcome === "failed" ? failuresInARow + 1 : 0
            assert.strictEqual(breaker.state(), failuresInARow === 3 ? "open" : "closed")
          } else {
            assert.strictEqual(breaker.state() === "closed", isProbe && outcome === "succeeded")
            if (breaker.state() === "closed") failuresInARow = 0
          }
        }
        if (breaker.state() === "open") assert.strictEqual(breaker.startAt(now + HOUR), "probe")
      }),
      { numRuns: 2000 }
    )
  })
})
