import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FileSystem } from "@effect/platform"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { errorCodeOf } from "../../src/Layers/ErrorCode.ts"
import * as Files from "../../src/Layers/Files.ts"
import * as HangingDisk from "../fixtures/HangingDisk.ts"
import { adjust } from "../fixtures/NextTurn.ts"

const yields = Effect.yieldNow().pipe(Effect.repeatN(50))

const setUp = Effect.gen(function* () {
  const disk = HangingDisk.make()
  const turn = yield* Effect.makeSemaphore(1)
  /** The reason of the error, or `ok`. */
  const reasonOf = <A>(operation: Effect.Effect<A, Files.FileError, FileSystem.FileSystem>) =>
    operation.pipe(
      Effect.match({ onFailure: ({ reason }) => reason, onSuccess: () => "ok" }),
      Effect.provideService(FileSystem.FileSystem, disk.files),
      Effect.provideService(Files.FileTurn, turn)
    )
  /** The same of an operation that may have to wait for ten seconds. */
  const reasonInTime = <A>(operation: Effect.Effect<A, Files.FileError, FileSystem.FileSystem>) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(reasonOf(operation))
      yield* yields
      yield* adjust("10 seconds")
      return yield* Fiber.join(fiber)
    })
  return { ...disk, reasonOf, reasonInTime }
})

describe("an operation on files", () => {
  it.effect("that hangs ends by the limit, and none begins in the same turn until it has returned", () =>
    Effect.gen(function* () {
      const { hang, made, reasonInTime, reasonOf, restore } = yield* setUp
      hang("/a")
      assert.strictEqual(yield* reasonInTime(Files.version("/a", 100)), "Timeout")
      assert.strictEqual(yield* reasonInTime(Files.version("/b", 100)), "Timeout")
      assert.deepStrictEqual(made, ["stat /a"])
      const inOtherTurn = Effect.provideService(Files.FileTurn, yield* Effect.makeSemaphore(1))
      assert.strictEqual(yield* reasonOf(inOtherTurn(Files.version("/c", 100))), "ok")
      restore("/a")
      yield* yields
      assert.strictEqual(yield* reasonOf(Files.version("/b", 100)), "ok")
      assert.deepStrictEqual(made, ["stat /a", "stat /c", "stat /b"], "what has timed out is not made later")
    })
  )

  it.effect("waits for any other of the process", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const files = (name: string) =>
        Effect.provideService(FileSystem.FileSystem, {
          ...HangingDisk.make().files,
          stat: () =>
            Effect.sync(() => void order.push(`begin ${name}`)).pipe(
              Effect.zipRight(yields),
              Effect.zipRight(Effect.sync(() => void order.push(`end ${name}`))),
              Effect.zipRight(Effect.dieMessage(name))
            )
        })
      const read = (name: string) => Effect.exit(files(name)(Files.version("/a", 100)))
      yield* Effect.all([read("one"), read("other")], { concurrency: "unbounded" })
      assert.deepStrictEqual(order, ["begin one", "end one", "begin other", "end other"])
    })
  )

  it.effect("can be interrupted at once", () =>
    Effect.gen(function* () {
      const { hang, reasonOf } = yield* setUp
      hang("/a")
      const fiber = yield* Effect.fork(reasonOf(Files.version("/a", 100)))
      yield* yields
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
    })
  )

  for (const method of ["open", "readAlloc"])
    it.effect(`closes its file when ${method}, which hung, has returned`, () =>
      Effect.gen(function* () {
        const { hang, made, reasonInTime, restore } = yield* setUp
        hang("/a", method)
        assert.strictEqual(yield* reasonInTime(Files.read("/a", 100)), "Timeout")
        assert.notInclude(made, "close /a")
        restore("/a")
        yield* yields
        assert.deepStrictEqual(made, ["stat /a", "open /a", "fstat /a", "readAlloc /a", "close /a"])
      })
    )
})

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "url-threat-scoring-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const read = (path: string, maxBytes = 1_048_576) =>
  Files.read(path, maxBytes).pipe(
    Effect.map(({ bytes }) => Buffer.from(bytes).toString()),
    Effect.merge
  )

/** The code of the error, or `ok`. */
const codeOf = (call: Effect.Effect<unknown, { readonly cause?: unknown }, FileSystem.FileSystem>) =>
  Effect.match(call, { onFailure: ({ cause }) => errorCodeOf(cause) ?? "none", onSuccess: () => "ok" })

describe("the file system", () => {
  it.scopedLive("makes directories, also those above, and ends where none can be made", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "a", "b", "c")
      const make = (path: string) => codeOf(Files.makeDirectory(path))
      assert.strictEqual(yield* make(path), "ok")
      assert.strictEqual(yield* make(path), "ok")
      assert.deepStrictEqual(readdirSync(join(path, "..")), ["c"])
      writeFileSync(join(path, "file"), "")
      assert.strictEqual(yield* make(join(path, "file", "x")), "ENOTDIR")
      if (process.platform === "linux") assert.strictEqual(yield* make("/proc/x/y"), "ENOENT")
    }).pipe(Effect.provide(NodeFileSystem.layer))
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
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})
