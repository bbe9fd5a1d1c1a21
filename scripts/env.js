// Prepares a process that `npm start` or `npm run dev` starts: loaded by `node --import`, before the program.
//
// `npm start` replaces its shell by Node (`exec`): some shells, such as dash, end at a SIGTERM from npm and do not forward it.
// Windows has no `exec`, and runs the same command after it.
import { readFileSync } from "node:fs"
import module from "node:module"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"

/** UTF-8 and the two UTF-16. Node would take the first for a part of the first name, and the others for no text. */
const BYTE_ORDER_MARK = /^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/

/** A line that Node would skip: `FEED_A_URL: off`, `FEED_A_URL off`. Not `NOTE: ...`. */
const NO_EQUALS_SIGN = /^[ \t]*(HOST|PORT|[A-Z]+_[A-Z\d_]+)(?::[ \t]|[ \t]+[^\s=])/m

const loadSettings = () => {
  try {
    const text = readFileSync(".env", "latin1")
    if (BYTE_ORDER_MARK.test(text)) return "begins with a byte order mark. Save it as UTF-8 without one"
    const [, name] = NO_EQUALS_SIGN.exec(text) ?? []
    if (name !== undefined) return `has no equals sign after ${name}`
    process.loadEnvFile()
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === "ENOENT") return
    return code === "EISDIR" ? "is a folder, not a file with settings" : `cannot be read (${code})`
  }
}

const problem = loadSettings()
if (problem !== undefined) {
  const message = `.env ${problem}`
  const record = { level: "fatal", time: new Date().toISOString(), message }
  console.error(process.env.LOG_FORMAT === "json" ? JSON.stringify(record) : message)
  process.exit(1)
}

// As the program does (src/main.ts): compiled code is of use only to a process with the same flags.
setFlagsFromString("--no-parallel-scavenge")
setFlagsFromString("--no-allocation-site-pretenuring")
// From Node 22 on: keeps compiled code between starts.
// @ts-expect-error: the types are those of Node 20
module.enableCompileCache?.(join(import.meta.dirname, "../node_modules/.cache/node"))
