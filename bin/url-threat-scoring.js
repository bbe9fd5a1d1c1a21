#!/usr/bin/env node
// The command line. A clone builds it first if needed; the package contains it built.
import { existsSync } from "node:fs"

const builder = new URL("../scripts/build.js", import.meta.url)
if (existsSync(builder)) {
  const { buildIfStale } = await import(builder.href)
  await buildIfStale()
}
await import(new URL("../dist/cli.js", import.meta.url).href)
