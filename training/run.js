// Bundles a program of this folder and runs it: `npm run train -- <folder>` runs train.ts.
import { spawnSync } from "node:child_process"
import { basename, join } from "node:path"
import * as esbuild from "esbuild"
import { options } from "../scripts/build.js"

const [name = "", ...others] = process.argv.slice(2)
/** The gate needs the programs of a training too, and `npm run evaluate -- <file>` does not. */
const program = name === "evaluate" && others.includes("--gate") ? "Evaluation/GateProgram" : name
const outdir = join(import.meta.dirname, "dist")
await esbuild.build({
  ...options,
  entryPoints: [
    `training/${program}.ts`,
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
  ["--max-old-space-size=6144", join(outdir, `${basename(program)}.mjs`), ...others],
  {
    stdio: "inherit"
  }
)
// Without memory it ends by a signal. 1 would say that the gate has found worse weights.
process.exit(status ?? 3)
