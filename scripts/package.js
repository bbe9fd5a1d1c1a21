// `npm run package` makes the package in the current folder; arguments go to `npm pack`. The package has no dependencies:
// its programs are bundled, and its client for Effect must share the Effect of its user, an optional peer. So it is packed
// from a copy, in which package.json has no `dependencies`.
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, root } from "./build.js"

if (process.env.npm_lifecycle_event === "prepack") {
  console.error("`npm pack` here would make a package with a second Effect. Run `npm run package` instead.")
  process.exit(1)
}

await build()
execFileSync(
  process.execPath,
  [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.package.json"],
  { cwd: root, stdio: "inherit" }
)

const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))
try {
  for (const name of ["README.md", "bin", "dist"])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  const { dependencies, devDependencies, overrides, allowScripts, scripts, ...packed } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8")
  )
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(packed, undefined, 2)}\n`)
  execFileSync("npm", ["pack", folder, ...process.argv.slice(2)], {
    stdio: "inherit",
    shell: process.platform === "win32"
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
