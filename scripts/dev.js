// Rebuilds on every change of a source and restarts the service.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import * as esbuild from "esbuild"
import { options } from "./build.js"

const outdir = "dist/dev"
if (existsSync(".env")) process.loadEnvFile()

/** @type {import("node:child_process").ChildProcess | undefined} */
let service

const restart = async () => {
  if (service !== undefined && service.exitCode === null) {
    service.kill("SIGTERM")
    await once(service, "exit")
  }
  service = spawn(process.execPath, [`${outdir}/main.js`], { stdio: "inherit" })
}

const context = await esbuild.context({
  ...options,
  outdir,
  plugins: [
    {
      name: "restart",
      setup: (build) =>
        build.onEnd(async (result) => (result.errors.length === 0 ? await restart() : undefined))
    }
  ]
})
await context.watch()
