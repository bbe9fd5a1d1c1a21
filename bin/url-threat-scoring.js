#!/usr/bin/env -S node --
// The command line. A clone builds it first if needed; the package contains it built.
// Without the `--` Node.js 20 itself reads the file of `--env-file`, and ends with status 9 if it is missing.
import { existsSync } from "node:fs"

/** 1 would mean that a URL is phishing. */
const CANNOT_BUILD = 2

const builder = new URL("../scripts/build.js", import.meta.url)
if (existsSync(builder)) {
  const { buildIfStale } = await import(builder.href)
  await buildIfStale().catch((/** @type {unknown} */ error) => {
    process.stderr.write(`Cannot build: ${error instanceof Error ? error.message : error}\n`)
    process.exit(CANNOT_BUILD)
  })
}
await import(new URL("../dist/cli.js", import.meta.url).href)
