/** Finds the links in JSON and JSON Lines. */

import { decodedUtf8, fromBinary } from "./Encoded.ts"
import * as Html from "./Html.ts"
import { append, type Found, moved } from "./Link.ts"
import * as PlainText from "./PlainText.ts"
import * as RequestFields from "./RequestFields.ts"

/** JSON in strings of JSON that is read as such. Without it, hostile texts would take more than linear time. */
const MAX_JSON_DEPTH = 8

/** Finds the links in a cell of a table or a string of JSON, which may itself be JSON or HTML. `depth`: how many strings it is in. */
export const findInValue = (value: string, depth = 0): ReadonlyArray<Found> => {
  if (depth < MAX_JSON_DEPTH && /^\s*(?:\[\s*(?:\{\s*)?|\{\s*)"/.test(value)) return find(value, depth)
  return /<a\s/i.test(value) ? Html.find(value) : PlainText.find(value)
}

/** Of a JSON string. */
const ESCAPE = /\\(?:u([0-9a-f]{4})|(.))/gis
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }

const characterOf = (_: string, code?: string, character = "") =>
  code === undefined ? (ESCAPED[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16))

/** The bytes of UTF-8 as characters, in exports of Facebook and Instagram: `\u00f0\u009f\u0098\u0082`. */
const ESCAPED_BYTES = /(?:\\u00[89a-f][\da-f]){2,}/gi

const bytesDecoded = (escapes: string): string =>
  decodedUtf8(fromBinary(escapes.replace(ESCAPE, characterOf))) ?? escapes

const unescaped = (json: string): string => {
  if (!json.includes("\\")) return json
  const decoded = json.includes("\\u00") ? json.replace(ESCAPED_BYTES, bytesDecoded) : json
  return decoded.replace(ESCAPE, characterOf)
}

const QUOTE_OR_ESCAPE = /"|\\./gs

/** Returns the offset of the quote that closes a string; the end of the text if it is not closed. */
const closingQuote = (text: string, start: number): number => {
  QUOTE_OR_ESCAPE.lastIndex = start
  for (let found = QUOTE_OR_ESCAPE.exec(text); found !== null; found = QUOTE_OR_ESCAPE.exec(text))
    if (found[0] === '"') return found.index
  return text.length
}

/** Between a header and the next one, or the next field of the request. */
const AFTER_HEADER = /^\s*\}\s*(?:,\s*\{|\]\s*,)\s*$/

/** Finds the links in the strings of JSON or JSON Lines, and in the text between strings; in a log also the requested URLs. */
export const find = (text: string, depth = 0): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const addPiece = (piece: string, at: number) => {
    if (piece.length > 3 && /[.:]/.test(piece)) append(found, moved(findInValue(piece, depth + 1), at))
  }
  let key = ""
  /** Of a header: `{"name":"Host","value":"a.example"}`. */
  let header = ""
  let isValue = false
  let addToRequest = RequestFields.make(false)
  let end = 0
  for (let quote = text.indexOf('"'); quote !== -1; quote = text.indexOf('"', end)) {
    const between = text.slice(end, quote)
    addPiece(between, end)
    // Of another object, if that does not have the headers of the request.
    const isAfterHeader = isValue && AFTER_HEADER.test(between)
    if (!isAfterHeader && (between.includes("}") || (between.includes("{") && !/^headers$/i.test(key))))
      addToRequest = RequestFields.make(false)
    const close = closingQuote(text, quote + 1)
    const value = unescaped(text.slice(quote + 1, close))
    addPiece(value, quote + 1)
    const isField = between.includes(":")
    isValue = isField && /^value$/i.test(key)
    if (isField && /[./=]/.test(value)) append(found, addToRequest(isValue ? header : key, value, quote + 1))
    if (isField && /^name$/i.test(key)) header = value
    key = value
    end = close + 1
  }
  addPiece(text.slice(end), end)
  return found
}
