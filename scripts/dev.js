// Builds into dist.dev at the start and after every change of a source, and restarts the service.
import { spawn } from "node:child_process"
import { watch } from "node:fs"
import { join } from "node:path"
import { build, root } from "./build.js"
import "./env.js"

const folder = join(root, "dist.dev")
/** An editor writes several files, or one file in several steps. */
const QUIET_MS = 100

/** @type {import("node:child_process").ChildProcess | undefined} */
let service
/** @type {Promise<unknown>} */
let ended = Promise.resolve()

const stop = () => {
  service?.kill()
  return ended
}

const restart = async () => {
  await stop()
  const started = spawn(process.execPath, [join(folder, "main.js")], { stdio: "inherit" })
  service = started
  ended = new Promise((resolve) => started.once("exit", resolve))
}

// esbuild has printed why a build failed. The last service that could be built goes on.
const rebuild = () => build(folder).then(restart, () => undefined)

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop().then(() => process.exit()))
process.on("exit", () => service?.kill())

let rebuilt = rebuild()
/** @type {NodeJS.Timeout | undefined} */
let timer
watch(join(root, "src"), { recursive: true }, () => {
  clearTimeout(timer)
  timer = setTimeout(() => {
    rebuilt = rebuilt.then(rebuild)
  }, QUIET_MS)
})
