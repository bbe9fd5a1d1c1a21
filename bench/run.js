// Runs one part: `npm run bench -- lists` bundles bench/lists.ts and runs it. Text goes to the terminal, JSON to dist/bench.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import * as esbuild from "esbuild"
import { build, options } from "../scripts/build.js"

const here = import.meta.dirname
const parts = readdirSync(here).flatMap((file) => /^([a-z]+)\.ts$/.exec(file)?.[1] ?? [])
const [name = "", ...others] = process.argv.slice(2)
if (!parts.includes(name) || others.length > 0 || !existsSync(join(here, `${name}.ts`))) {
  console.error(`npm run bench -- ${parts.join("|")}`)
  process.exit(1)
}

// The service and the thread of its feeds are measured as they are built for production.
const main = await build()
const outdir = join(here, "../dist/bench")
await esbuild.build({
  ...options,
  entryPoints: [`bench/${name}.ts`],
  outdir,
  outExtension: { ".js": ".mjs" }
})
await esbuild.stop()
const { status } = spawnSync(
  process.execPath,
  [
    "--expose-gc",
    "--max-old-space-size=4096",
    join(outdir, `${name}.mjs`),
    main,
    join(outdir, `${name}.json`)
  ],
  { stdio: "inherit" }
)
process.exit(status ?? 1)
