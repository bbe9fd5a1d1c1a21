import { Buffer } from "node:buffer"
import * as ContentForms from "../Url/ContentForms.ts"
import * as LongPath from "../Url/LongPath.ts"
import * as LookupExpression from "../Url/LookupExpression.ts"
import type { UrlExpressions } from "../Url/UrlExpressions.ts"
import * as BusyHosts from "./ThreatList/BusyHosts.ts"
import type { Category } from "./ThreatList/Category.ts"
import * as Coverage from "./ThreatList/Coverage.ts"
import { ExpressionKeys } from "./ThreatList/ExpressionKeys.ts"
import type { KeyedHash } from "./ThreatList/KeyedHash.ts"
import * as KeyMeta from "./ThreatList/KeyMeta.ts"
import type * as ThreatListBytes from "./ThreatList/ThreatListBytes.ts"

/** Which of several entries that cover a URL counts: the one with the larger number. */
const strengths = { listedUrl: 3, listedHost: 2, listedDirectory: 2, listedPage: 1 }

/** An entry that covers the URL: the strongest one, one that is about a popular site only if there is no other. */
export interface ListedMatch {
  readonly kind: keyof typeof strengths
  readonly category: Category
  /** The entry names a whole popular site, a directory of it, or its root with another query. */
  readonly isPopularSite: boolean
  /** A `listedUrl` on a shared host that is listed with another query, or as another view of the same content. */
  readonly isOtherSpelling: boolean
}

/** No entry covers the URL, but three or more pages of its host are listed. */
export interface OtherPagesMatch {
  readonly kind: "otherPagesListed"
  readonly category: Category
  readonly pages: number
}

export type Match = ListedMatch | OtherPagesMatch

const LISTED_URL = Coverage.EXACT | Coverage.CONTENT

const kindOf = (covered: Coverage.Coverage, isHostRoot: boolean): ListedMatch["kind"] =>
  (covered & LISTED_URL) !== 0
    ? "listedUrl"
    : (covered & Coverage.BELOW) === 0
      ? "listedPage"
      : isHostRoot
        ? "listedHost"
        : "listedDirectory"

const noSite = () => false

/** The index of the root among the path hashes. */
const ROOT = 0

const isStronger = (match: ListedMatch, before: ListedMatch): boolean =>
  match.isPopularSite === before.isPopularSite
    ? strengths[match.kind] > strengths[before.kind]
    : before.isPopularSite

const store = ({ high, low }: KeyedHash, hashes: Int32Array, at: number): void => {
  hashes[2 * at] = high
  hashes[2 * at + 1] = low
}

/**
 * The expressions of one feed, as 64-bit keyed hashes in one buffer: 7 bytes a key, 9 when the feed has a retention, and
 * 256 KiB for the buckets. A listed URL is one key, or two when it has a query. A host with three listed pages or more takes
 * 24 bytes; with a retention each host takes another 14 for each time at which pages of it were last seen.
 *
 * The upper 16 bits of a hash name its bucket: with a million keys a lookup reads the bucket's offset and some fifteen
 * neighbouring keys. A false match is a collision of 64 bits, fewer than one in 10^13 lookups at a million keys; without
 * the list's hash key an attacker cannot construct one.
 *
 * Immutable. `bytes` is the whole list, ready to be stored or sent.
 */
export class ThreatList {
  readonly bytes: ThreatListBytes.Bytes
  readonly header: ThreatListBytes.Header
  readonly sections: ThreatListBytes.Sections
  readonly #keys: ExpressionKeys
  /** Of the hosts of the expressions that are looked up: high word and low word in turn. Reused by each lookup. */
  readonly #hostHashes = new Int32Array(2 * LookupExpression.MAX_HOST_SUFFIXES)
  /** Of the directories, the path itself, the path with its query, and the content forms. */
  readonly #pathHashes = new Int32Array(2 * (LookupExpression.MAX_PATH_PREFIXES + 2 + ContentForms.MAX_FORMS))

  constructor({ bytes, header, sections }: ThreatListBytes.Opened) {
    this.bytes = bytes
    this.header = header
    this.sections = sections
    this.#keys = new ExpressionKeys(header.hashKey)
  }

  /**
   * How the list covers a URL (see `UrlExpressions.expressionsOf`); undefined when it does not. `isPopularSite` is called
   * with the host of an entry for a whole host or directory, or for its root.
   */
  match(expressions: UrlExpressions, isPopularSite: (host: string) => boolean = noSite): Match | undefined {
    const { bytes, hostEnd, hostStarts, pathEnds, isDirectory, contentForms } = expressions
    this.#hashHalves(expressions)
    const host = hostStarts.length - 1
    const path = pathEnds.length - 1
    const exact = bytes.length > (pathEnds[path] ?? 0) ? path + 1 : path

    this.#enterHost(host)
    const isPopular = (suffix: number) =>
      isPopularSite(Buffer.from(bytes.subarray(hostStarts[suffix], hostEnd)).toString("latin1"))
    let strongest = this.#stronger(undefined, exact, Coverage.EXACT, host, isPopular)
    for (let form = 1; form <= contentForms.length; form++)
      strongest = this.#stronger(strongest, exact + form, Coverage.CONTENT, host, isPopular)
    const ofPath = isDirectory ? Coverage.PAGE | Coverage.BELOW : Coverage.PAGE
    for (let suffix = host; suffix >= 0; suffix--) {
      if (suffix < host) this.#enterHost(suffix)
      for (let prefix = 0; prefix <= path; prefix++)
        strongest = this.#stronger(
          strongest,
          prefix,
          prefix === path ? ofPath : Coverage.BELOW,
          suffix,
          isPopular
        )
    }
    return strongest ?? this.#otherPages(host)
  }

  #otherPages(host: number): OtherPagesMatch | undefined {
    const high = this.#hostHashes[2 * host] ?? 0
    const low = this.#hostHashes[2 * host + 1] ?? 0
    const listed = BusyHosts.find(this.sections.busyHosts, high, low)
    return listed && { kind: "otherPagesListed", ...listed }
  }

  /**
   * The stronger of a match and that of the entered host with a path. `path` is an index of the path hashes, `suffix` one of
   * the host hashes.
   */
  #stronger(
    before: ListedMatch | undefined,
    path: number,
    mayMatchAs: Coverage.Coverage,
    suffix: number,
    isPopular: (suffix: number) => boolean
  ): ListedMatch | undefined {
    const found = this.#find(path)
    const covered = found & mayMatchAs
    if (covered === 0) return before
    const kind = kindOf(covered, path === ROOT)
    const match = {
      kind,
      category: KeyMeta.category(found),
      isPopularSite: ((found & Coverage.BELOW) !== 0 || path === ROOT) && isPopular(suffix),
      isOtherSpelling: (covered & LISTED_URL) === Coverage.CONTENT
    }
    return before === undefined || isStronger(match, before) ? match : before
  }

  #hashHalves({ bytes, hostStarts, hostEnd, pathEnds, longPaths, contentForms }: UrlExpressions): void {
    const { hosts, paths } = this.#keys
    hosts.reset()
    let first = hostEnd - 1
    for (let i = 0; i < hostStarts.length; i++) {
      const start = hostStarts[i] ?? 0
      hosts.absorb(bytes, first, start - 1)
      hosts.digest()
      store(hosts, this.#hostHashes, i)
      first = start - 1
    }
    paths.reset()
    first = hostEnd
    let next = 0
    for (let i = 0; i <= pathEnds.length; i++) {
      const end = pathEnds[i] ?? bytes.length
      // The last pass is for the path with the query, if there is one.
      if (end === first || end - hostEnd > LongPath.MAX_BYTES) break
      paths.absorb(bytes, first, end)
      paths.digest()
      store(paths, this.#pathHashes, next++)
      first = end
    }
    for (const path of longPaths) this.#hashPath(path, next++)
    for (const form of contentForms) this.#hashPath(form, next++)
  }

  #hashPath(path: Uint8Array, at: number): void {
    const { paths } = this.#keys
    paths.reset()
    paths.absorb(path, 0, path.length)
    paths.digest()
    store(paths, this.#pathHashes, at)
  }

  #enterHost(host: number): void {
    this.#keys.enterHost(this.#hostHashes[2 * host] ?? 0, this.#hostHashes[2 * host + 1] ?? 0)
  }

  /** The meta of the key of the entered host with a path; 0 when the list does not hold it. */
  #find(path: number): KeyMeta.KeyMeta {
    const { offsets, low, middle, meta } = this.sections
    const { pairs } = this.#keys
    this.#keys.pair(this.#pathHashes[2 * path] ?? 0, this.#pathHashes[2 * path + 1] ?? 0)
    const bucket = pairs.high >>> 16
    const wanted = pairs.high & 0xffff
    const end = offsets[bucket + 1] ?? 0
    const wantedLow = pairs.low
    let found = 0
    // A bucket may have a key twice: for the last document and for earlier ones.
    for (let i = offsets[bucket] ?? 0; i < end; i++)
      if (low[i] === wantedLow && middle[i] === wanted) found = KeyMeta.merge(found, meta[i] ?? 0)
    return found
  }
}
