import { type Clock, Deferred, Duration, Effect, FiberId, Iterable } from "effect"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import * as MonotonicTime from "../../Layers/Time/MonotonicTime.ts"
import { type Refusal, refusal } from "../Response.ts"

/** Bodies of expensive requests that are read, or wait to be computed, at once: 16 MiB. */
export const MAX_READING = { max: 64, maxPerAddress: 8 }

/** For a whole body: 256 KiB on a mobile connection of 210 kbit/s. The contract names it. */
const MAX_BODY_TIME = Duration.seconds(10)

/** Of a body after its grace, on average. A place is held for 9 seconds at the price of 9 KiB. The contract names both. */
const MIN_BODY_BYTES_PER_SECOND = 1024
const BODY_GRACE = Duration.seconds(1)

/**
 * What a new body is taken to have sent in a second before it began: the rate of a slow mobile connection. Without it the newest
 * body would have the least progress, and be closed before its first bytes arrive.
 */
const ASSUMED_BYTES = 16_384

/** The progress of a whole body, twice that of a new one: it is closed only for an address that then has at most half as many. */
const WHOLE_BYTES_PER_SECOND = 2 * ASSUMED_BYTES

const MILLIS_PER_SECOND = 1000

interface Body {
  readonly address: string
  /** Monotonic, in milliseconds. */
  readonly startedAt: number
  bytes: number
  isWhole: boolean
  /** Fails when the body is closed for another one. */
  readonly closed: Deferred.Deferred<never, Refusal>
}

/** Bytes per second since a second before the body began. */
const progressOf = ({ bytes, isWhole, startedAt }: Body, now: number): number =>
  isWhole
    ? WHOLE_BYTES_PER_SECOND
    : ((ASSUMED_BYTES + bytes) * MILLIS_PER_SECOND) / (MILLIS_PER_SECOND + now - startedAt)

/** When the body has been too slow if nothing more of it arrives: monotonic, in milliseconds. */
const dueAt = ({ bytes, startedAt }: Body): number =>
  startedAt +
  Math.min(
    Duration.toMillis(MAX_BODY_TIME),
    Duration.toMillis(BODY_GRACE) + Math.ceil((bytes * MILLIS_PER_SECOND) / MIN_BODY_BYTES_PER_SECOND)
  )

/** Counts bodies that got 408. */
const closedBodies = Effect.map(Metrics, ({ counter }) => {
  const counterOf = (reason: "full" | "slow") =>
    counter(
      "threat_scoring_bodies_closed_total",
      "Bodies of /api/checks that were refused with 408. full: all places for reading were taken, and this body had made the least progress. slow: it took longer than 10 seconds, or arrived at less than 1 KiB a second",
      { reason }
    )
  return { full: counterOf("full"), slow: counterOf("slow") }
})

/**
 * The places for bodies that are being read, or are whole and wait. If all are taken, `enter` closes the body that has made the
 * least progress: some addresses with slow bodies, or with many whole ones, do not keep others out. It returns undefined if that
 * is the new body, or if the address has the maximum.
 */
export const make = Effect.map(closedBodies, (closedBodies) => {
  const bodies = new Set<Body>()
  const { max, maxPerAddress } = MAX_READING

  const countOf = (address: string) =>
    Iterable.size(Iterable.filter(bodies, (body) => body.address === address))

  /**
   * Closes the body with the least progress. That of an address with several bodies is divided by their number: otherwise an
   * attacker who sends the beginnings of many bodies again and again keeps out those that arrive slowly. False: the new one of an
   * address with `count` of them would have the least.
   */
  const closeSlowest = (now: number, count: number): boolean => {
    let slowest: Body | undefined
    let least = Number.POSITIVE_INFINITY
    for (const body of bodies) {
      const own = progressOf(body, now) / countOf(body.address)
      if (own < least) [slowest, least] = [body, own]
    }
    if (slowest === undefined || least > ASSUMED_BYTES / (count + 1)) return false
    bodies.delete(slowest)
    if (!slowest.isWhole) closedBodies.full.update(1)
    Deferred.unsafeDone(slowest.closed, refusal(slowest.isWhole ? "Unavailable" : "BodyTooSlow"))
    return true
  }

  return {
    enter: (address: string, clock: Clock.Clock) => {
      const startedAt = MonotonicTime.millis(clock)
      const count = countOf(address)
      if (count >= maxPerAddress) return undefined
      if (bodies.size >= max && !closeSlowest(startedAt, count)) return undefined
      const closed = Deferred.unsafeMake<never, Refusal>(FiberId.none)
      const body: Body = { address, startedAt, bytes: 0, isWhole: false, closed }
      bodies.add(body)
      const leave = () => void bodies.delete(body)

      /** Fails when the body has been too slow. */
      const tooSlow: Effect.Effect<never, Refusal> = Effect.suspend(() => {
        const millis = dueAt(body) - MonotonicTime.millis(clock)
        if (millis > 0) return Effect.zipRight(Effect.sleep(millis), tooSlow)
        closedBodies.slow.update(1)
        return refusal("BodyTooSlow")
      })

      return {
        /** Gives the place back. May be called again. */
        leave,
        /** Notes that so many bytes of the body have arrived. */
        onBytes: (bytes: number): void => {
          body.bytes += bytes
        },
        /** Completes with the body, or with 408 if it is too slow or is closed for another one. */
        read: (whole: Effect.Effect<Buffer, Refusal>): Effect.Effect<Buffer, Refusal> =>
          Effect.raceFirst(whole, Effect.raceFirst(Deferred.await(closed), tooSlow)).pipe(
            Effect.tapBoth({
              onFailure: () => Effect.sync(leave),
              onSuccess: () =>
                Effect.sync(() => {
                  body.isWhole = true
                })
            })
          ),
        /** Runs what the whole body waits for, then gives the place back. Fails with 503 if the body is closed for another one. */
        wait: (waiting: Effect.Effect<void, Refusal>): Effect.Effect<void, Refusal> =>
          Effect.ensuring(Effect.raceFirst(waiting, Deferred.await(closed)), Effect.sync(leave))
      }
    }
  }
})
