// Bundles the service into dist/<fingerprint of its sources>/main.js, with the script of the thread that it starts and
// the weights of its model, the pages and the licences of what it holds beside it, and prints the path of main.js.
//
// A build is never changed once it stands: other sources have another fingerprint and so another folder. That is what
// lets `npm start` skip what is up to date and never touch the files of a process that runs from this folder.
import { createHash, randomUUID } from "node:crypto"
import { existsSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { addCodeCache } from "./code-cache.js"
import { licences } from "./licences.js"
import { swaggerUi } from "./swagger-ui.js"

export const root = join(import.meta.dirname, "..")

/** What browsers get, as it is. */
const pageFiles = readdirSync(join(root, "src/Http/Pages")).filter((name) => !/\.(?:ts|json)$/.test(name))

/** @satisfies {import("esbuild").BuildOptions} */
export const options = {
  absWorkingDir: root,
  entryPoints: [
    "src/main.ts",
    "src/cli.ts",
    "src/Checkers/ThreatFeed/Worker/FeedWorkerThread.ts",
    "src/Checkers/Heuristics/model.bin",
    ...pageFiles.map((name) => `src/Http/Pages/${name}`),
    "swagger-ui.css",
    "swagger-ui.js"
  ],
  entryNames: "[name]",
  loader: { ".html": "copy", ".css": "copy", ".browser.js": "copy", ".svg": "copy", ".bin": "copy" },
  plugins: [swaggerUi, licences],
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  // Packages written in CommonJS call `require` for node's own modules.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'
  },
  logLevel: "warning"
}

const fingerprint = () => {
  const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const others = [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "scripts/build.js",
    "scripts/code-cache.js",
    "scripts/main.js",
    "scripts/licences.js",
    "scripts/Apache-2.0.txt",
    "scripts/swagger-ui.js"
  ]
  const hash = createHash("sha256")
  for (const file of [...sources, ...others.map((name) => join(root, name))])
    hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0")
  return hash.digest("hex").slice(0, 16)
}

/** 1 would mean to the command line that something was found. */
const CANNOT_BUILD = 2

/**
 * What a newcomer, or a Dockerfile, can mend is said in one line.
 *
 * @param {unknown} error
 * @returns {never}
 */
const notInstalled = (error) => {
  if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error
  console.error(
    "Cannot build: the packages are not installed. Run `npm ci`, without --omit=dev and without NODE_ENV=production."
  )
  process.exit(CANNOT_BUILD)
}

/**
 * The path of an up-to-date main.js, built first if need be. Several processes may call it at once.
 *
 * @returns {Promise<string>}
 */
export const build = async () => {
  const wanted = fingerprint()
  const folder = join(root, "dist", wanted)
  const main = join(folder, "main.js")
  if (existsSync(main)) return main
  // Loaded only here, so that what is built starts without the packages for developers.
  const esbuild = await import("esbuild").catch(notInstalled)
  const unfinished = join(root, "dist", `unfinished-${randomUUID()}`)
  try {
    await esbuild.build({ ...options, outdir: unfinished })
    await addCodeCache(esbuild, unfinished)
    // Sources that changed meanwhile may have made a mixture.
    if (fingerprint() === wanted) renameSync(unfinished, folder)
  } catch (error) {
    // Another process may have finished the same build first.
    if (!existsSync(main)) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
    // Else its process stays for as long as this one, which is to become the service.
    await esbuild.stop()
  }
  return build()
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename)
  console.log(await build())
