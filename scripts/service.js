// Starts the built service for a script: on a free port of loopback, with an empty DATA_DIR that is removed at the end.
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { main } from "./build.js"

/**
 * Resolves when it listens, and rejects with what it printed if it ends before that.
 *
 * @param {NodeJS.ProcessEnv} environment all that it gets, besides PATH
 * @returns {Promise<{ address: string, stop: () => Promise<void> }>}
 */
export const startService = (environment) => {
  const data = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))
  const service = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, ...environment, HOST: "127.0.0.1", PORT: "0", DATA_DIR: data },
    cwd: data,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise((resolve) => service.once("exit", resolve)).then(() =>
    rmSync(data, { recursive: true })
  )
  return new Promise((resolve, reject) => {
    let printed = ""
    service.stdout.on("data", (text) => {
      printed += text
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
      if (address === undefined) return
      resolve({
        address,
        stop: () => {
          service.kill()
          return ended
        }
      })
    })
    ended.then(() => reject(new Error(printed)))
  })
}
