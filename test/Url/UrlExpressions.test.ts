import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as PublicSuffix from "../../src/Url/PublicSuffix.ts"
import * as UrlExpressions from "../../src/Url/UrlExpressions.ts"
import { runs } from "../fixtures/Seed.ts"

interface VectorGroup {
  readonly source: string
  readonly vectors: ReadonlyArray<{ readonly url: string; readonly expressions: ReadonlyArray<string> }>
}

const published: Readonly<Record<string, VectorGroup>> = JSON.parse(
  readFileSync(new URL("../fixtures/safe-browsing-expressions.json", import.meta.url), "utf8")
)

const parse = (submitted: string) => Either.getOrThrow(CanonicalUrl.parse(submitted))

const expressionsOf = (submitted: string) => UrlExpressions.safeBrowsingExpressions(parse(submitted))

describe("the test vectors of Safe Browsing", () => {
  for (const [profile, { vectors }] of Object.entries(published)) {
    it.each(vectors)(`yield the expressions of $url (${profile})`, ({ url, expressions }) => {
      assert.deepStrictEqual([...expressionsOf(url)].sort(), [...expressions].sort())
    })
  }

  it("are complete", () => {
    const counts = Object.fromEntries(
      Object.entries(published).map(([profile, { vectors }]) => [profile, vectors.length])
    )
    assert.deepStrictEqual(counts, { "docs-v4": 3, "docs-v5": 4, "go-reference": 9, derived: 1 })
  })
})

describe("safeBrowsingExpressions", () => {
  it("combines at most five hosts with six paths", () => {
    const expressions = expressionsOf("https://user:pw@a.b.c.d.e.f.example.co.uk:8443/1/2/3/4/5?x=1")
    assert.strictEqual(expressions.length, 30)
    assert.deepStrictEqual(expressions.slice(0, 6), [
      "a.b.c.d.e.f.example.co.uk/1/2/3/4/5?x=1",
      "a.b.c.d.e.f.example.co.uk/1/2/3/4/5",
      "a.b.c.d.e.f.example.co.uk/",
      "a.b.c.d.e.f.example.co.uk/1/",
      "a.b.c.d.e.f.example.co.uk/1/2/",
      "a.b.c.d.e.f.example.co.uk/1/2/3/"
    ])
    assert.deepStrictEqual(
      expressions.filter((_, index) => index % 6 === 1),
      ["a.b.c.d.e.f", "d.e.f", "e.f", "f", ""].map(
        (labels) => `${labels}${labels === "" ? "" : "."}example.co.uk/1/2/3/4/5`
      )
    )
  })

  it("distinguishes an empty query from no query", () => {
    assert.deepStrictEqual(expressionsOf("http://a.example/?"), ["a.example/?", "a.example/"])
  })

  it("stops at a tenant of a private public suffix", () => {
    assert.deepStrictEqual(expressionsOf("https://www.tenant.vercel.app/"), [
      "www.tenant.vercel.app/",
      "tenant.vercel.app/"
    ])
  })

  it.each(["http://vercel.app/", "http://localhost/", "http://[2001:db8::1]/", "http://192.0.2.1/"])(
    "has no host suffixes for %s",
    (url) => {
      assert.deepStrictEqual(expressionsOf(url), [`${parse(url).host}/`])
    }
  )
})

describe("pathPrefixes", () => {
  it.each([
    ["/", ["/"]],
    ["/a", ["/"]],
    ["/a/", ["/", "/a/"]],
    ["/a/b/c.html", ["/", "/a/", "/a/b/"]]
  ])("of %s are %j", (path, prefixes) => {
    assert.deepStrictEqual(UrlExpressions.pathPrefixes(path), prefixes)
  })

  it("of a path longer than servers accept are under its own host only", () => {
    const long = `/${"a".repeat(20_000)}`
    assert.deepStrictEqual(
      UrlExpressions.safeBrowsingExpressions({
        scheme: "https",
        host: "b.example.com",
        path: long,
        query: "q",
        port: undefined,
        userInfo: undefined
      }),
      [`b.example.com${long}?q`, `b.example.com${long}`, "b.example.com/", "example.com/"]
    )
  })

  it("longer than servers accept are left out", () => {
    const long = "a".repeat(16_384)
    assert.deepStrictEqual(UrlExpressions.pathPrefixes(`/a/${long}/b/c`), ["/", "/a/"])
    assert.deepStrictEqual(UrlExpressions.pathPrefixes(`/${"a".repeat(16_382)}/b`), [
      "/",
      `/${"a".repeat(16_382)}/`
    ])
  })

  it("of a path above the limit are those closest to the root", () => {
    const prefixes = UrlExpressions.pathPrefixes("/a".repeat(1_000))
    assert.strictEqual(prefixes.length, UrlExpressions.MAX_PATH_PREFIXES)
    assert.deepStrictEqual(prefixes.slice(0, 3), ["/", "/a/", "/a/a/"])
    assert.strictEqual(prefixes[prefixes.length - 1], `${"/a".repeat(UrlExpressions.MAX_PATH_PREFIXES - 1)}/`)
  })
})

describe("properties", () => {
  const label = FastCheck.stringMatching(/^[a-z0-9]{1,3}$/)
  const url = FastCheck.tuple(
    FastCheck.array(label, { minLength: 1, maxLength: 45 }),
    FastCheck.constantFrom("example.com", "example.co.uk", "vercel.app", "co.uk", "unknown", "localhost"),
    FastCheck.array(label, { maxLength: 40 }),
    FastCheck.constantFrom("", "/", "?", "?q=1", "/?a/b/")
  ).map(([labels, domain, segments, end]) =>
    parse(`http://${labels.join(".")}.${domain}/${segments.join("/")}${end}`)
  )

  it("every Safe Browsing expression is a host suffix with the path or a path prefix", () => {
    FastCheck.assert(
      FastCheck.property(url, (url) => {
        const paths = new Set([
          url.path,
          `${url.path}?${url.query}`,
          ...UrlExpressions.pathPrefixes(url.path)
        ])
        const covered = new Set(
          PublicSuffix.hostAndDomains(url.host).flatMap((host) => [...paths].map((path) => host + path))
        )
        for (const expression of UrlExpressions.safeBrowsingExpressions(url))
          assert.isTrue(covered.has(expression))
      }),
      { numRuns: 500 }
    )
  })

  it("there are at most 30 expressions, the exact one first, without duplicates", () => {
    FastCheck.assert(
      FastCheck.property(url, (url) => {
        const expressions = UrlExpressions.safeBrowsingExpressions(url)
        assert.strictEqual(
          expressions[0],
          `${url.host}${url.path}${url.query === undefined ? "" : `?${url.query}`}`
        )
        assert.isAtMost(expressions.length, 30)
        assert.strictEqual(new Set(expressions).size, expressions.length)
      }),
      { numRuns: runs(2_000) }
    )
  })
})
