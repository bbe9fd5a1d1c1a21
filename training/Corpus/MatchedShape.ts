/**
 * Rows of matched shape: equal numbers of both classes of every shape. Lists of ordinary sites have more bare domains and
 * `www` than reports of phishing, so a model can look better than it is by the shape alone; on these rows it cannot.
 */

import { Either } from "effect"
import * as HostFacts from "../../src/Checkers/Heuristics/HostFacts.ts"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as PublicSuffix from "../../src/Url/PublicSuffix.ts"
import * as Random from "../Random.ts"
import type { LabelledUrl } from "./LabelledUrl.ts"

const SEED = 20260630

/** Deeper paths are of one shape. */
const MAX_DEPTH = 3
/** URLs of one shape differ in length by less than this. */
const LENGTH_STEP_CHARS = 8
/** Longer URLs are of one shape. */
const MAX_LENGTH_CHARS = 160

/** Whether anybody can get a page there, or a name below a suffix of a hosting firm. */
const isSharedHosting = (host: string): boolean => {
  const { isShared, name } = HostFacts.factsOf(host)
  return isShared || (name !== undefined && PublicSuffix.isPrivateSuffix(name.suffix))
}

/** The cell of a URL: scheme, depth of the path, query, `www`, length and shared hosting. Undefined if it is no URL. */
const shapeOf = (text: string): string | undefined => {
  const parsed = CanonicalUrl.parse(text)
  if (Either.isLeft(parsed)) return undefined
  const { scheme, host, path, query } = parsed.right
  const depth = path.split("/").filter((segment) => segment !== "").length
  return [
    scheme,
    Math.min(depth, MAX_DEPTH),
    query !== undefined,
    host.startsWith("www."),
    Math.floor(Math.min(text.length, MAX_LENGTH_CHARS) / LENGTH_STEP_CHARS),
    isSharedHosting(host)
  ].join()
}

const chooseFrom = (rows: ReadonlyArray<number>, count: number, seed: number): ReadonlyArray<number> =>
  rows.length === count ? rows : Array.from(Random.shuffle(Uint32Array.from(rows), seed).subarray(0, count))

/**
 * Marks with 1 as many rows as there can be such that each shape has equal numbers of both classes. Which rows of the larger
 * class, is chosen with a fixed seed for each shape, so that the choice in one does not depend on the others.
 */
export const mark = (rows: ReadonlyArray<Pick<LabelledUrl, "isPhishing" | "url">>): Uint8Array => {
  const cells = new Map<string, { readonly phishing: Array<number>; readonly benign: Array<number> }>()
  for (const [index, { isPhishing, url }] of rows.entries()) {
    const shape = shapeOf(url)
    if (shape === undefined) continue
    const cell = cells.get(shape) ?? { phishing: [], benign: [] }
    cells.set(shape, cell)
    const members = isPhishing ? cell.phishing : cell.benign
    members.push(index)
  }
  const isMatched = new Uint8Array(rows.length)
  for (const [shape, { phishing, benign }] of cells) {
    const count = Math.min(phishing.length, benign.length)
    const seed = SEED ^ Random.hash(shape)
    for (const row of [...chooseFrom(phishing, count, seed), ...chooseFrom(benign, count, seed)])
      isMatched[row] = 1
  }
  return isMatched
}
