import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FileSystem } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { errorCodeOf } from "../../src/Layers/ErrorCode.ts"
import * as Files from "../../src/Layers/Files.ts"
import * as HangingDisk from "../fixtures/HangingDisk.ts"
import * as LogLines from "../fixtures/LogLines.ts"
import { adjust } from "../fixtures/NextTurn.ts"

const yields = Effect.yieldNow().pipe(Effect.repeatN(50))

/** The code of the error, or `ok`. */
const codeOf = (call: Effect.Effect<unknown, { readonly cause?: unknown }>) =>
  Effect.match(call, { onFailure: ({ cause }) => errorCodeOf(cause) ?? "none", onSuccess: () => "ok" })

const setUp = Effect.gen(function* () {
  const disk = HangingDisk.make()
  const calls = new Files.CallsUnderWay()
  const files = Files.bounded(disk.files, calls)
  /** The code of a call that may have to wait for ten seconds. */
  const codeInTime = (call: Effect.Effect<unknown, { readonly cause?: unknown }>) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(codeOf(call))
      yield* yields
      yield* adjust("10 seconds")
      return yield* Fiber.join(fiber)
    })
  return { ...disk, calls, files, codeInTime }
})

describe("a call on a file", () => {
  it.effect("that hangs ends by the limit, and no other is made on the path until it has returned", () =>
    Effect.gen(function* () {
      const { calls, codeInTime, files, hang, made, restore } = yield* setUp
      hang("/a")
      assert.strictEqual(yield* codeInTime(files.stat("/a")), "Timeout")
      assert.strictEqual(yield* codeInTime(files.readDirectory("/a")), "Timeout")
      assert.strictEqual(yield* codeOf(files.stat("/b")), "ok")
      assert.deepStrictEqual(made, ["stat /a", "stat /b"])
      assert.deepStrictEqual(calls.paths, ["/a"])
      restore("/a")
      yield* yields
      assert.strictEqual(yield* codeOf(files.stat("/a")), "ok")
      assert.deepStrictEqual(calls.paths, [])
    })
  )

  it.effect("waits for its turn on the path, no longer than the limit", () =>
    Effect.gen(function* () {
      const { codeInTime, files, hang, made } = yield* setUp
      hang("/a")
      const both = Effect.all([codeOf(files.stat("/a")), codeOf(files.stat("/a"))], { concurrency: 2 })
      const codes: Array<string> = []
      yield* codeInTime(Effect.map(both, (all) => void codes.push(...all)))
      assert.deepStrictEqual(codes, ["Timeout", "Timeout"])
      assert.deepStrictEqual(made, ["stat /a"])
    })
  )

  it.effect("is one of two at most, and is not made while two others hang", () =>
    Effect.gen(function* () {
      const { codeInTime, files, hang, made, restore } = yield* setUp
      for (const path of ["/a", "/b", "/c"]) hang(path)
      const fiber = yield* Effect.fork(
        Effect.all(
          ["/a", "/b", "/c"].map((path) => codeOf(files.stat(path))),
          { concurrency: 3 }
        )
      )
      yield* yields
      assert.deepStrictEqual(made, ["stat /a", "stat /b"])
      yield* adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["Timeout", "Timeout", "Timeout"])
      assert.strictEqual(yield* codeInTime(files.stat("/d")), "Timeout")
      assert.strictEqual(yield* codeInTime(files.stat("/a")), "Timeout")
      restore("/a")
      yield* yields
      assert.strictEqual(yield* codeOf(files.stat("/d")), "ok")
    })
  )

  it.effect("can be interrupted, and counts until it has returned", () =>
    Effect.gen(function* () {
      const { calls, files, hang, restore } = yield* setUp
      hang("/a")
      const fiber = yield* Effect.fork(files.stat("/a"))
      yield* yields
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      assert.deepStrictEqual(calls.paths, ["/a"])
      restore("/a")
      yield* yields
      assert.deepStrictEqual(calls.paths, [])
    })
  )

  it.effect("closes the file when the hung call on it has returned", () =>
    Effect.gen(function* () {
      const { codeInTime, files, hang, made, restore } = yield* setUp
      hang("/a", "readAlloc")
      const read = Effect.scoped(
        Effect.flatMap(files.open("/a", { flag: "r" }), (file) => file.readAlloc(10))
      )
      assert.strictEqual(yield* codeInTime(read), "Timeout")
      assert.deepStrictEqual(made, ["open /a", "readAlloc /a"])
      restore("/a")
      yield* yields
      assert.deepStrictEqual(made, ["open /a", "readAlloc /a", "close /a"])
    })
  )

  it.effect("closes a file that is opened too late", () =>
    Effect.gen(function* () {
      const { codeInTime, files, hang, made, restore } = yield* setUp
      hang("/a", "open")
      assert.strictEqual(yield* codeInTime(Effect.scoped(files.open("/a", { flag: "r" }))), "Timeout")
      restore("/a")
      yield* yields
      assert.deepStrictEqual(made, ["open /a", "close /a"])
    })
  )

  it.effect("waits for the end of a thread that holds the path", () =>
    Effect.gen(function* () {
      const { calls, codeInTime, files } = yield* setUp
      const end = yield* calls.hold("/a")
      assert.strictEqual(yield* codeInTime(files.stat("/a")), "Timeout")
      end()
      assert.strictEqual(yield* codeOf(files.stat("/a")), "ok")
    })
  )

  it.effect("is waited for at the end for a second", () =>
    Effect.gen(function* () {
      const { calls, codeInTime, files, hang } = yield* setUp
      yield* calls.end
      hang("/a")
      yield* codeInTime(files.stat("/a"))
      const end = yield* Effect.fork(calls.end)
      yield* yields
      yield* adjust("999 millis")
      assert.isNull(end.unsafePoll())
      yield* adjust("1 millis")
      yield* Fiber.join(end)
      assert.deepStrictEqual(calls.paths, ["/a"])
    })
  )
})

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "url-threat-scoring-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const onDisk = Layer.provide(Files.layer, Layer.succeed(Files.FileCalls, new Files.CallsUnderWay()))

const read = (path: string, maxBytes = 1_048_576) => {
  const chunks: Array<Uint8Array> = []
  return Files.read(path, maxBytes, (chunk) => Effect.sync(() => void chunks.push(chunk))).pipe(
    Effect.map(() => Buffer.concat(chunks).toString()),
    Effect.merge
  )
}

describe("the file system", () => {
  it.scopedLive("makes directories, also those above, and ends where none can be made", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = join(yield* folder, "a", "b", "c")
      const make = (path: string) => codeOf(files.makeDirectory(path, { recursive: true }))
      assert.strictEqual(yield* make(path), "ok")
      assert.strictEqual(yield* make(path), "ok")
      assert.deepStrictEqual(yield* files.readDirectory(join(path, "..")), ["c"])
      writeFileSync(join(path, "file"), "")
      assert.strictEqual(yield* make(join(path, "file", "x")), "ENOTDIR")
      if (process.platform === "linux") assert.strictEqual(yield* make("/proc/x/y"), "ENOENT")
    }).pipe(Effect.provide(onDisk))
  )

  it.scopedLive("reads a regular file, by a link too, and refuses what is none or too large", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "list")
      const content = "text".repeat(50_000)
      writeFileSync(path, content)
      assert.strictEqual(yield* read(path), content)
      symlinkSync("list", `${path}.link`)
      assert.strictEqual(yield* read(`${path}.link`), content)
      mkdirSync(`${path}.folder`)
      execFileSync("mkfifo", [`${path}.pipe`])
      const errorOf = (path: string) =>
        Effect.map(read(path), (error) => (error instanceof Files.FileError ? error.message : "read"))
      assert.strictEqual(yield* errorOf(`${path}.folder`), "is not a regular file")
      assert.strictEqual(yield* errorOf(`${path}.pipe`), "is not a regular file")
      assert.strictEqual(yield* errorOf(`${path}.none`), "cannot be read (ENOENT)")
      writeFileSync(path, Buffer.alloc(1_048_577))
      assert.strictEqual(yield* errorOf(path), "is larger than 1 MiB")
    }).pipe(Effect.provide(onDisk))
  )
})

describe("a link whose target hangs", () => {
  it.effect("can be replaced by a file, which is read", () =>
    Effect.gen(function* () {
      const { codeInTime, files, hang, links } = yield* setUp
      links.set("/a", "/proc/stuck")
      hang("/proc/stuck", "readAlloc")
      const read = Files.read("/a", 100, () => Effect.void).pipe(
        Effect.provideService(FileSystem.FileSystem, files),
        Effect.mapError(({ reason }) => ({ cause: { code: reason } }))
      )
      assert.strictEqual(yield* codeInTime(read), "Timeout")
      assert.strictEqual(yield* codeInTime(read), "Timeout")
      links.delete("/a")
      assert.strictEqual(yield* codeOf(read), "ok")
    })
  )
})

describe("the end of the process", () => {
  const launch = (...layers: readonly [Layer.Layer<never, string>, Layer.Layer<never, string>]) => {
    const { lines, layer } = LogLines.collect()
    return {
      messages: () => lines.map(({ message }) => message),
      run: Layer.mergeAll(...layers).pipe(
        Layer.provide(Files.logEnd),
        Layer.launch,
        Effect.provide(layer),
        Effect.exit
      )
    }
  }
  const failing = Layer.effectDiscard(Effect.fail("cannot start"))
  const starting = Layer.effectDiscard(Effect.never)

  it.effect("is in the log", () =>
    Effect.gen(function* () {
      const { messages, run } = launch(Layer.empty, Layer.empty)
      const fiber = yield* Effect.fork(Effect.interruptible(run))
      yield* yields
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(messages(), ["shut down"])
    })
  )

  it.effect("is not in the log as a shutdown if the start fails, which interrupts other layers", () =>
    Effect.gen(function* () {
      const { messages, run } = launch(starting, failing)
      assert.isTrue(Exit.isFailure(yield* run))
      assert.deepStrictEqual(messages(), [])
    })
  )
})
