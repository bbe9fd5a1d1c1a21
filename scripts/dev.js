// Rebuilds on every change of a source and restarts the service.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as esbuild from "esbuild"
import { options, root } from "./build.js"

const outdir = join(root, "dist/dev")
if (existsSync(".env")) process.loadEnvFile()

/** @type {import("node:child_process").ChildProcess | undefined} */
let service
/** @type {Promise<unknown>} */
let ended = Promise.resolve()

const stop = () => {
  service?.kill()
  return ended
}

const restart = async () => {
  await stop()
  const started = spawn(process.execPath, [join(outdir, "main.js")], { stdio: "inherit" })
  service = started
  ended = new Promise((resolve) => started.once("exit", resolve))
}

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop().then(() => process.exit()))
process.on("exit", () => service?.kill())

const context = await esbuild.context({
  ...options,
  outdir,
  plugins: [
    ...options.plugins,
    {
      name: "restart",
      setup: (build) => build.onEnd(({ errors }) => (errors.length === 0 ? restart() : undefined))
    }
  ]
})
await context.watch()
