import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
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
})
