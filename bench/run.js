// Runs all parts, or one: `npm run bench -- lists` bundles bench/lists.ts and runs it. Text goes to the terminal, JSON to
// dist/bench.
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as esbuild from "esbuild"
import { build, options } from "../scripts/build.js"

const here = import.meta.dirname
const parts = readdirSync(here).flatMap((file) => /^([a-z]+)\.ts$/.exec(file)?.[1] ?? [])
const chosen = process.argv.length > 2 ? process.argv.slice(2) : parts
if (chosen.some((name) => !parts.includes(name))) {
  console.error(`npm run bench [-- ${parts.join("|")}]`)
  process.exit(1)
}

// The service and the thread of its feeds are measured as they are built for production.
const main = await build()
const outdir = join(here, "../dist/bench")
await esbuild.build({
  ...options,
  entryPoints: [...chosen.map((name) => `bench/${name}.ts`), "bench/Baseline.ts"],
  outdir,
  outExtension: { ".js": ".mjs" },
  // The packages of developers are no part of what is measured, and not made to be bundled.
  external: ["autocannon", "fastify"]
})
await esbuild.stop()

for (const name of chosen) {
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
  if (status !== 0) process.exit(status ?? 1)
  console.log("")
}
