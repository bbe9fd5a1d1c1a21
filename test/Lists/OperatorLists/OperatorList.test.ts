import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { overrideOf } from "../../../src/Checkers/OperatorDecisions.ts"
import { NOT_COVERED, OperatorList, specificity } from "../../../src/Lists/OperatorLists/OperatorList.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"
import { runs } from "../../fixtures/Seed.ts"

const parse = (url: string) => Either.getOrThrow(CanonicalUrl.parse(url))

const listOf = (...entries: ReadonlyArray<string>) => {
  const list = new OperatorList()
  for (const entry of entries) list.add(parse(entry))
  return list
}

const CID = "bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"

const covers = (entry: string, url: string) => listOf(entry).specificityOf(parse(url)) !== NOT_COVERED

describe("an entry", () => {
  const covered: ReadonlyArray<readonly [what: string, entry: string, url: string]> = [
    ["a host, itself", "example.com", "https://example.com/"],
    ["a host, any page", "example.com", "https://example.com/a/b?c"],
    ["a host, its subdomains", "example.com", "https://a.b.example.com/x"],
    ["a shared host", "github.io", "https://somebody.github.io/x"],
    ["a popular host", "www.google.com", "https://www.google.com/url?q=x"],
    ["a public suffix", "co.uk", "https://example.co.uk/"],
    ["a top-level domain", "com", "https://example.com/"],
    ["an intranet name", "intranet", "http://intranet/wiki"],
    ["a private address", "192.168.0.1", "http://192.168.0.1:8080/admin"],
    ["the address that a name leads to", "192.0.2.1", "https://bank.192-0-2-1.nip.io/x"],
    ["an IPv6 address", "[2001:db8::1]", "http://[2001:db8:0::1]/x"],
    ["another scheme", "https://example.com/a", "ftp://example.com/a"],
    ["another port", "https://example.com:8443/a", "https://example.com/a"],
    ["another spelling", "HTTPS://User@EXAMPLE.com.:443/x/../a%41#top", "http://example.com/aA"],
    ["a directory, itself", "example.com/dir/", "https://example.com/dir/"],
    ["a directory, below", "example.com/dir/", "https://example.com/dir/a/b?c"],
    ["a directory, on a subdomain", "example.com/dir/", "https://www.example.com/dir/a"],
    ["a page, itself", "example.com/page", "https://example.com/page"],
    ["a page, with a query", "example.com/page", "https://example.com/page?x=1"],
    ["a page, with an empty query", "example.com/page", "https://example.com/page?"],
    ["a page, on a subdomain", "example.com/page", "https://www.example.com/page?x=1"],
    ["an exact URL", "example.com/page?x=1", "http://example.com/page?x=1#top"],
    ["an empty query is none", "example.com/page?", "https://example.com/page?x=1"],
    ["content on IPFS, at another gateway", `ipfs.io/ipfs/${CID}`, `https://${CID}.ipfs.dweb.link/a?b`],
    ["content on IPFS, itself", `ipfs.io/ipfs/${CID}`, `https://ipfs.io/ipfs/${CID}`],
    ["an IPFS gateway", "ipfs.io", `https://ipfs.io/ipfs/${CID}`]
  ]
  it.each(covered)("covers: %s", (_, entry, url) => {
    assert.isTrue(covers(entry, url))
  })

  const others: ReadonlyArray<readonly [what: string, entry: string, url: string]> = [
    ["a host, its parent", "www.example.com", "https://example.com/"],
    ["a host, another that ends alike", "example.com", "https://badexample.com/"],
    ["a host, another that begins alike", "example.com", "https://example.com.example.net/"],
    ["an address, a name that has it but may lead elsewhere", "192.0.2.1", "https://192-0-2-1.example.com/"],
    ["part of an IPv4 address", "0.1", "https://192.168.0.1/"],
    ["a directory, its parent", "example.com/dir/", "https://example.com/"],
    ["a directory, without the slash", "example.com/dir/", "https://example.com/dir"],
    ["a page, below", "example.com/page", "https://example.com/page/a"],
    ["a page, another that begins alike", "example.com/page", "https://example.com/page2"],
    ["an exact URL, another query", "example.com/page?x=1", "https://example.com/page?x=2"],
    ["an exact URL, without its query", "example.com/page?x=1", "https://example.com/page"],
    ["an exact URL, on a subdomain", "example.com/page?x=1", "https://www.example.com/page?x=1"],
    ["other content on IPFS", `ipfs.io/ipfs/${CID}/a`, `https://${CID}.ipfs.dweb.link/b`]
  ]
  it.each(others)("does not cover: %s", (_, entry, url) => {
    assert.isFalse(covers(entry, url))
  })

  it("counts once, in any spelling", () => {
    const list = listOf(
      "example.com",
      "http://EXAMPLE.com/",
      "example.com/a",
      "example.com/a?",
      "example.com/a?b",
      `ipfs.io/ipfs/${CID}`,
      `${CID}.ipfs.dweb.link`
    )
    assert.strictEqual(list.entries, 4)
  })
})

/** Entries that cover `https://a.b.example.com/dir/sub/page?x=1`, from the least to the most specific. */
const ORDER = [
  "com",
  "example.com",
  "b.example.com",
  "a.b.example.com",
  "example.com/dir/",
  "a.b.example.com/dir/",
  "com/dir/sub/",
  "a.b.example.com/dir/sub/",
  "example.com/dir/sub/page",
  "a.b.example.com/dir/sub/page",
  "a.b.example.com/dir/sub/page?x=1"
] as const
const URL_OF_ORDER = parse("https://a.b.example.com/dir/sub/page?x=1")

const pairs = ORDER.flatMap((allowed, i) => ORDER.map((blocked, j) => [allowed, blocked, i, j] as const))

describe("overrideOf", () => {
  it.each(pairs)("with %s allowed and %s blocked", (allowed, blocked, i, j) => {
    assert.strictEqual(overrideOf(listOf(allowed), listOf(blocked), URL_OF_ORDER), i >= j ? "allow" : "block")
  })

  it("takes the most specific entry of each list", () => {
    const allow = listOf("com", "example.com/dir/")
    assert.strictEqual(overrideOf(allow, listOf(...ORDER.slice(0, 4)), URL_OF_ORDER), "allow")
    assert.strictEqual(overrideOf(allow, listOf(...ORDER.slice(0, 6)), URL_OF_ORDER), "block")
  })

  it("treats a URL without a query as exact, and with another query as its page", () => {
    const page = listOf("example.com/page")
    const exact = listOf("example.com/page?x=1")
    assert.strictEqual(overrideOf(page, exact, parse("https://example.com/page?x=1")), "block")
    assert.strictEqual(overrideOf(exact, page, parse("https://example.com/page?x=2")), "block")
    assert.strictEqual(overrideOf(page, page, parse("https://example.com/page")), "allow")
  })

  it("is undefined if no entry covers the URL, or there is no list", () => {
    assert.isUndefined(overrideOf(listOf("example.net"), listOf("example.org"), URL_OF_ORDER))
    assert.isUndefined(overrideOf(undefined, listOf("example.org"), URL_OF_ORDER))
    assert.isUndefined(overrideOf(undefined, undefined, URL_OF_ORDER))
  })

  it("works with one list", () => {
    assert.strictEqual(overrideOf(listOf("com"), undefined, URL_OF_ORDER), "allow")
    assert.strictEqual(overrideOf(undefined, listOf("com"), URL_OF_ORDER), "block")
  })
})

describe("specificity", () => {
  it("is ordered by kind, then path, then host, for all lengths", () => {
    const text = fc.integer({ min: 1, max: 1_000_000 })
    const entry = fc.tuple(fc.constantFrom("below" as const, "page" as const, "exact" as const), text, text)
    const KINDS = ["below", "page", "exact"]
    const ofLength = (length: number) => ({ length }) as string
    fc.assert(
      fc.property(entry, entry, ([kind, path, host], [otherKind, otherPath, otherHost]) => {
        const order = KINDS.indexOf(kind) - KINDS.indexOf(otherKind) || path - otherPath || host - otherHost
        const difference =
          specificity(kind, ofLength(path), ofLength(host)) -
          specificity(otherKind, ofLength(otherPath), ofLength(otherHost))
        assert.strictEqual(Math.sign(difference), Math.sign(order))
      }),
      { numRuns: runs(2000) }
    )
  })
})

const label = fc.constantFrom("a", "b", "example", "com", "co", "uk", "github", "io")
const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."))
const path = fc
  .tuple(fc.array(fc.constantFrom("d", "e"), { maxLength: 3 }), fc.constantFrom("", "/", "?q", "/?q"))
  .map(([segments, end]) => `/${segments.join("/")}${segments.length === 0 ? end.replace("/", "") : end}`)
const url = fc.tuple(host, path).map(([host, path]) => `https://${host}${path}`)

/** The rules of the documentation, for one entry, in the plainest words. */
const coversByTheRules = (entry: CanonicalUrl.CanonicalUrl, url: CanonicalUrl.CanonicalUrl) => {
  const isOnHost = url.host === entry.host || url.host.endsWith(`.${entry.host}`)
  const isBelow = entry.path.endsWith("/") && url.path.startsWith(entry.path)
  return entry.query === undefined || entry.query === ""
    ? isOnHost && (url.path === entry.path || isBelow)
    : url.host === entry.host && url.path === entry.path && url.query === entry.query
}

describe("OperatorList", () => {
  it("covers what one of its entries covers", () => {
    fc.assert(
      fc.property(fc.array(url, { maxLength: 5 }), url, (entries, submitted) => {
        assert.strictEqual(
          listOf(...entries).specificityOf(parse(submitted)) !== NOT_COVERED,
          entries.some((entry) => coversByTheRules(parse(entry), parse(submitted)))
        )
      }),
      { numRuns: runs(5000) }
    )
  })

  it("is as specific as the most specific of its entries", () => {
    fc.assert(
      fc.property(fc.array(url, { maxLength: 5 }), url, (entries, submitted) => {
        const alone = entries.map((entry) => listOf(entry).specificityOf(parse(submitted)))
        assert.strictEqual(
          listOf(...entries).specificityOf(parse(submitted)),
          Math.max(NOT_COVERED, ...alone)
        )
      }),
      { numRuns: runs(2000) }
    )
  })
})
