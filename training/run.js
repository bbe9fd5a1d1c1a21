// Bundles training/train.ts or training/evaluate.ts and runs it: `npm run train -- <folder>`, `npm run evaluate -- <file>`.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import * as esbuild from "esbuild"
import { options } from "../scripts/build.js"

const [name = "", ...others] = process.argv.slice(2)
const outdir = join(import.meta.dirname, "dist")
await esbuild.build({
  ...options,
  entryPoints: [
    `training/${name}.ts`,
    "training/Fitting/JobThread.ts",
    "src/Checkers/Heuristics/Model/model.bin"
  ],
  outdir,
  outExtension: { ".js": ".mjs" }
})
await esbuild.stop()
// The training rows take more than what Node.js allows itself by default.
const { status } = spawnSync(
  process.execPath,
  ["--max-old-space-size=6144", join(outdir, `${name}.mjs`), ...others],
  {
    stdio: "inherit"
  }
)
process.exit(status ?? 1)
