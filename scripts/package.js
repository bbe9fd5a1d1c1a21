// npm runs this file before it packs. It builds dist, adds the modules of the client with their types in dist/client, and
// takes `dependencies` out of package.json: the programs are bundled, and the client must share the Effect of its user,
// so the packed package has peers only. postpack.js restores package.json.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build, root } from "./build.js"

const manifest = join(root, "package.json")
const original = join(root, "package.json.orig")

// An earlier `npm pack` was interrupted.
if (existsSync(original)) renameSync(original, manifest)

await build()
execFileSync(
  process.execPath,
  [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.package.json"],
  { cwd: root, stdio: "inherit" }
)

const { dependencies, devDependencies, overrides, allowScripts, ...packed } = JSON.parse(
  readFileSync(manifest, "utf8")
)
renameSync(manifest, original)
writeFileSync(manifest, `${JSON.stringify(packed, undefined, 2)}\n`)
