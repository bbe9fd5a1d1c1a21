import { execFile, spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { feedsOff, temporaryFolder } from "../fixtures/ServiceProcess.ts"

const bin = fileURLToPath(new URL("../../bin/url-threat-scoring.js", import.meta.url))

describe("url-threat-scoring check --file", () => {
  it.scopedLive("reads a pipe, which has no positions", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const env = { PATH: process.env.PATH, DATA_DIR: folder, ...feedsOff }
      const command = 'echo https://example.com/ | "$0" "$1" check --file /dev/stdin'
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)("sh", ["-c", command, process.execPath, bin], { env })
      )
      assert.strictEqual(JSON.parse(stdout).url, "https://example.com/")
    })
  )

  for (const [signal, status] of [
    ["SIGTERM", 143],
    ["SIGINT", 130]
  ] as const)
    it.scopedLive(`ends at once by ${signal} while it waits for the writer of a pipe`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const pipe = join(folder, "pipe")
        yield* Effect.promise(() => promisify(execFile)("mkfifo", [pipe]))
        const env = { PATH: process.env.PATH, DATA_DIR: folder, ...feedsOff }
        const child = spawn(process.execPath, [bin, "check", "--file", pipe], { env })
        const ended = Effect.async<number | string | null>((resume) => {
          child.once("exit", (code, by) => resume(Effect.succeed(by ?? code)))
        })
        yield* Effect.sleep("3 seconds")
        const fiber = yield* Effect.fork(ended)
        yield* Effect.sleep("10 millis")
        child.kill(signal)
        const [time, how] = yield* Effect.timed(Fiber.join(fiber))
        assert.include([signal, status], how)
        assert.isBelow(Duration.toMillis(time), 1000)
      })
    )
})
