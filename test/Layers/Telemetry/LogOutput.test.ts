import { Writable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { logOutput, MAX_BUFFERED_CHARACTERS } from "../../../src/Layers/Telemetry.ts"
import { adjust } from "../../fixtures/NextTurn.ts"

/** Makes it usable again after an error, as Node makes its streams of the process. */
interface Reusable {
  readonly _undestroy: () => void
}

/** A stream whose reader reads when it is told to. */
const make = () => {
  const read: Array<string> = []
  let waiting: (() => void) | undefined
  let error: Error | undefined
  let isStalled = false
  const stream = new Writable({
    decodeStrings: false,
    destroy(cause, done) {
      done(cause)
      ;(this as Writable & Reusable)._undestroy()
    },
    write: (text, _encoding, done) => {
      if (error !== undefined) return done(error)
      if (!isStalled) {
        read.push(String(text))
        return done()
      }
      waiting = () => {
        read.push(String(text))
        done()
      }
    }
  })
  const seen = { drops: 0 }
  const output = logOutput(stream, () => void seen.drops++)
  return {
    output,
    stream,
    seen,
    read,
    stall: () => {
      isStalled = true
    },
    resume: () => {
      isStalled = false
      waiting?.()
    },
    fail: (cause: Error | undefined) => {
      error = cause
    }
  }
}

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const KILOBYTE = `${"x".repeat(1023)}\n`

describe("LogOutput", () => {
  it.effect(
    "buffers at most a mebibyte for a reader that stalls, drops further lines, and goes on when it reads",
    () =>
      Effect.gen(function* () {
        const { output, read, resume, seen, stall, stream } = make()
        stall()
        for (let line = 0; line < 3000; line++) output.write(KILOBYTE)
        assert.strictEqual(stream.writableLength, MAX_BUFFERED_CHARACTERS)
        assert.deepStrictEqual(seen, { drops: 3000 - 1024 })
        resume()
        yield* turn
        output.write("next\n")
        yield* turn
        assert.deepStrictEqual(seen, { drops: 3000 - 1024 })
        assert.deepStrictEqual(read.slice(1023), [KILOBYTE, "next\n"])
      })
  )

  it.effect("survives a reader that has gone, counts every line, and goes on when another reads", () =>
    Effect.gen(function* () {
      const { fail, output, read, seen } = make()
      fail(new Error("EPIPE"))
      for (let line = 0; line < 3; line++) {
        output.write("lost\n")
        output.write("lost\n")
        yield* turn
      }
      assert.deepStrictEqual(seen, { drops: 6 })
      fail(undefined)
      output.write("found\n")
      yield* turn
      assert.deepStrictEqual(read, ["found\n"])
    })
  )

  it.effect("waits at the end for what was written, for at most a second", () =>
    Effect.gen(function* () {
      const { output, read, resume, stall } = make()
      stall()
      output.write("last\n")
      const waiting = yield* Effect.fork(output.flush)
      yield* turn
      assert.deepStrictEqual(yield* Fiber.poll(waiting), Option.none())
      resume()
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(
        read.filter((text) => text !== ""),
        ["last\n"]
      )

      stall()
      output.write("never read\n")
      const endless = yield* Effect.fork(output.flush)
      yield* turn
      yield* adjust("1 second")
      yield* Fiber.join(endless)
    })
  )

  it.effect("waits at the end for no reader that has gone", () =>
    Effect.gen(function* () {
      const { fail, output } = make()
      fail(new Error("EPIPE"))
      output.write("lost\n")
      yield* output.flush
    })
  )
})
