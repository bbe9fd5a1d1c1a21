import { execFileSync, spawn } from "node:child_process"
import { closeSync, constants, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { main } from "../../scripts/build.js"
import { MAX_BUFFERED_CHARACTERS } from "../../src/Layers/Telemetry.ts"
import { postJson, send } from "../fixtures/Request.ts"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import { until, untilTrue } from "../fixtures/Until.ts"

const DROPPED = /^threat_scoring_log_lines_dropped_total (\d+)$/m

/** What waits for a stalled reader: the buffer of the service, that of the pipe, and a few lines. */
const MAX_WAITING_CHARACTERS = MAX_BUFFERED_CHARACTERS + 2 ** 17

const READ_WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK

/** More lines than the system's buffer of a pipe and the service's buffer hold. */
const CHECKS = 8000

/** The reading end of a named pipe: the test decides when it reads, and when it has gone. */
const makeReader = (pipe: string) => {
  const buffer = Buffer.alloc(65_536)
  let end = openSync(pipe, READ_WITHOUT_WAITING)
  let text = ""
  return {
    /** Reads what is there, and returns all that was read so far. */
    read: () => {
      for (;;) {
        try {
          const bytes = readSync(end, buffer)
          if (bytes === 0) return text
          text += buffer.toString("utf8", 0, bytes)
        } catch {
          return text // nothing to read at the moment
        }
      }
    },
    leave: () => closeSync(end),
    comeBack: () => {
      end = openSync(pipe, READ_WITHOUT_WAITING)
    }
  }
}

/** A service that logs into a pipe of the test. */
const start = () =>
  Effect.gen(function* () {
    const folder = yield* ServiceProcess.temporaryFolder
    const pipe = join(folder, "log")
    execFileSync("mkfifo", [pipe])
    const reader = makeReader(pipe)
    const log = openSync(pipe, constants.O_WRONLY)
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [main], {
          cwd: folder,
          env: { ...ServiceProcess.environmentIn(folder), RATE_LIMIT: "1000000" },
          stdio: ["ignore", log, "pipe"]
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    closeSync(log)
    const port = yield* until(
      Effect.sync(() => Number(/"Listening on .*"port":(\d+)/.exec(reader.read())?.[1])),
      (port) => port > 0
    )
    let stderr = ""
    child.stderr?.on("data", (text) => {
      stderr += text
    })
    return {
      reader,
      /** Sends checks, and returns the statuses of the responses. */
      check: (count: number) =>
        Effect.map(
          Effect.forEach(
            Array.from({ length: count }, (_, at) => `https://${at}.example/`),
            (url) => Effect.map(postJson(port, { url }), ({ status }) => status),
            { concurrency: 32 }
          ),
          (statuses) => [...new Set(statuses)]
        ),
      /** A metric of the service. */
      metric: (name: RegExp) =>
        Effect.map(send(port, { method: "GET", path: "/metrics" }), ({ body }) =>
          Number(name.exec(body)?.[1])
        ),
      end: Effect.gen(function* () {
        child.kill("SIGTERM")
        yield* untilTrue(() => child.exitCode !== null || child.signalCode !== null)
        return [child.exitCode, child.signalCode, stderr]
      })
    }
  })

describe("the reader of the log", () => {
  it.scopedLive("may go: the service goes on, counts the lines, and logs to the next reader", () =>
    Effect.gen(function* () {
      const { check, end, metric, reader } = yield* start()
      reader.leave()
      assert.deepStrictEqual(yield* check(20), [200])
      const dropped = yield* metric(DROPPED)
      // On a busy machine there are warnings of slow checks too.
      assert.isAtLeast(dropped, 20)
      assert.isBelow(dropped, 40)
      reader.comeBack()
      assert.deepStrictEqual(yield* check(1), [200])
      yield* untilTrue(() => reader.read().includes('"message":"request"'))
      assert.deepStrictEqual(yield* end, [0, null, ""])
      assert.include(reader.read(), '"shut down"', "the last line")
    })
  )

  it.scopedLive("may stall: the service goes on, and at most 1 MiB waits in it", () =>
    Effect.gen(function* () {
      const { check, metric, reader } = yield* start()
      const before = reader.read().length
      assert.deepStrictEqual(yield* check(CHECKS), [200])
      assert.isAbove(yield* metric(DROPPED), 1000)
      yield* untilTrue(() => reader.read().length - before > MAX_BUFFERED_CHARACTERS)
      assert.isBelow(reader.read().length - before, MAX_WAITING_CHARACTERS)
    })
  )

  it.scopedLive("may stall at the end: the service ends a second later", () =>
    Effect.gen(function* () {
      const { check, end } = yield* start()
      yield* check(1000)
      assert.deepStrictEqual(yield* end, [0, null, ""])
    })
  )
})
