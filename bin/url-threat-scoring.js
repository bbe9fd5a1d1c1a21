#!/usr/bin/env node
// The command line. Builds it first if needed.
import { buildIfStale } from "../scripts/build.js"

/** 1 would mean that a URL is phishing. */
const CANNOT_BUILD = 2

await buildIfStale().catch((/** @type {unknown} */ error) => {
  process.stderr.write(`Cannot build: ${error instanceof Error ? error.message : error}\n`)
  process.exit(CANNOT_BUILD)
})
await import(new URL("../dist/cli.js", import.meta.url).href)
