// Bundles the service into dist/: main.js, cli.js, the script of the feed worker's thread, the model, the pages, Swagger UI,
// compressed copies of these, and the licences of the packages inside. `npm run build` and `npm start` run this file.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { effectModules } from "./effectModules.js"
import { licencesOf } from "./licences.js"
import { tables } from "./tables.js"

export const root = join(import.meta.dirname, "..")

const dist = join(root, "dist")

/** The service's program. */
export const main = join(dist, "main.js")

/** @satisfies {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  metafile: true,
  // Node parses all of it at each start, and twice as much if a comment has a character that is not Latin-1. Lines stay short
  // and names whole, for the stack of a defect.
  minifyWhitespace: true,
  lineLimit: 120,
  plugins: [tables, effectModules],
  logLevel: "warning"
}

/** @satisfies {import("esbuild").BuildOptions} */
export const options = {
  ...common,
  entryNames: "[name]",
  loader: { ".bin": "copy" },
  format: "esm",
  // Packages written in CommonJS call `require` for Node's own modules.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'
  }
}

const pages = join(root, "src/Http/Pages")

/** The files of the pages that are in the repository, by their paths in `Pages`. */
const pageFiles = () =>
  readdirSync(pages, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.\w+$/.test(name) && !name.endsWith(".ts"))
    .map((name) => /** @type {const} */ ([name, new Uint8Array(readFileSync(join(pages, name)))]))

/** The reader of QR codes, which browsers load that have none of their own. @satisfies {import("esbuild").BuildOptions} */
const qrProgram = {
  absWorkingDir: root,
  stdin: { contents: 'export { default } from "qr/decode.js"', resolveDir: root },
  outfile: "qr.browser.js",
  bundle: true,
  format: "esm",
  target: "es2020",
  minify: true,
  metafile: true,
  logLevel: "warning"
}

const servicePrograms = () => ({
  ...options,
  entryPoints: ["src/main.ts", "src/cli.ts", "src/Checkers/Heuristics/Model/model.bin"]
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

/**
 * The reader of texts, for the page.
 *
 * @satisfies {import("esbuild").BuildOptions}
 */
const readerPrograms = {
  absWorkingDir: root,
  entryPoints: { "text.browser": "src/Text.ts", "mail.browser": "src/Text/Mail.ts" },
  bundle: true,
  platform: "browser",
  format: "esm",
  target: "es2022",
  minify: true,
  metafile: true,
  logLevel: "warning"
}

/** Names in `dist`, and the files of the package swagger-ui-dist. */
const swaggerFiles = { "swagger-ui.css": "swagger-ui.css", "swagger-ui.js": "swagger-ui-bundle.js" }

/** @returns {ReadonlyArray<readonly [name: string, bytes: Uint8Array]>} */
const readSwaggerUi = () =>
  Object.entries(swaggerFiles).map(([name, file]) => [
    name,
    readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)))
  ])

/** From 0 to 11. The highest takes ten times as long as this for a result that is a tenth smaller. */
const BROTLI_QUALITY = 9

const codings = [
  {
    ending: ".br",
    compress: (/** @type {Uint8Array} */ bytes) =>
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
  },
  {
    ending: ".gz",
    compress: (/** @type {Uint8Array} */ bytes) =>
      promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION })
  }
]

/**
 * Brotli and gzip copies, `name.br` and `name.gz`, which the service sends to browsers that accept them. None that is not
 * smaller than its file.
 *
 * @param {ReadonlyArray<readonly [name: string, bytes: Uint8Array]>} files
 */
const compressed = async (files) => {
  const copies = await Promise.all(
    files.flatMap(([name, bytes]) =>
      codings.map(async ({ ending, compress }) => {
        const copy = await compress(bytes)
        return { name: `${name}${ending}`, copy, isSmaller: copy.length < bytes.length }
      })
    )
  )
  return copies
    .filter(({ isSmaller }) => isSmaller)
    .map(({ name, copy }) => /** @type {const} */ ([name, new Uint8Array(copy)]))
}

/** Written by each build: the command line compares its time with that of the sources. */
const STAMP = "package.json"

/** @param {typeof import("esbuild")} esbuild @param {string} folder */
const bundle = async (esbuild, folder) => {
  const service = await esbuild.build({ ...servicePrograms(), outdir: folder, write: false })
  const thread = await esbuild.build({ ...threadProgram, outdir: folder, write: false })
  const reader = await esbuild.build({ ...readerPrograms, outdir: folder, write: false })
  const qr = await esbuild.build({ ...qrProgram, write: false })
  const inputs = [service, thread, reader, qr].flatMap(({ metafile }) => Object.keys(metafile.inputs))
  const swaggerUi = readSwaggerUi()
  const files = new Map(
    [...service.outputFiles, ...thread.outputFiles].map(({ path, contents }) => [basename(path), contents])
  )
  const programFiles = [...reader.outputFiles, ...qr.outputFiles].map(
    ({ path, contents }) => /** @type {const} */ ([basename(path), contents])
  )
  const served = [...pageFiles(), ...programFiles, ...swaggerUi]
  for (const [name, bytes] of [...served, ...(await compressed(served))]) files.set(name, bytes)
  files.set("THIRD-PARTY-LICENCES.txt", Buffer.from(licencesOf(inputs)))
  // Makes Node load `dist` as modules wherever it is copied to.
  files.set(STAMP, Buffer.from('{ "type": "module" }\n'))
  return files
}

/** Loaded only to build: `dist` starts without the packages for developers. Undefined if they are not installed. */
const loadBundler = () =>
  import("esbuild").catch((error) => {
    if (error.code === "ERR_MODULE_NOT_FOUND") return undefined
    throw error
  })

/** 1 would mean to the command line that a URL is phishing. */
const CANNOT_BUILD = 2

const isSame = (/** @type {string} */ file, /** @type {Uint8Array} */ bytes) =>
  existsSync(file) && readFileSync(file).equals(bytes)

/**
 * Builds `dist`, or another folder: writes what is new or different, when all of it has been made, and removes the rest. A
 * running service keeps working: it has read all of its files when it listens. Ends the process with a line that says what to
 * do if the bundler is not installed, or keeps an earlier build then.
 */
export const build = async (folder = dist, { orKeep = false } = {}) => {
  const esbuild = await loadBundler()
  if (esbuild === undefined) {
    if (orKeep && existsSync(join(folder, "main.js")))
      return console.error("dist is used as it is. To build it, run `npm ci` first.")
    console.error(
      "Cannot build: the packages are not installed. Run `npm ci`, without --omit=dev and without NODE_ENV=production."
    )
    return process.exit(CANNOT_BUILD)
  }
  const files = await bundle(esbuild, folder)
  const folders = new Set([...files.keys()].map(dirname))
  for (const name of folders) mkdirSync(join(folder, name), { recursive: true })
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (!files.has(name) && !folders.has(name)) rmSync(join(folder, name), { recursive: true, force: true })
  for (const [name, bytes] of files)
    if (name === STAMP || !isSame(join(folder, name), bytes)) writeFileSync(join(folder, name), bytes)
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename)
  await build(dist, { orKeep: process.argv.includes("--or-keep") })
