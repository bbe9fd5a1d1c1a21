// `npm start` runs this file first.
import { buildIfStale } from "./build.js"

await buildIfStale()
