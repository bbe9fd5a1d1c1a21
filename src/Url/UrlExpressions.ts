import type { CanonicalUrl } from "./CanonicalUrl.ts"
import * as ContentForms from "./ContentForms.ts"
import * as Digest from "./Digest.ts"
import * as Hosts from "./Hosts.ts"
import * as LookupExpression from "./LookupExpression.ts"

/** A host under which a list may have a URL. */
interface ListableHost {
  readonly name: string
  readonly digest: Digest.Digest
}

/**
 * The expressions under which a list may cover a URL: its host and each parent, with its path, its query and each directory
 * above, as digests. Each is computed when the first list asks, then used by all lists: none of a path if no list has the host.
 */
export class UrlExpressions {
  readonly #url: CanonicalUrl
  #hosts: ReadonlyArray<ListableHost> | undefined
  #exact: Digest.Digest | undefined
  #contentForms: ReadonlyArray<Digest.Digest> | undefined
  #page: Digest.Digest | undefined
  #prefixes: ReadonlyArray<Digest.Digest> | undefined

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

  /** Of the path with the query, or of the path if there is none. */
  get exact(): Digest.Digest {
    this.#exact ??= Digest.digestOf(pathAndQuery(this.#url))
    return this.#exact
  }

  /** On a shared host, of the normal forms of path and query (see `ContentForms`); elsewhere none. */
  get contentForms(): ReadonlyArray<Digest.Digest> {
    this.#contentForms ??= Hosts.isShared(this.#url.host)
      ? ContentForms.ofUrl(this.#url).map(Digest.digestOf)
      : []
    return this.#contentForms
  }

  /** Of the path. */
  get page(): Digest.Digest {
    this.#page ??= Digest.digestOf(this.#url.path)
    return this.#page
  }

  /** Of the root and each directory: see `LookupExpression.pathPrefixes`. */
  get prefixes(): ReadonlyArray<Digest.Digest> {
    this.#prefixes ??= LookupExpression.pathPrefixes(this.#url.path).map(Digest.digestOf)
    return this.#prefixes
  }
}

/**
 * The path and the query, under which a list holds a URL itself. Unlike in Safe Browsing, an empty query does not count: servers
 * treat both alike, and a `?` after a listed URL must not evade the list.
 */
export const pathAndQuery = ({ path, query }: CanonicalUrl): string =>
  query === undefined || query === "" ? path : `${path}?${query}`
