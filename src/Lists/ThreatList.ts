import * as Digest from "../Url/Digest.ts"
import * as Hosts from "../Url/Hosts.ts"
import type { UrlExpressions } from "../Url/UrlExpressions.ts"
import * as ListRecord from "./ThreatList/ListRecord.ts"
import type * as ThreatListBytes from "./ThreatList/ThreatListBytes.ts"

/** Which of several entries that cover a URL counts: the one with the larger number. */
const strengths = { listedUrl: 3, listedHost: 2, listedDirectory: 2, listedPage: 1 }

/** An entry that covers the URL: the strongest one, one that needs a second publisher only if there is no other. */
export interface ListedMatch {
  readonly kind: keyof typeof strengths
  readonly category: ListRecord.Category
  /** The entry names a whole popular site, a directory of it, or its root with another query: it may be a mistake. */
  readonly needsSecondPublisher: boolean
  /** A `listedUrl` that is listed with another query or at another gateway, or as another view of the same content. */
  readonly isOtherSpelling: boolean
  /** The publisher says that the entry was taken from another one. */
  readonly isCopied: boolean
}

/** No entry covers the URL, but three or more pages of its host are listed. */
export interface OtherPagesMatch {
  readonly kind: "otherPagesListed"
  readonly category: ListRecord.Category
  readonly pages: number
}

export type Match = ListedMatch | OtherPagesMatch

const LISTED_URL = ListRecord.EXACT | ListRecord.CONTENT

const kindOf = (covered: ListRecord.Coverage, isHostRoot: boolean): ListedMatch["kind"] =>
  (covered & LISTED_URL) !== 0
    ? "listedUrl"
    : (covered & ListRecord.BELOW) === 0
      ? "listedPage"
      : isHostRoot
        ? "listedHost"
        : "listedDirectory"

/** Hosts with fewer listed pages say nothing about their other pages. */
const MIN_PAGES = 3

const noSite = () => false

const stronger = (before: ListedMatch | undefined, match: ListedMatch): ListedMatch => {
  if (before === undefined) return match
  const isStronger =
    match.needsSecondPublisher === before.needsSecondPublisher
      ? strengths[match.kind] > strengths[before.kind]
      : before.needsSecondPublisher
  return isStronger ? match : before
}

/**
 * The expressions of one feed by host, as 64-bit digests in one buffer: 12 bytes a host and 9 for each listed path of it,
 * 11 when the feed has a retention. A listed URL is one path, or two when it has a query.
 *
 * A false match of a URL takes a host and a path with the digests of a listed pair, which cannot be constructed (see
 * `Digest`). Of a million listed hosts a lookup reads some ten digests.
 *
 * Immutable. `bytes` is the whole list, ready to be stored or shared with a thread.
 */
export class ThreatList {
  readonly bytes: ThreatListBytes.Bytes
  readonly header: ThreatListBytes.Header
  readonly sections: ThreatListBytes.Sections

  constructor({ bytes, header, sections }: ThreatListBytes.Opened) {
    this.bytes = bytes
    this.header = header
    this.sections = sections
  }

  /** Whether the list has this host. */
  hasHost(host: string): boolean {
    return this.#indexOf(Digest.digestOf(host)) !== undefined
  }

  /**
   * How the list covers a URL; undefined when it does not. `isPopularSite` is called with the host of an entry for a whole
   * host or directory, or for its root.
   */
  match(expressions: UrlExpressions, isPopularSite: (host: string) => boolean = noSite): Match | undefined {
    let strongest: ListedMatch | undefined
    let ownHost: number | undefined
    for (const [suffix, { name, digest }] of expressions.hosts.entries()) {
      const host = this.#indexOf(digest)
      if (host === undefined) continue
      const look = (path: Digest.Digest, mayMatchAs: ListRecord.Coverage) => {
        const found = this.#find(host, path)
        const covered = found & mayMatchAs
        if (covered === 0) return
        const isRoot = Digest.isRoot(path)
        strongest = stronger(strongest, {
          kind: kindOf(covered, isRoot),
          category: ListRecord.categoryOf(found),
          needsSecondPublisher: ((found & ListRecord.BELOW) !== 0 || isRoot) && isPopularSite(name),
          isOtherSpelling: (covered & LISTED_URL) === ListRecord.CONTENT,
          isCopied: ListRecord.isCopied(found)
        })
      }
      if (suffix === 0) {
        look(expressions.exact, LISTED_URL)
        // Nothing is stronger: the other paths need no digests.
        if (strongest !== undefined && !strongest.needsSecondPublisher) return strongest
        ownHost = host
      }
      if (suffix === 0 || name === Hosts.withoutWww(expressions.hosts[0]?.name ?? ""))
        for (const form of expressions.contentForms) look(form, ListRecord.CONTENT)
      look(expressions.page, ListRecord.PAGE)
      for (const prefix of expressions.prefixes) look(prefix, ListRecord.BELOW)
    }
    const ofContent = this.#matchOfContent(expressions)
    if (ofContent !== undefined) return stronger(strongest, ofContent)
    return strongest ?? (ownHost === undefined ? undefined : this.#otherPages(ownHost))
  }

  /** How the list covers what an IPFS gateway shows, if it has that of another gateway. */
  #matchOfContent({ content }: UrlExpressions): ListedMatch | undefined {
    const match = content === undefined ? undefined : this.match(content)
    if (match === undefined || match.kind === "otherPagesListed") return undefined
    // The content is no host: what is listed with all below it is a folder of the gateway's.
    return match.kind === "listedHost" ? { ...match, kind: "listedDirectory" } : match
  }

  #indexOf(digest: Digest.Digest): number | undefined {
    const { hosts } = this.sections
    const at = Digest.search(hosts, 0, this.header.hosts, digest)
    return Digest.isAt(hosts, at, digest) ? at : undefined
  }

  /** The meta of a path of this host; 0 when the list does not have it. */
  #find(host: number, path: Digest.Digest): ListRecord.Meta {
    const { starts, paths, meta } = this.sections
    const end = starts[host + 1] ?? 0
    let found = 0
    // A path may be there several times: for the last document and for earlier ones.
    for (
      let at = Digest.search(paths, starts[host] ?? 0, end, path);
      at < end && Digest.isAt(paths, at, path);
      at++
    )
      found = ListRecord.merge(found, meta[at] ?? 0)
    return found
  }

  /** Counts the listed pages of this host, without its root: a path has at most one record with `PAGE`. */
  #otherPages(host: number): OtherPagesMatch | undefined {
    const { starts, paths, meta } = this.sections
    let pages = 0
    let listed = 0
    for (let at = starts[host] ?? 0; at < (starts[host + 1] ?? 0); at++) {
      const record = meta[at] ?? 0
      if ((record & ListRecord.PAGE) === 0 || Digest.isAt(paths, at, Digest.ROOT)) continue
      pages++
      listed = ListRecord.merge(listed, record)
    }
    return pages < MIN_PAGES
      ? undefined
      : { kind: "otherPagesListed", category: ListRecord.categoryOf(listed), pages }
  }
}
