import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import * as RequestBody from "../../../src/Http/Serve/RequestBody.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"
import { nextTurn } from "../../fixtures/NextTurn.ts"

const MAX_BODY_BYTES = 65_536

/** Reads the body of a request. */
const read = (request: IncomingMessage) =>
  RequestBody.read(
    { request, isClosing: false, writeContinue: () => undefined, onClose: () => undefined },
    MAX_BODY_BYTES
  )

const reading = Effect.gen(function* () {
  const request = new IncomingMessage(new Socket())
  const body = yield* forkNow(read(request))
  return { request, body: Fiber.join(body) }
})

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

describe("RequestBody", () => {
  it.effect("is the concatenation of chunks of any size", () =>
    Effect.gen(function* () {
      const { request, body } = yield* reading
      const pieces = Array.from({ length: 200 }, (_, i) => Buffer.alloc((i * 7) % 600, i))
      for (const piece of pieces) request.emit("data", piece)
      request.emit("end")
      assert.deepStrictEqual(yield* body, Buffer.concat(pieces))
    })
  )

  it.effect("copies the bytes of a body that arrives byte by byte", () =>
    Effect.gen(function* () {
      const { request, body } = yield* reading
      request.emit("data", Buffer.from("0"))
      const piece = Buffer.alloc(1)
      for (let sent = 1; sent < MAX_BODY_BYTES; sent++) {
        piece.fill(48 + (sent % 10))
        request.emit("data", piece)
      }
      request.emit("end")
      const whole = "0123456789".repeat(MAX_BODY_BYTES / 10 + 1).slice(0, MAX_BODY_BYTES)
      assert.strictEqual((yield* body).toString(), whole)
    })
  )

  it.effect("is too large with the first byte over the limit", () =>
    Effect.gen(function* () {
      const { request, body } = yield* reading
      request.emit("data", Buffer.alloc(MAX_BODY_BYTES))
      request.emit("data", Buffer.alloc(1))
      assert.strictEqual((yield* Effect.flip(body)).reason, "BodyTooLarge")
    })
  )

  it.effect("is not collected any more after an interruption, such as by a time limit", () =>
    Effect.gen(function* () {
      const request = new IncomingMessage(new Socket())
      const limited = yield* forkNow(Effect.timeout(read(request), "10 seconds"))
      yield* nextTurn
      request.emit("data", Buffer.alloc(1000))
      assert.strictEqual(request.listenerCount("data"), 1)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Effect.flip(Fiber.join(limited)))._tag, "TimeoutException")
      assert.deepStrictEqual([request.listenerCount("data"), request.listenerCount("end")], [0, 0])
      assert.isTrue(request.readableFlowing, "node discards the rest")
    })
  )

  it.effect.each(["whole", "too large", "interrupted"])(
    "is not referenced by the request after it was read: one that is %s",
    (kind) =>
      Effect.gen(function* () {
        const request = new IncomingMessage(new Socket())
        const done = yield* forkNow(Effect.ignore(read(request)))
        const memory = yield* Effect.sync(() => {
          const piece = Buffer.from(new ArrayBuffer(1000))
          request.emit("data", piece)
          return new WeakRef(piece.buffer)
        })
        if (kind === "too large") request.emit("data", Buffer.alloc(MAX_BODY_BYTES))
        if (kind === "whole") request.emit("end")
        yield* kind === "interrupted" ? Fiber.interrupt(done) : Fiber.join(done)
        yield* nextTurn
        collect()
        assert.isUndefined(memory.deref())
        request.emit("close")
      })
  )
})
