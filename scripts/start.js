// Builds what is out of date, reads .env if there is one, and becomes the service.
import { existsSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { build } from "./build.js"

const service = pathToFileURL(await build())
if (existsSync(".env")) process.loadEnvFile()
await import(service.href)
