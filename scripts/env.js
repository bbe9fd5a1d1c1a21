// Prepares a process that `npm start` or `npm run dev` starts: loaded by `node --import`, before the program.
import { readFileSync } from "node:fs"
import module from "node:module"
import { join } from "node:path"

/** UTF-8 and the two UTF-16. Node would take the first for a part of the first name, and the others for no text. */
const BYTE_ORDER_MARK = /^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/

const loadSettings = () => {
  try {
    const text = readFileSync(".env", "latin1")
    if (BYTE_ORDER_MARK.test(text)) return "begins with a byte order mark. Save it as UTF-8 without one"
    process.loadEnvFile()
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === "ENOENT") return
    return code === "EISDIR" ? "is a folder, not a file with settings" : `cannot be read (${code})`
  }
}

const problem = loadSettings()
if (problem !== undefined) {
  console.error(`.env ${problem}`)
  process.exit(1)
}

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
