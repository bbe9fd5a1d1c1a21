import { Buffer } from "node:buffer"
import type { RankingFormatName } from "../../../Layers/AppConfig.ts"
import { ThrownListError } from "../../ListWorker/ThrownListError.ts"

/** Rows that are read. Rankings publish a million; sites below this are so small that a row about one may well be right. */
const MAX_ROWS = 100_000

/** The longest row of any ranking seen has some 300 characters. */
const MAX_ROW_CHARS = 4096

interface RankingLayout {
  /** The columns that a header must begin with. */
  readonly columns: ReadonlyArray<string>
  readonly hasHeader: boolean
  /** The column of the domain. That of the rank is the first. */
  readonly domain: number
  readonly maxColumns: number
}

const layouts: Readonly<Record<RankingFormatName, RankingLayout>> = {
  /** https://majestic.com/reports/majestic-million */
  "majestic-csv": {
    columns: ["GlobalRank", "TldRank", "Domain"],
    hasHeader: true,
    domain: 2,
    maxColumns: Number.POSITIVE_INFINITY
  },
  /** https://tranco-list.eu and https://s3-us-west-1.amazonaws.com/umbrella-static/index.html */
  "ranked-csv": { columns: ["rank", "domain"], hasHeader: false, domain: 1, maxColumns: 2 }
}

const RANK = /^\d{1,9}$/
/** In Latin-1. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/

/**
 * Reads a ranking of domains chunk by chunk: comma-separated rows without quotes. The header is required in
 * `majestic-csv`, optional in `ranked-csv`. Rows without a rank and a domain are counted in `skipped`.
 *
 * Throws a `ThrownListError`: `Columns` for another header, for a row that does not end, and for more skipped rows than
 * others.
 */
export class RankingRows {
  skipped = 0
  readonly #layout: RankingLayout
  /** The beginning of a row whose end is in a later chunk. */
  #partial = ""
  #isFirst = true
  #rows = 0

  constructor(format: RankingFormatName) {
    this.#layout = layouts[format]
  }

  /** Whether the rest of the document is not needed. */
  get isFull(): boolean {
    return this.#rows >= MAX_ROWS
  }

  /** The domains of the rows that became complete. */
  read(chunk: Uint8Array): ReadonlyArray<string> {
    const rows = (this.#partial + Buffer.from(chunk).toString("latin1")).split("\n")
    this.#partial = rows.pop() ?? ""
    if (this.#partial.length > MAX_ROW_CHARS) throw new ThrownListError("Columns")
    return rows.flatMap((row) => this.#domain(row) ?? [])
  }

  end(): ReadonlyArray<string> {
    const domain = this.#domain(this.#partial)
    this.#partial = ""
    if (2 * this.skipped > this.#rows) throw new ThrownListError("Columns")
    return domain === undefined ? [] : [domain]
  }

  #domain(row: string): string | undefined {
    const text = row.replace(BYTE_ORDER_MARK, "").trim()
    if (text === "" || this.isFull) return undefined
    const fields = text.split(",")
    if (this.#isFirst && this.#isHeader(fields)) return undefined
    this.#rows++
    const { domain, maxColumns } = this.#layout
    const name = fields[domain]
    if (RANK.test(fields[0] ?? "") && name && fields.length <= maxColumns) return name
    this.skipped++
    return undefined
  }

  /** Whether the first row names the columns. */
  #isHeader(fields: ReadonlyArray<string>): boolean {
    this.#isFirst = false
    const { columns, hasHeader } = this.#layout
    const isHeader = columns.every((column, i) => column === fields[i])
    if (hasHeader && !isHeader) throw new ThrownListError("Columns")
    return isHeader
  }
}
