import type { SkippedRow } from "../../ListWorker/Messages.ts"

/** Why a row is not used, in the words of health and log. True: a document in the right format has such rows too. */
const skipReasons = {
  "Not a URL or host": false,
  "Not a row of the format": false,
  "Row of a hosts file": false,
  "Too long": false,
  /** More than one IP address. */
  Network: false,
  "Wildcard in a host": false,
  "Wildcard in a path": false,
  "Regular expression": false,
  Exception: false,
  "Rule for parts of pages": false,
  "Restricted rule": false,
  /** A name of the machine itself, or one that leads to another server. */
  "Name that is not blocked": true,
  /** Such as the beginning of a zone. */
  "Row of a zone file": true,
  /** Such as a hash of a file. */
  "Not about a URL or host": true
} as const

export type SkipReason = keyof typeof skipReasons

/** Enough to find a systematic mistake. */
const MAX_SHOWN_ROWS = 3

/** Counts the rows of a document that are not used, and stores the first of them. */
export class SkippedRows {
  total = 0
  /** The rows that a document in the right format does not have, or that no URL can match. */
  unexpected = 0
  /** The first rows, by line. */
  readonly first: Array<SkippedRow> = []

  add(line: number, reason: SkipReason): void {
    this.total++
    if (!skipReasons[reason]) this.unexpected++
    // Of a chunk, rows that a reader skips are added before entries that cannot be parsed.
    this.first.push({ line, reason })
    this.first.sort((one, other) => one.line - other.line)
    this.first.splice(MAX_SHOWN_ROWS)
  }
}

/** Returns skipped rows as text: `line 3: Network, line 9: Wildcard in a host`. */
export const shownRows = (rows: ReadonlyArray<SkippedRow>): string =>
  rows.map(({ line, reason }) => `line ${line}: ${reason}`).join(", ")
