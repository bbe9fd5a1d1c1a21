import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

/** A row of a gzipped TSV file: label (1 phishing, 0 benign), date first seen, source, URL, split. */
export interface LabelledUrl {
  readonly isPhishing: boolean
  /** `2026-02-01`, or `""` if unknown. */
  readonly firstSeen: string
  readonly source: string
  readonly url: string
  /** `""` if the file has no fifth column. */
  readonly split: string
}

/** Reads the rows in the order of the file. Throws at a label other than 0 and 1. */
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
