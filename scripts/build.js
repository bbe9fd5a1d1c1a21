// Bundles the service into dist/<fingerprint of its sources>/main.js, with the script of the thread that it starts beside
// it, and prints the path of main.js.
//
// A build is never changed once it stands: other sources have another fingerprint and so another folder. That is what
// lets `npm start` skip what is up to date and never touch the files of a process that runs from this folder.
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as esbuild from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = join(root, "dist")

/** @satisfies {esbuild.BuildOptions} */
export const options = {
  absWorkingDir: root,
  entryPoints: ["src/main.ts", "src/Checkers/ThreatFeed/FeedWorkerThread.ts"],
  entryNames: "[name]",
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

const fingerprint = async () => {
  const sources = (await readdir(join(root, "src"), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const others = ["package.json", "package-lock.json", "scripts/build.js"].map((file) => join(root, file))
  const hash = createHash("sha256")
  for (const file of [...sources, ...others])
    hash
      .update(file.slice(root.length))
      .update("\0")
      .update(await readFile(file))
      .update("\0")
  return hash.digest("hex").slice(0, 16)
}

/** The path of an up-to-date main.js, built first if need be. Several processes may call it at once. */
export const build = async () => {
  const folder = join(dist, await fingerprint())
  const main = join(folder, "main.js")
  if (existsSync(main)) return main
  await mkdir(dist, { recursive: true })
  const unfinished = await mkdtemp(join(dist, "unfinished-"))
  try {
    await esbuild.build({ ...options, outdir: unfinished })
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Another process may have finished the same build first.
    if (!existsSync(main)) throw error
  }
  return main
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await build())
