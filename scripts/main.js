// The main.js of a build: runs the service in program.cjs with what V8 compiled of it when it was built.
//
// Without this node parses and compiles two megabytes whenever it starts. V8 refuses by itself what another version of it,
// or one with other flags, has made; the program is compiled then.
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { Script } from "node:vm"

const filename = join(import.meta.dirname, "program.cjs")
const cache = join(import.meta.dirname, "program.cache")

export const script = new Script(readFileSync(filename, "latin1"), {
  filename,
  ...(existsSync(cache) && { cachedData: readFileSync(cache) })
})
script.runInThisContext()(createRequire(filename), filename)
