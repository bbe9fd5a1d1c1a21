import type { SkippedRow } from "../../ListWorker/Messages.ts"
import type { Category } from "../../ThreatList/ListRecord.ts"

/** One entry of a feed as the feed writes it: not parsed, and perhaps no URL. Of a ranking: a domain. */
export interface FeedRow {
  readonly text: string
  /** The number of its line, from 1. */
  readonly line: number
  /** Undefined: the feed's. */
  readonly category?: Category
  /** When the row was published, as the document writes it. Formats without such a column have none. Lists do not use it. */
  readonly published?: string
  /** The row says that it was taken from another publisher. */
  readonly isCopied?: boolean
}

/** Of a row's entry, in characters. The longest URL ever seen in a public feed had 9,268. */
export const MAX_ENTRY_LENGTH = 16_384

/** Why a row is not used, in the words of health and log. True: such rows are no sign of a wrong format. */
const skipReasons = {
  "Not a URL or host": false,
  "Not a row of the format": false,
  "Row of a hosts file": false,
  "Too long": false,
  /** Of addresses, larger than one. */
  Network: false,
  "Wildcard in a host": false,
  "Wildcard in a path": false,
  "Regular expression": false,
  Exception: false,
  "Rule for parts of pages": false,
  "Restricted rule": false,
  /** A name that the machine itself has, or that leads to another server. */
  "Name that is not blocked": true,
  /** Such as the beginning of a zone. */
  "Row of a zone file": true,
  /** Such as a hash of a file. */
  "Not about a URL or host": true
} as const

export type SkipReason = keyof typeof skipReasons

/** Enough to find a systematic mistake. */
const MAX_SHOWN_ROWS = 3

/** The rows of a document that are not used: their number, and the first of them. */
export class SkippedRows {
  total = 0
  /** Those that a document of the format does not have, or that no URL can match. */
  unexpected = 0
  readonly first: Array<SkippedRow> = []
  /** The first networks. */
  readonly networks: Array<number> = []

  add(line: number, reason: SkipReason): void {
    this.total++
    if (!skipReasons[reason]) this.unexpected++
    // What a reader skips is known before what cannot be parsed.
    if (this.first.length < MAX_SHOWN_ROWS || line < (this.first.at(-1)?.line ?? 0)) {
      this.first.push({ line, reason })
      this.first.sort((one, other) => one.line - other.line)
      this.first.length = Math.min(this.first.length, MAX_SHOWN_ROWS)
    }
    if (reason === "Network" && this.networks.length < MAX_SHOWN_ROWS) this.networks.push(line)
  }
}

/** `line 3: Network, line 9: Wildcard in a host`. */
export const shownRows = (rows: ReadonlyArray<SkippedRow>): string =>
  rows.map(({ line, reason }) => `line ${line}: ${reason}`).join(", ")
