// Prepares a process that `npm start` or `npm run dev` starts: loaded by `node --import`, before the program.
import { existsSync } from "node:fs"
import module from "node:module"
import { join } from "node:path"

if (existsSync(".env")) process.loadEnvFile()

// From Node 22 on: keeps compiled code between starts.
// @ts-expect-error: the types are those of Node 20
module.enableCompileCache?.(join(import.meta.dirname, "../node_modules/.cache/node"))

const PARENT_CHECK_MS = 200

// npm starts its scripts in a shell. Some shells, such as dash, end at a SIGTERM from npm and do not forward it.
if (process.platform !== "win32" && process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, PARENT_CHECK_MS)
  timer.unref()
}
