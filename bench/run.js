// Runs all parts, or one: `npm run bench -- lists` bundles bench/lists.ts and runs it. It prints text and writes JSON to
// bench/dist, of which `npm run bench -- figures` makes the table in bench/README.md.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import * as esbuild from "esbuild"
import { build, main, options } from "../scripts/build.js"
import { writeFigures } from "./figures.js"

const here = import.meta.dirname
if (process.argv[2] === "figures") {
  writeFigures()
  process.exit()
}
if (!existsSync(join(here, "node_modules"))) {
  console.error("The packages of the benchmarks are not installed: npm ci --prefix bench")
  process.exit(1)
}
const parts = readdirSync(here).flatMap((file) => /^([a-z]+)\.ts$/.exec(file)?.[1] ?? [])
const chosen = process.argv.length > 2 ? process.argv.slice(2) : parts
// `soak` adds a million requests to the part `requests`, to show how memory grows.
const isSoaked = chosen.includes("soak")
const named = chosen.filter((name) => name !== "soak")
if (isSoaked && !named.includes("requests")) named.push("requests")
if (named.some((name) => !parts.includes(name))) {
  console.error(`npm run bench [-- ${[...parts, "soak", "figures"].join("|")}]`)
  process.exit(1)
}

// The service is measured as it is built for production.
await build()
const outdir = join(here, "dist")
await esbuild.build({
  ...options,
  entryPoints: [
    ...named.map((name) => `bench/${name}.ts`),
    "bench/Baseline.ts",
    "bench/RedisProgram.ts",
    "bench/SafeBrowsingProgram.ts"
  ],
  outdir,
  outExtension: { ".js": ".mjs" },
  // These are not measured in the service, and are not made to be bundled.
  external: ["autocannon", "fastify"]
})
await esbuild.stop()

for (const name of named) {
  const { status } = spawnSync(
    process.execPath,
    [
      "--expose-gc",
      "--max-old-space-size=4096",
      join(outdir, `${name}.mjs`),
      main,
      join(outdir, `${name}.json`)
    ],
    { stdio: "inherit", env: { ...process.env, SOAK: isSoaked ? "1" : "0" } }
  )
  if (status !== 0) process.exit(status ?? 1)
  console.log("")
}
