import type { CanonicalUrl } from "./CanonicalUrl.ts"
import { type Category, categories } from "./ThreatList/Category.ts"
import * as Coverage from "./ThreatList/Coverage.ts"
import { KeyedHash } from "./ThreatList/KeyedHash.ts"
import type * as ThreatListBytes from "./ThreatList/ThreatListBytes.ts"
import * as UrlExpressions from "./ThreatList/UrlExpressions.ts"
import { contributions, type FindingKind } from "./Verdict.ts"

/** How a list covers a URL; the strongest way when there are several. */
export interface Match {
  readonly kind: Extract<FindingKind, "listedUrl" | "listedHost" | "listedDirectory" | "listedPage">
  readonly category: Category
}

/** What a key stands for, in one byte: a coverage, and above it the place of a category. 0 is no key at all. */
export const meta = (coverage: Coverage.Coverage, category: Category): number =>
  coverage | (categories.indexOf(category) << Coverage.BITS)

/** What two keys of one expression stand for together. */
export const mergeMeta = (left: number, right: number): number =>
  left === 0 || right === 0
    ? left | right
    : ((left | right) & Coverage.ALL) |
      (Math.min(left >>> Coverage.BITS, right >>> Coverage.BITS) << Coverage.BITS)

/**
 * The expressions of one feed, held as 64-bit keyed hashes in one piece of memory: 7 bytes a key, 9 when the feed has a
 * retention, and 256 KiB for the buckets. A listed URL is one key, or two when it has a query.
 *
 * A key is found in the bucket that the upper 16 bits of its hash name: with a million keys that is one read of the
 * bucket's place and one of its fifteen neighbouring keys. A false match needs an accident of 64 bits: fewer than one in
 * 10^13 lookups at a million keys, and nobody can arrange one without the list's hash key.
 *
 * Immutable; `bytes` is the list itself, fit to be written down, sent or handed to another thread.
 */
export class ThreatList {
  readonly bytes: ArrayBuffer
  readonly header: ThreatListBytes.Header
  readonly sections: ThreatListBytes.Sections
  readonly #hash: KeyedHash

  constructor({ bytes, header, sections }: ThreatListBytes.Opened) {
    this.bytes = bytes
    this.header = header
    this.sections = sections
    this.#hash = new KeyedHash(header.hashKey)
  }

  /** How the list covers a URL, or undefined when it does not. */
  match(url: CanonicalUrl): Match | undefined {
    let strongest: Match | undefined
    for (const { text, mayMatchAs, isHostRoot } of UrlExpressions.of(url)) {
      const found = this.#find(text)
      const covered = found & mayMatchAs
      if (covered === 0) continue
      const kind =
        (covered & Coverage.EXACT) !== 0
          ? "listedUrl"
          : (covered & Coverage.BELOW) === 0
            ? "listedPage"
            : isHostRoot
              ? "listedHost"
              : "listedDirectory"
      if (strongest === undefined || contributions[kind] > contributions[strongest.kind])
        strongest = { kind, category: categories[found >>> Coverage.BITS] ?? "malicious" }
    }
    return strongest
  }

  /** What the key of an expression stands for, 0 when there is none. */
  #find(text: string): number {
    const { offsets, low, middle, meta } = this.sections
    const hash = this.#hash
    hash.update(text)
    const bucket = hash.high >>> 16
    const wanted = hash.high & 0xffff
    const end = offsets[bucket + 1] ?? 0
    let found = 0
    // A key may stand twice in a bucket: for what the last document says and for what is kept from earlier ones.
    for (let i = offsets[bucket] ?? 0; i < end; i++)
      if (low[i] === hash.low && middle[i] === wanted) found = mergeMeta(found, meta[i] ?? 0)
    return found
  }
}
