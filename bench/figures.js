// The table of figures in bench/README.md: `npm run bench -- figures` replaces the rows of each part that bench/dist has results
// of, and leaves the others. A figure is each ratio that a part reports, and each measurement with a goal.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"

/**
 * @typedef {{ readonly section: string, readonly what: string }} Named
 * @typedef {{ readonly measurements: ReadonlyArray<Named & { readonly unit: string, readonly median: number }>,
 *   readonly ratios: ReadonlyArray<Named & { readonly ratio: number }> }} Results
 */

const HEADING = "| part | what | figure | against | goal | day |\n| --- | --- | --- | --- | --- | --- |\n"
const TABLE = /\| part \| what \| figure \|.*\n\| ---.*\n(?:\|.*\n)*/

const GOAL = /^(.*?) \(goal: (.*)\)$/
const RATIO = /^(.*?)(?: compared with| over)(?: those (?:of|in))? (.*)$/

const format = (/** @type {number} */ value) =>
  value.toLocaleString("en", { maximumSignificantDigits: value < 1000 ? 3 : 4 })

/** @param {string} part @param {string} day @param {Named & { readonly figure: string, readonly isRatio: boolean }} figure */
const rowOf = (part, day, { section, what, figure, isRatio }) => {
  const [, text = what, goal = ""] = GOAL.exec(what.trim()) ?? []
  const [, compared = text, against = ""] = (isRatio && RATIO.exec(text)) || []
  return `| \`${part}\` | ${section}: ${compared} | ${figure} | ${against} | ${goal} | ${day} |\n`
}

/**
 * The rows of a part.
 *
 * @param {string} part
 * @param {Results} results
 * @param {string} day
 */
export const rowsOf = (part, { measurements, ratios }, day) =>
  [
    ...ratios.map(({ section, what, ratio }) => ({
      section,
      what,
      figure: `${format(ratio)} times`,
      isRatio: true
    })),
    ...measurements
      .filter(({ what, unit }) => unit === "times" || GOAL.test(what))
      .map(({ section, what, unit, median }) => ({
        section,
        what,
        figure: `${format(median)} ${unit}`.trim(),
        isRatio: unit === "times"
      }))
  ].map((figure) => rowOf(part, day, figure))

/**
 * The document with these rows in place of those of the same parts.
 *
 * @param {string} document
 * @param {ReadonlyMap<string, ReadonlyArray<string>>} rowsOfParts
 */
export const withRows = (document, rowsOfParts) =>
  document.replace(TABLE, (table) => {
    const kept = table.match(/^\| `.*\n/gm) ?? []
    const partOf = (/** @type {string} */ row) => /`([a-z]+)`/.exec(row)?.[1] ?? ""
    const rows = [...kept.filter((row) => !rowsOfParts.has(partOf(row))), ...[...rowsOfParts.values()].flat()]
    return HEADING + rows.sort((a, b) => (partOf(a) < partOf(b) ? -1 : 1)).join("")
  })

export const writeFigures = () => {
  const folder = join(import.meta.dirname, "dist")
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : []
  const rowsOfParts = new Map(
    files.map((name) => {
      const file = join(folder, name)
      const day = statSync(file).mtime.toISOString().slice(0, 10)
      const part = basename(name, ".json")
      return [part, rowsOf(part, JSON.parse(readFileSync(file, "utf8")), day)]
    })
  )
  const readme = join(import.meta.dirname, "README.md")
  writeFileSync(readme, withRows(readFileSync(readme, "utf8"), rowsOfParts))
}
