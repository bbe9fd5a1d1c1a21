import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import * as ReadingPlaces from "../../../src/Http/Serve/ReadingPlaces.ts"
import { adjust, nextTurn } from "../../fixtures/NextTurn.ts"

const { max, maxPerAddress } = ReadingPlaces.MAX_READING

/** Bodies that are read in places until they are whole. */
const places = Effect.gen(function* () {
  const reading = yield* ReadingPlaces.make
  const clock = yield* Effect.clock
  /** Of the address; undefined: it has no place. */
  const enter = (address: string, bytes = 0) =>
    Effect.gen(function* () {
      const place = reading.enter(address, clock)
      if (place === undefined) return undefined
      place.onBytes(bytes)
      const whole = yield* Deferred.make<Buffer>()
      const fiber = yield* Effect.fork(place.read(Deferred.await(whole)))
      yield* nextTurn
      return {
        send: place.onBytes,
        wait: place.wait,
        leave: place.leave,
        complete: Effect.zipRight(Deferred.succeed(whole, Buffer.alloc(0)), Fiber.join(fiber)),
        /** The reason of the refusal; undefined: it is still read, or whole. */
        refused: Effect.zipRight(
          Effect.repeatN(nextTurn, 5),
          Effect.flatMap(
            fiber.poll,
            Option.match({
              onNone: () => Effect.succeed(undefined),
              onSome: (exit) =>
                Effect.merge(
                  Effect.as(
                    Effect.mapError(exit, ({ reason }) => reason),
                    undefined
                  )
                )
            })
          )
        )
      }
    })
  const entered = (address: string, bytes = 0) =>
    Effect.flatMap(enter(address, bytes), (body) => Effect.orDie(Effect.fromNullable(body)))
  /** So many bodies, each of an address of its own. */
  const fill = (name: string, count: number, bytes = 0) =>
    Effect.forEach(
      Array.from({ length: count }, (_, index) => `${name}${index}`),
      (address) => entered(address, bytes)
    )
  return { enter, entered, fill }
})

const TOO_SLOW = "BodyTooSlow"

describe("ReadingPlaces", () => {
  it.effect("close the oldest of equal bodies when all are taken", () =>
    Effect.gen(function* () {
      const { entered, fill } = yield* places
      const all = yield* fill("a", max)
      yield* entered("b")
      assert.deepStrictEqual(yield* Effect.forEach(all.slice(0, 2), ({ refused }) => refused), [
        TOO_SLOW,
        undefined
      ])
    })
  )

  it.effect("close a body that has sent much and stopped, or little by little, before one that goes on", () =>
    Effect.gen(function* () {
      const { entered, fill } = yield* places
      const going = yield* entered("going", 20_000)
      const stopped = yield* entered("stopped", 30_000)
      const little = yield* entered("little")
      yield* fill("a", max - 3, 200_000)
      for (let second = 1; second <= 4; second++) {
        yield* adjust("1 second")
        going.send(20_000)
        little.send(1100)
      }
      yield* entered("b")
      assert.deepStrictEqual(
        [yield* going.refused, yield* stopped.refused, yield* little.refused],
        [undefined, undefined, TOO_SLOW]
      )
      yield* entered("c")
      assert.deepStrictEqual([yield* going.refused, yield* stopped.refused], [undefined, TOO_SLOW])
    })
  )

  it.effect("do not close a body that goes on for bodies that begin again and again", () =>
    Effect.gen(function* () {
      const { entered, fill } = yield* places
      const going = yield* entered("going", 20_000)
      yield* fill("a", max - 1)
      for (let tenths = 0; tenths < 40; tenths++) {
        yield* adjust("100 millis")
        going.send(2000)
        yield* fill(`b${tenths}.`, 10)
      }
      assert.isUndefined(yield* going.refused)
    })
  )

  it.effect("do not close the only body of an address for many of others that send a lot and stop", () =>
    Effect.gen(function* () {
      const { enter, entered } = yield* places
      const only = yield* entered("only", 2000)
      for (let tenths = 0; tenths < 20; tenths++) {
        yield* adjust("100 millis")
        only.send(2000)
        for (let address = 1; address < max / maxPerAddress; address++) yield* enter(`${address}`, 20_000)
        for (let address = 1; address < max / maxPerAddress; address++) yield* enter(`${address}.`, 20_000)
      }
      assert.isUndefined(yield* only.refused)
    })
  )

  it.effect("do not close the body that has just begun", () =>
    Effect.gen(function* () {
      const { entered, fill } = yield* places
      yield* fill("a", max, 2000)
      yield* adjust("1 second")
      const begun = yield* entered("b")
      yield* fill("c", max - 1)
      assert.isUndefined(yield* begun.refused)
    })
  )

  it.effect("refuse one more body when all bodies are whole, and have room when one has left", () =>
    Effect.gen(function* () {
      const { enter, entered, fill } = yield* places
      const all = yield* fill("a", max)
      for (const { complete } of all) yield* complete
      yield* adjust("1 minute")
      assert.isUndefined(yield* enter("b"))
      all[0]?.leave()
      all[0]?.leave()
      const only = yield* entered("b")
      const next = yield* entered("c")
      assert.deepStrictEqual([yield* only.refused, yield* next.refused], [TOO_SLOW, undefined])
    })
  )

  it.effect("close a waiting body of an address with several for that of an address with none", () =>
    Effect.gen(function* () {
      const { enter, entered } = yield* places
      const waiting = yield* Effect.forEach(
        Array.from({ length: max }, (_, index) => `${index % (max / 4)}`),
        (address) =>
          Effect.gen(function* () {
            const { complete, wait } = yield* entered(address)
            yield* complete
            return yield* Effect.fork(wait(Effect.never))
          })
      )
      const only = yield* entered("only")
      yield* nextTurn
      const refused = yield* Effect.forEach(waiting, ({ poll }) => poll)
      assert.deepStrictEqual(
        yield* Effect.forEach(refused.filter(Option.isSome), ({ value }) =>
          Effect.flip(Effect.mapError(value, ({ reason }) => reason))
        ),
        ["Unavailable"]
      )
      // They begin again, and again.
      for (let again = 0; again < 20; again++) assert.isUndefined(yield* enter(`${again % (max / 4)}`))
      assert.isUndefined(yield* only.refused)
    })
  )

  it.effect("refuse one more body of an address, and close none for it", () =>
    Effect.gen(function* () {
      const { enter, entered } = yield* places
      const all = yield* Effect.replicateEffect(entered("a"), maxPerAddress)
      assert.isUndefined(yield* enter("a"))
      for (const { refused } of all) assert.isUndefined(yield* refused)
      all[3]?.leave()
      yield* entered("a")
    })
  )

  it.effect("give back the place of a body that is too slow", () =>
    Effect.gen(function* () {
      const { enter, entered } = yield* places
      const slow = yield* Effect.replicateEffect(entered("a"), maxPerAddress)
      yield* adjust("999 millis")
      assert.isUndefined(yield* enter("a"))
      yield* adjust("1 millis")
      for (const { refused } of slow) assert.strictEqual(yield* refused, TOO_SLOW)
      yield* entered("a")
    })
  )
})
