import { domainToUnicode } from "node:url"
import * as PublicSuffix from "../../PublicSuffix.ts"
import * as Hosting from "./Hosting.ts"

/** A host that is a name, taken apart where somebody's own choice begins. */
export interface HostName {
  readonly host: string
  /** The part that one party holds: `shop.example.co.uk` has `example.co.uk`, `www.someone.github.io` `someone.github.io`. */
  readonly registrable: string
  /** The first label of that, which its holder chose. */
  readonly name: string
  /** What the holder may be one of many customers under: `co.uk`, `github.io`. */
  readonly suffix: string
  /** All before the suffix: what the holder chose. */
  readonly chosen: string
  /** The labels before `registrable`, from left to right. */
  readonly subdomains: ReadonlyArray<string>
  /** Who lets anybody publish under this host, if so. */
  readonly publisher: Hosting.Publisher | undefined
}

/** No name in the DNS is longer (RFC 1035, section 2.3.4); of a longer host only the end is read. */
const LONGEST_NAME = 253

/** The registrable domain by the Public Suffix List, whoever lets others publish under it. */
export const domainOf = (canonicalHost: string): string | undefined =>
  PublicSuffix.registrableDomain(canonicalHost.slice(-LONGEST_NAME))

/** Nothing for a host that nobody holds: a name without a dot, a public suffix itself. Not for IP addresses. */
export const parse = (canonicalHost: string, domain = domainOf(canonicalHost)): HostName | undefined => {
  const host = canonicalHost.slice(-LONGEST_NAME)
  const publisher = Hosting.publisherOf(host)
  const registrable = publisher?.tenant ?? domain
  if (registrable === undefined) return undefined
  const dot = registrable.indexOf(".")
  const inFront = host.length - registrable.length - 1
  const suffix = registrable.slice(dot + 1)
  return {
    host,
    registrable,
    name: registrable.slice(0, dot),
    suffix,
    chosen: host.slice(0, -(suffix.length + 1)),
    subdomains: inFront > 0 ? host.slice(0, inFront).split(".") : [],
    publisher
  }
}

/** The label in the letters that a browser may show, or as it is: `unicode("xn--mnchen-3ya")` is `"münchen"`. */
export const unicode = (label: string): string =>
  label.startsWith("xn--") ? domainToUnicode(label) || label : label
