/**
 * The rows of the tables of names and words that features depend on. They may change without a training, because nobody
 * outside has the corpus; the weights file has a digest of each row from which it learned, so that `npm run evaluate` can say
 * how many differ.
 */

import brands from "../src/Checkers/Heuristics/Brand/brands.tsv"
import confusables from "../src/Checkers/Heuristics/Host/confusables.tsv"
import words from "../src/Checkers/Heuristics/Words/words.tsv"
import hosts from "../src/Url/Hosts/hosts.tsv"
import * as Random from "./Random.ts"

const lines = (rows: Iterable<unknown>): string => Array.from(rows, (row) => JSON.stringify(row)).join("\n")

/** Each table as text, a row a line. The text of a file joins in one line. */
const tables = {
  brands: lines(brands),
  hosts: lines(hosts),
  words: lines(words),
  confusables: lines(confusables)
}

const ROW_BYTES = 4

/** The digests of a table's lines in Base64, 32 bits a line, whatever their order. */
export const digestsOf = (text: string): string => {
  const digests = Uint32Array.from(
    new Set(text.split("\n").filter((line) => line !== "")),
    Random.hash
  ).sort()
  const bytes = Buffer.alloc(digests.length * ROW_BYTES)
  digests.forEach((digest, index) => {
    bytes.writeUInt32LE(digest, index * ROW_BYTES)
  })
  return bytes.toString("base64")
}

/** Those of the tables of these sources. */
export const current = (): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(tables).map(([table, text]) => [table, digestsOf(text)]))

const rowsOf = (digests: string): ReadonlySet<number> => {
  const bytes = Buffer.from(digests, "base64")
  return new Set(
    Array.from({ length: bytes.length / ROW_BYTES }, (_, row) => bytes.readUInt32LE(row * ROW_BYTES))
  )
}

const countMissing = (rows: ReadonlySet<number>, others: ReadonlySet<number>): number =>
  [...rows].filter((row) => !others.has(row)).length

/** One line for each table that differs from what weights have learned: a changed row is a new and a removed one. */
export const differences = (
  learned: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>
): ReadonlyArray<string> =>
  [...new Set([...Object.keys(learned), ...Object.keys(now)])].flatMap((table) => {
    const [before, after] = [rowsOf(learned[table] ?? ""), rowsOf(now[table] ?? "")]
    const [added, removed] = [countMissing(after, before), countMissing(before, after)]
    return added + removed === 0 ? [] : [`${table}: ${added} new rows, ${removed} removed`]
  })
