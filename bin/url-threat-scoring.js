#!/usr/bin/env node
// The command line. In a clone it is built first, if need be; the package holds it built.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const packed = join(import.meta.dirname, "../dist/package")
const builder = join(import.meta.dirname, "../scripts/build.js")

const folder = async () => {
  if (!existsSync(builder)) return packed
  const { build } = await import(pathToFileURL(builder).href)
  return join(await build(), "..")
}

await import(pathToFileURL(join(await folder(), "cli.js")).href)
