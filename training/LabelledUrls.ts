import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

/** A row of a gzipped TSV: label (1 phishing, 0 benign), date first seen or nothing, source, URL, split or nothing. */
export interface LabelledUrl {
  readonly isPhishing: boolean
  /** `2026-02-01`, or `""` */
  readonly firstSeen: string
  readonly source: string
  readonly url: string
  /** `""` where the file has no fifth column. */
  readonly split: string
}

/** Rows in the order of the file. A row with another label than 0 or 1 is a mistake in the file and ends the program. */
export const read = (file: string): ReadonlyArray<LabelledUrl> =>
  gunzipSync(readFileSync(file))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line, index) => {
      const [label, firstSeen = "", source = "", url = "", split = ""] = line.split("\t")
      if (label !== "0" && label !== "1")
        throw new Error(`${file}:${index + 1}: the label is neither 0 nor 1`)
      return { isPhishing: label === "1", firstSeen, source, url, split }
    })
