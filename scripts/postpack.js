// npm runs this file after it packed: see package.js.
import { renameSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
renameSync(join(root, "package.json.orig"), join(root, "package.json"))
