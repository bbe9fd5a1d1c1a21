#!/usr/bin/env -S node --
// The command line. Builds `dist` first if it is missing.
// Without the `--` Node.js 20 itself reads the file of `--env-file`, and ends with status 9 if it is missing.
import { existsSync } from "node:fs"

/** 1 would mean that a URL is phishing. */
const CANNOT_BUILD = 2

const program = new URL("../dist/cli.js", import.meta.url)
if (!existsSync(program)) {
  const { build } = await import("../scripts/build.js")
  await build().catch((/** @type {unknown} */ error) => {
    process.stderr.write(`Cannot build: ${error instanceof Error ? error.message : error}\n`)
    process.exit(CANNOT_BUILD)
  })
}
await import(program.href)
