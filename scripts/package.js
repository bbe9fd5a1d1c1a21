// Makes what `npm pack` takes into dist/package: the modules of the client with their types, unbundled, so that they share
// Effect with their user. npm runs it before it packs.
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { root } from "./build.js"

const folder = join(root, "dist/package")
rmSync(folder, { recursive: true, force: true })
execFileSync(
  process.execPath,
  [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.package.json"],
  {
    cwd: root,
    stdio: "inherit"
  }
)
