// Makes what `npm pack` takes into dist/package: the programs, bundled, and the modules of the client with their types,
// unbundled, so that they share Effect with their user. npm runs it before it packs.
import { execFileSync } from "node:child_process"
import { cpSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { build, root } from "./build.js"

const folder = join(root, "dist/package")
const programs = dirname(await build())
rmSync(folder, { recursive: true, force: true })
// The code cache is of use to this version of node only.
cpSync(programs, folder, { recursive: true, filter: (path) => !path.endsWith("program.cache") })
execFileSync(
  process.execPath,
  [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.package.json"],
  {
    cwd: root,
    stdio: "inherit"
  }
)
