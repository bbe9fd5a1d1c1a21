// Puts the licences of what a build holds beside it, since most of them ask that copies come with their text.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

/** What lies inside a package and has another licence than that. */
const within = [
  {
    name: "Swagger UI, inside @effect/platform (https://github.com/swagger-api/swagger-ui)",
    text: () => readFileSync(join(import.meta.dirname, "Apache-2.0.txt"), "utf8")
  },
  {
    name: "Public Suffix List, inside tldts (https://publicsuffix.org/list/public_suffix_list.dat)",
    text: () =>
      "Subject to the terms of the Mozilla Public License, v. 2.0, which is to be found at https://mozilla.org/MPL/2.0/."
  }
]

/** @param {string} folder of a package */
const licenceOf = (folder) => {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
  if (file === undefined) throw new Error(`${name} comes without the text of its licence`)
  return { name: `${name} ${version}`, text: () => readFileSync(join(folder, file), "utf8") }
}

/** @type {import("esbuild").Plugin} */
export const licences = {
  name: "licences",
  setup: (build) => {
    build.initialOptions.metafile = true
    const { absWorkingDir = ".", outdir = "." } = build.initialOptions
    build.onEnd(({ metafile, errors }) => {
      if (metafile === undefined || errors.length > 0) return
      const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))
      const folders = new Set(
        inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? [])
      )
      const packages = Array.from(folders, (folder) => licenceOf(resolve(absWorkingDir, folder)))
      writeFileSync(
        resolve(absWorkingDir, outdir, "THIRD-PARTY-LICENCES.txt"),
        [...packages, ...within].map(({ name, text }) => `${name}\n\n${text().trim()}\n`).join("\n\n")
      )
    })
  }
}
