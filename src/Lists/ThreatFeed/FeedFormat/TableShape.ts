const DELIMITERS = [",", ";", "|"] as const

/** The semicolon of an HTML entity is not a delimiter. */
const HTML_ENTITY = /&#?\w{2,8};/g

/** JSON, which the format `csv` does not read either, and a rule of a filter list. */
const NOT_A_RECORD = /^(?:\{|\[\s*["{]|\|)/

const COLUMN_NAME = /^"?\w[\w -]*"?$/

/** A field that no URL has after a comma: a quoted text, a URL, a date or a host. */
const FIELD_OF_TABLE = /^(?:"|https?:\/\/|\d{4}-\d\d-\d\d|(?:[a-z\d-]+\.)+[a-z]{2,}$)/i

/** Fewer lines may have the same number of commas by chance. */
const MIN_RECORDS = 3

/** Whether the fields show that their line is a record of a table: a header, or a field that is not a part of a URL. */
const areOfTable = ([first = "", ...others]: ReadonlyArray<string>): boolean =>
  [first, ...others].every((field) => COLUMN_NAME.test(field)) ||
  others.some((field) => FIELD_OF_TABLE.test(field))

/**
 * Tells whether the lines of a document are records of a table: most have the same number of delimiters. If the first field is a
 * URL, the other fields would be read as a part of its path.
 */
export class TableShape {
  #lines = 0
  #records = 0
  #delimiter: string | undefined
  /** The number of fields in the first record. */
  #fieldCount = 0
  #isCertain = false

  add(line: string): void {
    this.#lines++
    const fields = this.#fieldsOf(line)
    if (fields.length < 2) return
    this.#fieldCount ||= fields.length
    this.#isCertain ||= areOfTable(fields)
    // A field in quotes may have delimiters: `"kit,bank"`.
    if (fields.length === this.#fieldCount || this.#isCertain) this.#records++
  }

  #fieldsOf(line: string): ReadonlyArray<string> {
    if (!/[,;|]/.test(line) || NOT_A_RECORD.test(line)) return []
    const text = line.replace(HTML_ENTITY, "&")
    this.#delimiter ??= DELIMITERS.find((delimiter) => text.includes(delimiter))
    return this.#delimiter === undefined ? [] : text.split(this.#delimiter).map((field) => field.trim())
  }

  get isTable(): boolean {
    return 2 * this.#records > this.#lines && (this.#isCertain || this.#records >= MIN_RECORDS)
  }
}
