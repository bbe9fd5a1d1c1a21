// Tables are data: TSV files with a header, and `#` lines as comments. A build and the tests inline the rows as the Schema beside
// the table decodes them (`hosts.schema.js` for `hosts.tsv`), so that nothing is read or validated when a program starts. An
// error names file and line.
import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { pathToFileURL } from "node:url"

/** A change of the schema can make every row wrong; a terminal shows these. */
const MAX_ERRORS = 20

/**
 * What a module `name.schema.js` exports: the Schema of a row, in which an empty cell is an absent property, and what no two rows
 * may have in common. `neededKeysOf` are keys that another row must have.
 *
 * @template A, I
 * @typedef {{ row: import("effect").Schema.Schema<A, I>, keysOf: (row: A) => ReadonlyArray<string>,
 *   neededKeysOf?: (row: A) => ReadonlyArray<string> }} Table
 */

/**
 * Returns the decoded rows. Rejects with a line for each error.
 *
 * @template A, I
 * @param {string} text
 * @param {Table<A, I>} table
 * @param {string} file
 */
export const rowsOf = async (text, { row, keysOf, neededKeysOf = () => [] }, file) => {
  const { Either, Schema, SchemaAST } = await import("effect")
  const decode = Schema.decodeUnknownEither(row, { onExcessProperty: "error" })
  const [header, ...lines] = text
    .split(/\r?\n/)
    .map((line, index) => ({ cells: line.split("\t"), place: `${file}:${index + 1}` }))
    .filter(({ cells }) => cells.join("") !== "" && !cells[0]?.startsWith("#"))
  const columns = SchemaAST.getPropertySignatures(Schema.encodedSchema(row).ast)
  const names = header?.cells ?? []
  if (
    names.some((name) => !columns.some((column) => column.name === name)) ||
    columns.some(({ isOptional, name }) => !isOptional && !names.includes(String(name)))
  )
    throw new Error(
      `${header?.place ?? file}: first line must name the columns: ${columns.map(({ name }) => String(name)).join(", ")}`
    )
  /** @type {Map<string, string>} */
  const placeOfKey = new Map()
  /** @type {Array<{ key: string, place: string }>} */
  const needed = []
  /** @type {Array<A>} */
  const rows = []
  /** @type {Array<string>} */
  const errors = []
  for (const { cells, place } of lines) {
    const named = cells.map((cell, index) => [names[index] ?? `column ${index + 1}`, cell])
    const decoded = decode(Object.fromEntries(named.filter(([, cell]) => cell !== "")))
    if (Either.isLeft(decoded)) {
      errors.push(`${place}: ${decoded.left.message}`)
      continue
    }
    rows.push(decoded.right)
    for (const key of keysOf(decoded.right)) {
      const other = placeOfKey.get(key)
      if (other !== undefined) errors.push(`${place}: ${key} is in ${other} too`)
      placeOfKey.set(key, place)
    }
    needed.push(...neededKeysOf(decoded.right).map((key) => ({ key, place })))
  }
  for (const { key, place } of needed)
    if (!placeOfKey.has(key)) errors.push(`${place}: ${key} is in no other row`)
  if (lines.length === 0) errors.push(`${file}: no rows below the names of the columns`)
  const more = errors.length - MAX_ERRORS
  if (more > 0) errors.splice(MAX_ERRORS, more, `and ${more} more`)
  if (errors.length > 0) throw new Error(errors.join("\n"))
  return rows
}

/**
 * A module that parses its rows from a JSON string: V8 reads that faster than a literal.
 *
 * @param {string} path
 */
const moduleOf = async (path) => {
  const table = await import(pathToFileURL(path.replace(/\.tsv$/, ".schema.js")).href)
  const rows = JSON.stringify(await rowsOf(await readFile(path, "utf8"), table, basename(path)))
  return `export default /* @__PURE__ */ JSON.parse(${JSON.stringify(rows)})`
}

/** @type {import("esbuild").Plugin} */
export const tables = {
  name: "tables",
  setup: (build) => {
    build.onLoad({ filter: /\.tsv$/ }, async ({ path }) => ({
      contents: await moduleOf(path),
      loader: "js"
    }))
  }
}

/** The same for Vitest. */
export const tablesInTests = {
  name: "tables",
  load: async (/** @type {string} */ path) => (path.endsWith(".tsv") ? moduleOf(path) : undefined)
}
