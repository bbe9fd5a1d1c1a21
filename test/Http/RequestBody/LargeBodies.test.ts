import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as LargeBodies from "../../../src/Http/RequestBody/LargeBodies.ts"
import * as RequestBody from "../../../src/Http/RequestBody.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"

const MAX = 1024 * 1024

/** A body that is being read. */
const readingWith = (largeBodies: LargeBodies.LargeBodies) =>
  Effect.gen(function* () {
    const request = new IncomingMessage(new Socket())
    const fiber = yield* forkNow(Effect.either(RequestBody.readLarge(request, MAX, largeBodies)))
    return {
      request,
      fiber,
      /** The size of the body, or the tag of the error. */
      result: Effect.map(Fiber.join(fiber), (either) =>
        either._tag === "Right" ? either.right.length : either.left._tag
      )
    }
  })

const LARGE = Buffer.alloc(RequestBody.MAX_BODY_BYTES + 1)
const SMALL = Buffer.alloc(RequestBody.MAX_BODY_BYTES)

describe("a large body", () => {
  it.effect("is read up to its maximum, in pieces of any size", () =>
    Effect.gen(function* () {
      const { request, result } = yield* readingWith(LargeBodies.make(1))
      for (let sent = 0; sent < MAX; sent += 16) request.emit("data", Buffer.alloc(16))
      request.emit("end")
      assert.strictEqual(yield* result, MAX)
    })
  )

  it.effect("is too large with the first byte over its maximum", () =>
    Effect.gen(function* () {
      const { request, result } = yield* readingWith(LargeBodies.make(1))
      request.emit("data", Buffer.alloc(MAX))
      request.emit("data", Buffer.alloc(1))
      assert.strictEqual(yield* result, "BodyTooLarge")
    })
  )

  it.effect("takes the place of the oldest one if there are too many; small ones take none", () =>
    Effect.gen(function* () {
      const largeBodies = LargeBodies.make(2)
      const small = yield* readingWith(largeBodies)
      small.request.emit("data", SMALL)
      const [first, second, third] = [
        yield* readingWith(largeBodies),
        yield* readingWith(largeBodies),
        yield* readingWith(largeBodies)
      ]
      for (const { request } of [first, second, third]) request.emit("data", LARGE)
      assert.strictEqual(yield* first.result, "BodyDropped")
      // What arrives of it later is discarded.
      first.request.emit("data", LARGE)
      for (const { request } of [small, second, third]) request.emit("end")
      assert.strictEqual(yield* small.result, SMALL.length)
      assert.strictEqual(yield* second.result, LARGE.length)
      assert.strictEqual(yield* third.result, LARGE.length)
    })
  )

  for (const [what, end] of [
    ["is whole", ({ request }) => Effect.sync(() => request.emit("end"))],
    ["is too large", ({ request }) => Effect.sync(() => request.emit("data", Buffer.alloc(MAX)))],
    ["is interrupted", ({ fiber }) => Fiber.interrupt(fiber)]
  ] as ReadonlyArray<
    readonly [string, (body: Effect.Effect.Success<ReturnType<typeof readingWith>>) => Effect.Effect<unknown>]
  >)
    it.effect(`has a place no longer when it ${what}`, () =>
      Effect.gen(function* () {
        const largeBodies = LargeBodies.make(2)
        const other = yield* readingWith(largeBodies)
        other.request.emit("data", LARGE)
        const ended = yield* readingWith(largeBodies)
        ended.request.emit("data", LARGE)
        yield* end(ended)
        const last = yield* readingWith(largeBodies)
        last.request.emit("data", LARGE)
        for (const { request } of [other, last]) request.emit("end")
        assert.strictEqual(yield* other.result, LARGE.length)
        assert.strictEqual(yield* last.result, LARGE.length)
      })
    )
})
