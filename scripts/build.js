// Bundles the service into dist/: main.js, cli.js, the script of the feed worker's thread, the model, the pages and their
// compressed copies, and the licences of the packages inside. `npm run build` runs this file.
import { randomUUID } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { compressFiles } from "./compress.js"
import { writeLicences } from "./licences.js"
import { swaggerUi } from "./swagger-ui.js"
import { tables } from "./tables.js"

export const root = join(import.meta.dirname, "..")

const dist = join(root, "dist")

/** The service's program. */
export const main = join(dist, "main.js")

/** Makes Node load `dist` as modules wherever it is copied to. The first file of a build, so that its time is the build's start. */
const MARKER = "package.json"

/** @satisfies {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  metafile: true,
  plugins: [tables],
  logLevel: "warning"
}

/** @satisfies {import("esbuild").BuildOptions} */
export const options = {
  ...common,
  entryNames: "[name]",
  loader: {
    ".html": "copy",
    ".css": "copy",
    ".browser.js": "copy",
    ".svg": "copy",
    ".webmanifest": "copy",
    ".bin": "copy"
  },
  plugins: [...common.plugins, swaggerUi],
  format: "esm",
  // Packages written in CommonJS call `require` for Node's own modules.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'
  }
}

const swaggerFiles = ["swagger-ui.css", "swagger-ui.js"]

/** The names of the files of the pages that are in the repository. */
const pageFiles = () => readdirSync(join(root, "src/Http/Pages")).filter((name) => !name.endsWith(".ts"))

const servicePrograms = () => ({
  ...options,
  entryPoints: [
    "src/main.ts",
    "src/cli.ts",
    "src/Checkers/Heuristics/Model/model.bin",
    ...pageFiles().map((name) => `src/Http/Pages/${name}`),
    ...swaggerFiles
  ]
})

/**
 * CommonJS, which `new Worker(code, { eval: true })` requires.
 *
 * @satisfies {import("esbuild").BuildOptions}
 */
const threadProgram = {
  ...common,
  entryPoints: ["src/Lists/ListWorkerThread.ts"],
  outExtension: { ".js": ".cjs" },
  format: "cjs"
}

/** 1 would mean to the command line that a URL is phishing. */
const CANNOT_BUILD = 2

/** Loaded only to build: `dist` starts without the packages for developers. Undefined if they are not installed. */
const loadBundler = () =>
  import("esbuild").catch((error) => {
    if (error.code === "ERR_MODULE_NOT_FOUND") return undefined
    throw error
  })

/**
 * @param {typeof import("esbuild")} esbuild
 * @param {string} folder
 */
const bundle = async (esbuild, folder) => {
  mkdirSync(folder)
  writeFileSync(join(folder, MARKER), '{ "type": "module" }\n')
  const service = await esbuild.build({ ...servicePrograms(), outdir: folder })
  await compressFiles(folder, [...pageFiles(), ...swaggerFiles])
  const thread = await esbuild.build({ ...threadProgram, outdir: folder })
  writeLicences(folder, [...Object.keys(service.metafile.inputs), ...Object.keys(thread.metafile.inputs)])
}

/** @param {unknown} error */
const codeOf = (error) => (error instanceof Error && "code" in error ? error.code : undefined)

/**
 * Renames a finished build to its final place. Another process may do the same at the same moment: the last one wins.
 *
 * @param {string} built
 * @param {string} place
 */
const moveIntoPlace = (built, place) => {
  for (;;) {
    const old = `${place}.old-${randomUUID()}`
    try {
      renameSync(place, old)
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error
    }
    try {
      return renameSync(built, place)
    } catch (error) {
      if (codeOf(error) !== "ENOTEMPTY") throw error
    } finally {
      rmSync(old, { recursive: true, force: true })
    }
  }
}

/**
 * Builds `dist`, or another folder. Ends the process with a line that says what to do if the bundler is not installed.
 *
 * A running service keeps working: it has read all of its files when it listens.
 */
export const build = async (place = dist) => {
  const esbuild = await loadBundler()
  if (esbuild === undefined) {
    console.error(
      "Cannot build: the packages are not installed. Run `npm ci`, without --omit=dev and without NODE_ENV=production."
    )
    return process.exit(CANNOT_BUILD)
  }
  const unfinished = `${place}.tmp-${randomUUID()}`
  try {
    await bundle(esbuild, unfinished)
    moveIntoPlace(unfinished, place)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

const modified = (/** @type {string} */ path) => statSync(path).mtimeMs

/** Whether a source was changed after the build began. A folder changes when a file in it is removed. */
const isStale = () => {
  if (!existsSync(join(root, "src"))) return false
  if (!existsSync(join(dist, MARKER))) return true
  const built = modified(join(dist, MARKER))
  const inside = ["src", "scripts"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
  )
  return ["src", "scripts", "package.json", "package-lock.json", ...inside].some(
    (name) => modified(join(root, name)) > built
  )
}

/** Builds `dist` if it is missing, or older than its sources and the bundler is installed. */
export const buildIfStale = async () => {
  if (!existsSync(main)) return build()
  if (!isStale()) return
  if ((await loadBundler()) !== undefined) return build()
  console.error("dist is older than its sources and is used as it is. To build it, run `npm ci` first.")
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) await build()
