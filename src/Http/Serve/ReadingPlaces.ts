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

const MILLIS_PER_SECOND = 1000

interface Body {
  readonly address: string
  /** Monotonic, in milliseconds. */
  readonly startedAt: number
  bytes: number
  /** Fails when the body is closed for another one. Undefined: the body is whole, and must not be closed. */
  closed: Deferred.Deferred<never, Refusal> | undefined
}

/** Bytes per second since a second before the body began. */
const progressOf = ({ bytes, startedAt }: Body, now: number): number =>
  ((ASSUMED_BYTES + bytes) * MILLIS_PER_SECOND) / (MILLIS_PER_SECOND + now - startedAt)

/** When the body has been too slow if nothing more of it arrives: monotonic, in milliseconds. */
const dueAt = ({ bytes, startedAt }: Body): number =>
  startedAt +
  Math.min(
    Duration.toMillis(MAX_BODY_TIME),
    Duration.toMillis(BODY_GRACE) + Math.ceil((bytes * MILLIS_PER_SECOND) / MIN_BODY_BYTES_PER_SECOND)
  )

/** The place of one body. */
export interface ReadingPlace {
  /** Notes that so many bytes of the body have arrived. */
  readonly onBytes: (bytes: number) => void
  /** Completes with the body, or with 408 if it is too slow or is closed for another one. */
  readonly read: (body: Effect.Effect<Buffer, Refusal>) => Effect.Effect<Buffer, Refusal>
  /** Gives the place back. May be called again. */
  readonly leave: () => void
}

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
 * The places for bodies that are being read. `enter` returns undefined if the address has the maximum, or if all are taken by whole
 * bodies. If all are taken, it closes the body that has made the least progress: some addresses with slow bodies do not keep
 * others out.
 */
export const make = Effect.map(closedBodies, (closedBodies) => {
  const bodies = new Set<Body>()
  const { max, maxPerAddress } = MAX_READING

  const countOf = (address: string) =>
    Iterable.size(Iterable.filter(bodies, (body) => body.address === address))

  /**
   * Closes the body with the least progress. That of an address with several bodies is divided by their number: otherwise an
   * attacker who sends the beginnings of many bodies again and again keeps out those that arrive slowly. False: all are whole.
   */
  const closeSlowest = (now: number): boolean => {
    const progress = (body: Body) => progressOf(body, now) / countOf(body.address)
    let slowest: Body | undefined
    let least = Number.POSITIVE_INFINITY
    for (const body of bodies) {
      const own = body.closed === undefined ? least : progress(body)
      if (own < least) [slowest, least] = [body, own]
    }
    if (slowest?.closed === undefined) return false
    bodies.delete(slowest)
    Deferred.unsafeDone(slowest.closed, refusal("BodyTooSlow"))
    closedBodies.full.update(1)
    return true
  }

  return {
    enter: (address: string, clock: Clock.Clock): ReadingPlace | undefined => {
      const startedAt = MonotonicTime.millis(clock)
      if (countOf(address) >= maxPerAddress) return undefined
      if (bodies.size >= max && !closeSlowest(startedAt)) return undefined
      const closed = Deferred.unsafeMake<never, Refusal>(FiberId.none)
      const body: Body = { address, startedAt, bytes: 0, closed }
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
        leave,
        onBytes: (bytes) => {
          body.bytes += bytes
        },
        read: (whole) =>
          Effect.raceFirst(whole, Effect.raceFirst(Deferred.await(closed), tooSlow)).pipe(
            Effect.tapBoth({
              onFailure: () => Effect.sync(leave),
              onSuccess: () =>
                Effect.sync(() => {
                  body.closed = undefined
                })
            })
          )
      }
    }
  }
})
