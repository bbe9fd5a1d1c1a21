// The licences of the packages in a build: most of them require that copies include their text. The plugins of esbuild that do
// this are no longer maintained, and the checkers of licences report what is installed, not what is bundled.
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(import.meta.dirname, "..")

/** Resolved only here: `dist` starts without the package. */
const swaggerUi = () => fileURLToPath(new URL(".", import.meta.resolve("swagger-ui-dist/package.json")))

/** Parts of packages under another licence than their package. */
const publicSuffixList = `Public Suffix List, inside tldts (https://publicsuffix.org/list/public_suffix_list.dat)

Subject to the terms of the Mozilla Public License, v. 2.0, which is to be found at https://mozilla.org/MPL/2.0/.
`

/**
 * The licences of packages that ship no file with their text, by the name of the package.
 *
 * @type {Readonly<Record<string, (folder: string) => string>>}
 */
const withoutFile = {
  // Apache-2.0, as Swagger UI; the text for its BSD-3-Clause part is the comment at the top of varint.js.
  "@bufbuild/protobuf": (folder) => {
    const apache = readFileSync(join(swaggerUi(), "LICENSE"), "utf8")
    const varint = readFileSync(join(folder, "dist/esm/wire/varint.js"), "utf8")
    return `${apache}\n${/^(?:\/\/.*\n)+/.exec(varint)?.[0].replaceAll(/^\/\/ ?/gm, "") ?? ""}`
  }
}

/** Names of files with a licence or a notice, also of what a package has bundled (swagger-ui-bundle.js.LICENSE.txt). */
const LICENCE = /^(?:licen[cs]e|notice)|-bundle\.js\.LICENSE\.txt$/i

/** @param {string} folder of a package */
const licenceOf = (folder) => {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const texts = readdirSync(folder)
    .filter((file) => LICENCE.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim())
  if (texts.length === 0) texts.push(withoutFile[name]?.(folder).trim() ?? "")
  if (texts.includes("")) throw new Error(`${name} has no file with the text of its licence`)
  return `${name} ${version}\n\n${texts.join("\n\n")}\n`
}

/**
 * The text of THIRD-PARTY-LICENCES.txt.
 *
 * @param {ReadonlyArray<string>} inputs paths of the bundled files, from the root of the repository
 */
export const licencesOf = (inputs) => {
  const folders = new Set(
    inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []).sort()
  )
  return [
    ...Array.from(folders, (folder) => licenceOf(resolve(root, folder))),
    licenceOf(swaggerUi()),
    publicSuffixList
  ].join("\n\n")
}
