import { assert, describe, it } from "@effect/vitest"
import { Duration, FastCheck, Option } from "effect"
import { SearchError } from "../../../../src/Checkers/ReputationLookup/HashSearch/SearchError.ts"
import * as HashSearch from "../../../../src/Checkers/ReputationLookup/HashSearch.ts"
import * as CircuitBreaker from "../../../../src/Layers/CircuitBreaker.ts"

type Step = readonly [atMs: number, event: CircuitBreaker.Event]

const ok: CircuitBreaker.Event = { _tag: "Succeeded", isProbe: false }
const probeOk: CircuitBreaker.Event = { _tag: "Succeeded", isProbe: true }
const probe: CircuitBreaker.Event = { _tag: "ProbeStarted" }
const ended = (isProbe: boolean): CircuitBreaker.Event => ({ _tag: "Ended", isProbe })

const fails = (
  options: {
    readonly retryAfterMs?: number
    readonly isKeyRefused?: boolean
    readonly isProbe?: boolean
  } = {}
): CircuitBreaker.Event => {
  const { retryAfterMs, isKeyRefused = false, isProbe = false } = options
  const error = new SearchError({
    reason: isKeyRefused ? "KeyRefused" : "Status",
    retryAfter: Option.map(Option.fromNullable(retryAfterMs), Duration.millis)
  })
  return HashSearch.failure([error], isProbe)
}
const probeFails = fails({ isProbe: true })

const next = (breaker: CircuitBreaker.CircuitBreaker, event: CircuitBreaker.Event, now: number) =>
  CircuitBreaker.next(HashSearch.RULES, breaker, event, now)

const breakerAfter = (steps: ReadonlyArray<Step>): CircuitBreaker.CircuitBreaker =>
  steps.reduce((breaker, [at, event]) => next(breaker, event, at), CircuitBreaker.initial)

/** One failure each at these times. */
const failuresAt = (...times: ReadonlyArray<number>): ReadonlyArray<Step> => times.map((at) => [at, fails()])

/** Not enough to open it. */
const two = failuresAt(0, 1)

/** Opens at 0. */
const opened = failuresAt(0, 0, 0)

const open = (until: number, pauseMs = 5000) => ({ _tag: "Open", until, pauseMs }) as const
const halfOpen = (until: number, pauseMs = 5000) => ({ _tag: "HalfOpen", until, pauseMs }) as const

/** As many steps as `text` has characters, one every `everyMs`: `o` succeeds, `x` fails. */
const sequence = (text: string, everyMs: number): ReadonlyArray<Step> =>
  [...text].map((outcome, at) => [at * everyMs, outcome === "o" ? ok : fails()])

describe("the circuit breaker of searches", () => {
  describe("is closed", () => {
    const cases: ReadonlyArray<readonly [name: string, steps: ReadonlyArray<Step>]> = [
      ["at first", []],
      ["after two failures in a row", failuresAt(0, 1)],
      ["after two failures, a success and two more", sequence("xxoxx", 1)],
      ["while two of three fail", sequence("xxoxxoxxoxxo", 100)],
      [
        "after two failures that ask to wait",
        [
          [0, fails({ retryAfterMs: 30_000 })],
          [1, fails({ retryAfterMs: 30_000 })]
        ]
      ],
      [
        "after two refusals of the key",
        [
          [0, fails({ isKeyRefused: true })],
          [1, fails({ isKeyRefused: true })]
        ]
      ],
      ["after searches were interrupted", [0, 1, 2, 3].map((at): Step => [at, ended(false)])],
      ["after the probe succeeded", [...opened, [5000, probe], [5100, probeOk]]]
    ]
    it.each(cases)("%s", (_, steps) => {
      const breaker = breakerAfter(steps)
      assert.strictEqual(breaker._tag, "Closed")
      assert.strictEqual(CircuitBreaker.permission(breaker, 60_000), "Call")
    })

    it("after the probe succeeded, without memory of the outage", () => {
      assert.deepStrictEqual(
        breakerAfter([...opened, [5000, probe], [5100, probeOk]]),
        CircuitBreaker.initial
      )
    })
  })

  describe("is open", () => {
    const hour = 3_600_000
    const cases: ReadonlyArray<
      readonly [name: string, steps: ReadonlyArray<Step>, expected: CircuitBreaker.CircuitBreaker]
    > = [
      ["for 5 s after three failures in a row", failuresAt(0, 10, 20), open(5020)],
      [
        "after three failures in a row with hours in between",
        failuresAt(0, hour, 2 * hour),
        open(2 * hour + 5000)
      ],
      ["for the time of Retry-After", [...two, [7, fails({ retryAfterMs: 30_000 })]], open(30_007)],
      ["for 5 s if Retry-After is shorter", [...two, [7, fails({ retryAfterMs: 1000 })]], open(5007)],
      ["for an hour at most", [...two, [7, fails({ retryAfterMs: 86_400_000 })]], open(hour + 7)],
      [
        "for an hour at most, also by an infinite Retry-After",
        [...two, [7, fails({ retryAfterMs: Number.POSITIVE_INFINITY })]],
        open(hour + 7)
      ],
      [
        "until the latest Retry-After of the three failures",
        [
          [0, fails({ retryAfterMs: 30_000 })],
          [9, fails({ retryAfterMs: 1000 })],
          [10, fails()]
        ],
        open(30_000)
      ],
      [
        "for 5 s if a Retry-After before a success was longer",
        [[0, fails({ retryAfterMs: 30_000 })], [1, ok], ...failuresAt(2, 3, 4)],
        open(5004)
      ],
      [
        "until the Retry-After of a search that was sent before",
        [...opened, [9, fails({ retryAfterMs: 30_000 })]],
        open(30_009)
      ],
      [
        "and earlier searches that fail change nothing",
        [...opened, [100, fails()], [200, fails({ isKeyRefused: true })]],
        open(5000)
      ],
      ["and an earlier search that succeeds changes nothing", [...opened, [100, ok]], open(5000)],
      [
        "for twice the time after the probe failed",
        [...opened, [5000, probe], [8000, probeFails]],
        open(18_000, 10_000)
      ],
      [
        "for the time of the probe's Retry-After if that is longer",
        [...opened, [5000, probe], [5000, fails({ isProbe: true, retryAfterMs: 60_000 })]],
        open(65_000, 10_000)
      ],
      [
        "for twice the time if the probe's Retry-After is shorter",
        [...opened, [5000, probe], [5000, fails({ isProbe: true, retryAfterMs: 1000 })]],
        open(15_000, 10_000)
      ],
      [
        "as before when the probe was interrupted",
        [...opened, [5000, probe], [6000, ended(true)]],
        open(5000)
      ]
    ]
    it.each(cases)("%s", (_, steps, expected) => assert.deepStrictEqual(breakerAfter(steps), expected))

    it("for 5, 10, 20, 40, 80 and then 120 s while probes fail", () => {
      const pauses: Array<number> = []
      let breaker = breakerAfter(opened)
      for (let now = 0; pauses.length < 8; ) {
        if (breaker._tag !== "Open") throw new Error(breaker._tag)
        pauses.push((breaker.until - now) / 1000)
        now = breaker.until
        breaker = next(next(breaker, probe, now), probeFails, now)
      }
      assert.deepStrictEqual(pauses, [5, 10, 20, 40, 80, 120, 120, 120])
    })

    it("and permits nothing until it is time for one probe", () => {
      const breaker = breakerAfter(opened)
      assert.deepStrictEqual(
        [0, 4999, 5000, 999_999].map((now) => CircuitBreaker.permission(breaker, now)),
        ["None", "None", "Probe", "Probe"]
      )
    })
  })

  describe("is half-open", () => {
    it("while the probe is in flight, and permits nothing", () => {
      const breaker = breakerAfter([...opened, [6000, probe]])
      assert.deepStrictEqual(breaker, halfOpen(5000))
      assert.strictEqual(CircuitBreaker.permission(breaker, 999_999), "None")
    })

    it("whatever becomes of earlier searches", () => {
      const earlier: ReadonlyArray<Step> = [
        [6001, ok],
        [6002, fails()],
        [6003, fails({ isKeyRefused: true })],
        [6004, ended(false)]
      ]
      assert.deepStrictEqual(breakerAfter([...opened, [6000, probe], ...earlier]), halfOpen(5000))
    })

    it("and the Retry-After of an earlier search counts if the probe fails", () => {
      const late: ReadonlyArray<Step> = [
        [6001, fails({ retryAfterMs: 60_000 })],
        [6002, probeFails]
      ]
      assert.deepStrictEqual(breakerAfter([...opened, [6000, probe], ...late]), open(66_001, 10_000))
    })
  })

  it("after any events: opens by its rules only, sends one probe at a time, and probes again within an hour", () => {
    const arbitraryStep = FastCheck.record({
      pauseMs: FastCheck.oneof(
        FastCheck.integer({ min: 0, max: 400 }),
        FastCheck.integer({ min: 0, max: 9000 })
      ),
      outcome: FastCheck.constantFrom("ok", "ok", "fails", "fails", "refused", "interrupted"),
      retryAfterMs: FastCheck.constantFrom(0, 0, 0, 0, 0, 0, 1000, 7_200_000),
      isLate: FastCheck.boolean()
    })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(arbitraryStep, { maxLength: 120 }), (steps) => {
        let breaker = CircuitBreaker.initial
        let now = 0
        let isProbing = false
        let failuresInARow = 0
        for (const { pauseMs, outcome, retryAfterMs, isLate } of steps) {
          now += pauseMs
          const before = breaker
          const permission = CircuitBreaker.permission(breaker, now)
          assert.strictEqual(permission === "Call", before._tag === "Closed")
          if (permission === "Probe") {
            assert.isFalse(isProbing)
            breaker = next(breaker, probe, now)
            isProbing = true
          }
          const isProbe = isProbing && !isLate
          const event: CircuitBreaker.Event =
            outcome === "ok"
              ? { _tag: "Succeeded", isProbe }
              : outcome === "interrupted"
                ? ended(isProbe)
                : fails({ isProbe, retryAfterMs, isKeyRefused: outcome === "refused" })
          breaker = next(breaker, event, now)
          if (isProbe) isProbing = false
          assert.strictEqual(breaker._tag === "HalfOpen", isProbing)

          if (before._tag === "Closed") {
            if (event._tag === "Failed") failuresInARow++
            else if (event._tag === "Succeeded") failuresInARow = 0
            assert.strictEqual(breaker._tag, failuresInARow === 3 ? "Open" : "Closed")
          } else {
            assert.strictEqual(breaker._tag === "Closed", isProbe && outcome === "ok")
          }
          if (breaker._tag === "Closed") {
            if (before._tag !== "Closed") failuresInARow = 0
          } else assert.isAtMost(breaker.until - now, 3_600_000)
        }
      }),
      { seed: 15, numRuns: 2000 }
    )
  })
})

it("the failure of several requests asks to wait as long as the longest of them", () => {
  const asking = (retryAfterMs: number) =>
    new SearchError({ reason: "Status", retryAfter: Option.some(Duration.millis(retryAfterMs)) })
  const none = new SearchError({ reason: "Timeout" })
  assert.deepStrictEqual(HashSearch.failure([none, asking(7000), asking(9000), none], false), {
    _tag: "Failed",
    isProbe: false,
    retryAfterMs: 9000
  })
})
