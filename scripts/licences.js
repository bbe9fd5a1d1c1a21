// Writes the licences of the packages in a build beside it: most of them require that copies include their text.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const root = join(import.meta.dirname, "..")

/** Parts of packages under another licence than their package. */
const parts = [
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

/**
 * The licences of packages that ship no file with their text, by the name of the package.
 *
 * @type {Readonly<Record<string, (folder: string) => string>>}
 */
const withoutFile = {
  // Apache-2.0; the text for its BSD-3-Clause part is the comment at the top of varint.js.
  "@bufbuild/protobuf": (folder) => {
    const apache = readFileSync(join(import.meta.dirname, "Apache-2.0.txt"), "utf8")
    const varint = readFileSync(join(folder, "dist/esm/wire/varint.js"), "utf8")
    return `${apache}\n${/^(?:\/\/.*\n)+/.exec(varint)?.[0].replaceAll(/^\/\/ ?/gm, "") ?? ""}`
  }
}

/** @param {string} folder of a package */
const licenceOf = (folder) => {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
  const text = withoutFile[name]
  if (file === undefined && text !== undefined)
    return { name: `${name} ${version}`, text: () => text(folder) }
  if (file === undefined) throw new Error(`${name} has no file with the text of its licence`)
  return { name: `${name} ${version}`, text: () => readFileSync(join(folder, file), "utf8") }
}

/**
 * Writes THIRD-PARTY-LICENCES.txt.
 *
 * @param {string} folder of the build
 * @param {ReadonlyArray<string>} inputs paths of the bundled files, from the root of the repository
 */
export const writeLicences = (folder, inputs) => {
  const folders = new Set(
    inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []).sort()
  )
  const packages = Array.from(folders, (folder) => licenceOf(resolve(root, folder)))
  writeFileSync(
    join(folder, "THIRD-PARTY-LICENCES.txt"),
    [...packages, ...parts].map(({ name, text }) => `${name}\n\n${text().trim()}\n`).join("\n\n")
  )
}
