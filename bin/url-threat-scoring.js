#!/usr/bin/env -S node --
// The command line. Builds `dist` first if it is missing, and says so if it is older than the sources.
// Without the `--` Node.js 20 itself reads the file of `--env-file`, and ends with status 9 if it is missing.
import { existsSync, readdirSync, statSync } from "node:fs"

/** 1 would mean that a URL is phishing. */
const CANNOT_BUILD = 2

const program = new URL("../dist/cli.js", import.meta.url)
if (!existsSync(program)) {
  const { build } = await import("../scripts/build.js")
  await build().catch((/** @type {unknown} */ error) => {
    process.stderr.write(`Cannot build: ${error instanceof Error ? error.message : error}\n`)
    process.exit(CANNOT_BUILD)
  })
} else {
  const millisOf = (/** @type {URL} */ url) => statSync(url, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = new URL("../src/", import.meta.url)
  const names = existsSync(sources) ? readdirSync(sources, { recursive: true, encoding: "utf8" }) : []
  const files = [
    ...names.map((name) => new URL(encodeURI(name), sources)),
    new URL("../package-lock.json", import.meta.url)
  ]
  // Written by each build.
  const built = millisOf(new URL("../dist/package.json", import.meta.url))
  if (files.some((file) => millisOf(file) > built))
    process.stderr.write("dist is older than the sources: run `npm run build`\n")
}
await import(program.href)
