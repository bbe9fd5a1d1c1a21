import type { CanonicalUrl } from "./CanonicalUrl.ts"
import * as ContentForms from "./ContentForms.ts"
import * as Digest from "./Digest.ts"
import * as LookupExpression from "./LookupExpression.ts"
import * as SharedHost from "./SharedHost.ts"

/** A host under which a list may have a URL. */
interface ListableHost {
  readonly name: string
  readonly digest: Digest.Digest
}

/** The digests of the paths under which a list may have a URL. */
interface PathDigests {
  /** Of the root and each directory: see `LookupExpression.pathPrefixes`. */
  readonly prefixes: ReadonlyArray<Digest.Digest>
  /** Of the path. */
  readonly page: Digest.Digest
  /** Of the path with the query, or of the path if there is none. */
  readonly exact: Digest.Digest
  /** On a shared host, of the normal forms of path and query (see `ContentForms`); elsewhere none. */
  readonly contentForms: ReadonlyArray<Digest.Digest>
}

/**
 * The expressions under which a list may cover a URL: its host and each parent, with its path, its query and each directory
 * above. Computed when the first list asks, then used by all lists; the paths only if a list has one of the hosts.
 */
export class UrlExpressions {
  readonly #url: CanonicalUrl
  #hosts: ReadonlyArray<ListableHost> | undefined
  #paths: PathDigests | undefined

  constructor(url: CanonicalUrl) {
    this.#url = url
  }

  /** The host itself, then its parents: see `LookupExpression.hostSuffixes`. */
  get hosts(): ReadonlyArray<ListableHost> {
    this.#hosts ??= LookupExpression.hostSuffixes(this.#url.host).map((name) => ({
      name,
      digest: Digest.digestOf(name)
    }))
    return this.#hosts
  }

  get paths(): PathDigests {
    this.#paths ??= pathDigests(this.#url)
    return this.#paths
  }
}

/**
 * The path and the query, under which a list holds a URL itself. Unlike in Safe Browsing, an empty query does not count: servers
 * treat both alike, and a `?` after a listed URL must not evade the list.
 */
export const pathAndQuery = ({ path, query }: CanonicalUrl): string =>
  query === undefined || query === "" ? path : `${path}?${query}`

const pathDigests = (url: CanonicalUrl): PathDigests => {
  return {
    prefixes: LookupExpression.pathPrefixes(url.path).map(Digest.digestOf),
    page: Digest.digestOf(url.path),
    exact: Digest.digestOf(pathAndQuery(url)),
    contentForms: SharedHost.isShared(url.host) ? ContentForms.ofUrl(url).map(Digest.digestOf) : []
  }
}
