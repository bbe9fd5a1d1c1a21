// Prints what CHANGELOG.md says about a version: `node scripts/release-notes.js v0.1.0`. The workflow of releases runs this
// file with the tag, and stops if the tag is not the version of the package, or its section is missing, empty or undated.
import { readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/**
 * The text of the section `## 0.1.0 - 2026-11-22` of a changelog, without its heading. Throws an error whose message says
 * what is missing.
 *
 * @param {string} tag such as `v0.1.0`
 * @param {string} version that of package.json
 * @param {string} changelog
 */
export const releaseNotes = (tag, version, changelog) => {
  if (tag !== `v${version}`)
    throw new Error(`The tag ${tag} is not v and the version in package.json, ${version}`)
  const section = new RegExp(
    `^## ${escaped(version)} - \\d{4}-\\d\\d-\\d\\d\\n(.*?)(?=^## |$(?![\\s\\S]))`,
    "ms"
  )
  const notes = section.exec(changelog)?.[1]?.trim()
  if (notes === undefined) throw new Error(`CHANGELOG.md has no heading "## ${version} - <year-month-day>"`)
  if (notes === "") throw new Error(`CHANGELOG.md says nothing about ${version}`)
  return notes
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) {
  const read = (/** @type {string} */ name) => readFileSync(join(import.meta.dirname, "..", name), "utf8")
  const { version } = JSON.parse(read("package.json"))
  console.log(releaseNotes(process.argv[2] ?? "", version, read("CHANGELOG.md")))
}
