import type { CanonicalUrl } from "./CanonicalUrl.ts"
import * as LookupExpression from "./LookupExpression.ts"
import { type Category, categories } from "./ThreatList/Category.ts"
import * as Coverage from "./ThreatList/Coverage.ts"
import { ExpressionKeys } from "./ThreatList/ExpressionKeys.ts"
import type { KeyedHash } from "./ThreatList/KeyedHash.ts"
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

const kindOf = (covered: Coverage.Coverage, isHostRoot: boolean): Match["kind"] =>
  (covered & Coverage.EXACT) !== 0
    ? "listedUrl"
    : (covered & Coverage.BELOW) === 0
      ? "listedPage"
      : isHostRoot
        ? "listedHost"
        : "listedDirectory"

/** The hashes of the halves of a URL's expressions, high word and low word in turn; used again by each look-up. */
const hostHashes = new Int32Array(2 * LookupExpression.MAX_HOST_SUFFIXES)
/** The directories, the path itself, and the path with its query. */
const pathHashes = new Int32Array(2 * (LookupExpression.MAX_PATH_PREFIXES + 2))

const take = ({ high, low }: KeyedHash, hashes: Int32Array, at: number): void => {
  hashes[2 * at] = high
  hashes[2 * at + 1] = low
}

/**
 * The expressions of one feed, held as 64-bit keyed hashes in one piece of memory: 7 bytes a key, 9 when the feed has a
 * retention, and 256 KiB for the buckets. A listed URL is one key, or two when it has a query.
 *
 * A key is found in the bucket that the upper 16 bits of its hash name: with a million keys that is one read of the
 * bucket's place and one of its fifteen neighbouring keys. A false match needs an accident of 64 bits: fewer than one in
 * 10^13 lookups at a million keys, and nobody can arrange one without the list's hash key.
 *
 * Immutable; `bytes` is the list itself, fit to be written down, sent or shared with another thread.
 */
export class ThreatList {
  readonly bytes: ThreatListBytes.Bytes
  readonly header: ThreatListBytes.Header
  readonly sections: ThreatListBytes.Sections
  readonly #keys: ExpressionKeys

  constructor({ bytes, header, sections }: ThreatListBytes.Opened) {
    this.bytes = bytes
    this.header = header
    this.sections = sections
    this.#keys = new ExpressionKeys(header.hashKey)
  }

  /** How the list covers a URL, or undefined when it does not. */
  match(url: CanonicalUrl): Match | undefined {
    const expressions = UrlExpressions.of(url)
    const { bytes, hostStarts, pathEnds, isDirectory } = expressions
    this.#hashHalves(expressions)
    const host = hostStarts.length - 1
    const path = pathEnds.length - 1
    const exact = bytes.length > (pathEnds[path] ?? 0) ? path + 1 : path

    this.#enterHost(host)
    let strongest = this.#stronger(undefined, exact, Coverage.EXACT)
    const ofPath = isDirectory ? Coverage.PAGE | Coverage.BELOW : Coverage.PAGE
    for (let suffix = host; suffix >= 0; suffix--) {
      if (suffix < host) this.#enterHost(suffix)
      for (let prefix = 0; prefix <= path; prefix++)
        strongest = this.#stronger(strongest, prefix, prefix === path ? ofPath : Coverage.BELOW)
    }
    return strongest
  }

  /** The stronger of a match and what the key of the host entered and a path, by its place in the hashes, matches. */
  #stronger(before: Match | undefined, path: number, mayMatchAs: Coverage.Coverage): Match | undefined {
    const found = this.#find(path)
    const covered = found & mayMatchAs
    if (covered === 0) return before
    const kind = kindOf(covered, path === 0)
    return before !== undefined && contributions[kind] <= contributions[before.kind]
      ? before
      : { kind, category: categories[found >>> Coverage.BITS] ?? "malicious" }
  }

  #hashHalves({ bytes, hostStarts, hostEnd, pathEnds }: UrlExpressions.UrlExpressions): void {
    const { hosts, paths } = this.#keys
    hosts.reset()
    let first = hostEnd - 1
    for (let i = 0; i < hostStarts.length; i++) {
      const start = hostStarts[i] ?? 0
      hosts.absorb(bytes, first, start - 1)
      hosts.digest()
      take(hosts, hostHashes, i)
      first = start - 1
    }
    paths.reset()
    first = hostEnd
    for (let i = 0; i < pathEnds.length; i++) {
      const end = pathEnds[i] ?? first
      paths.absorb(bytes, first, end)
      paths.digest()
      take(paths, pathHashes, i)
      first = end
    }
    if (first === bytes.length) return
    paths.absorb(bytes, first, bytes.length)
    paths.digest()
    take(paths, pathHashes, pathEnds.length)
  }

  #enterHost(host: number): void {
    this.#keys.enterHost(hostHashes[2 * host] ?? 0, hostHashes[2 * host + 1] ?? 0)
  }

  /** What the key of the host entered and a path, by its place in the hashes, stands for; 0 when there is none. */
  #find(path: number): number {
    const { offsets, low, middle, meta } = this.sections
    const { pairs } = this.#keys
    this.#keys.pair(pathHashes[2 * path] ?? 0, pathHashes[2 * path + 1] ?? 0)
    const bucket = pairs.high >>> 16
    const wanted = pairs.high & 0xffff
    const end = offsets[bucket + 1] ?? 0
    const wantedLow = pairs.low
    let found = 0
    // A key may stand twice in a bucket: for what the last document says and for what is kept from earlier ones.
    for (let i = offsets[bucket] ?? 0; i < end; i++)
      if (low[i] === wantedLow && middle[i] === wanted) found = mergeMeta(found, meta[i] ?? 0)
    return found
  }
}
