// Gives a built service what V8 compiles of it until it has answered: see main.js beside this file.
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const LOADER = join(import.meta.dirname, "main.js")

/** A service that has not answered by then does not start at all. */
const LONGEST_START_MS = 60_000

/**
 * Makes main.js in a folder into program.cjs, its code cache, and a main.js that runs the one with the other. V8 can
 * cache a script, which a module is not.
 *
 * @param {typeof import("esbuild")} esbuild
 * @param {string} folder
 */
export const addCodeCache = async (esbuild, folder) => {
  const main = join(folder, "main.js")
  const { code } = await esbuild.transform(readFileSync(main, "utf8"), {
    format: "cjs",
    platform: "node",
    target: "node20",
    define: { "import.meta.url": "moduleUrl" },
    banner: `(function (require, __filename) { const module = {}, moduleUrl = require("node:url").pathToFileURL(__filename).href;`,
    footer: "})"
  })
  writeFileSync(join(folder, "program.cjs"), code)
  copyFileSync(LOADER, main)
  const data = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))
  try {
    execFileSync(process.execPath, [import.meta.filename, folder], {
      env: {
        ...{ HOST: "127.0.0.1", PORT: String(await freePort()), DATA_DIR: data, LOG_LEVEL: "error" },
        ...{ FEED_A_URL: "off", FEED_B_URL: "off", FEED_C_URL: "off", FEED_D_URL: "off" }
      },
      // What a build prints is the path of main.js.
      stdio: ["ignore", "ignore", "inherit"],
      timeout: LONGEST_START_MS
    })
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === "object" && address !== null ? address.port : 0
}

/** @param {() => Promise<Response>} ask */
const untilAnswered = async (ask) => {
  for (;;) {
    const response = await ask().catch(() => undefined)
    await response?.text()
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

// In a process of its own, which becomes the service and ends when it has been asked once.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) {
  const [, , folder = ""] = process.argv
  const { script } = await import(pathToFileURL(join(folder, "main.js")).href)
  const address = `http://127.0.0.1:${process.env.PORT}`
  await untilAnswered(() => fetch(`${address}/health/live`))
  await untilAnswered(() =>
    fetch(`${address}/api/check`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: "https://www.example.com/" })
    })
  )
  writeFileSync(join(folder, "program.cache"), script.createCachedData())
  process.exit()
}
