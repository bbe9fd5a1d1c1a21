// Builds what is out of date, reads .env if there is one, and becomes the service.
import { existsSync } from "node:fs"
import { build } from "./build.js"

const main = await build()
if (existsSync(".env")) process.loadEnvFile()
await import(main)
