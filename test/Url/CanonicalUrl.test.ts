import { Buffer } from "node:buffer"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import { anyCharacter } from "../fixtures/AnyCharacter.ts"
import { runs } from "../fixtures/Seed.ts"

interface VectorGroup {
  readonly source: string
  readonly vectors: ReadonlyArray<{
    readonly input: string
    readonly canonical: string | null
    readonly latin1?: boolean
  }>
}

const published: Readonly<Record<string, VectorGroup>> = JSON.parse(
  readFileSync(new URL("../fixtures/safe-browsing-canonicalization.json", import.meta.url), "utf8")
)

const bytesOf = (text: string, encoding: "latin1" | "utf8" = "utf8") => Buffer.from(text, encoding)

const formatted = (url: Either.Either<CanonicalUrl.CanonicalUrl, CanonicalUrl.InvalidUrl>): string | null =>
  Either.match(url, { onLeft: () => null, onRight: CanonicalUrl.format })

const parsed = (submitted: string): string => {
  const url = CanonicalUrl.parse(submitted)
  return Either.isRight(url) ? CanonicalUrl.format(url.right) : `${url.left.reason} ${url.left.scheme}`
}

const parts = (url: CanonicalUrl.CanonicalUrl) => ({
  scheme: url.scheme,
  host: url.host,
  path: url.path,
  query: url.query
})

describe("the test vectors of Safe Browsing", () => {
  for (const [profile, { vectors }] of Object.entries(published)) {
    it.each(vectors)(`canonicalize $input (${profile})`, ({ input, canonical, latin1 }) => {
      assert.strictEqual(
        formatted(CanonicalUrl.canonicalize(bytesOf(input, latin1 === true ? "latin1" : "utf8"))),
        canonical
      )
    })
  }

  it("are complete", () => {
    const counts = Object.fromEntries(
      Object.entries(published).map(([profile, { vectors }]) => [profile, vectors.length])
    )
    assert.deepStrictEqual(counts, {
      docs: 33,
      "go-extra-optional": 2,
      "go-extra": 19,
      "docs-v5": 3,
      derived: 10
    })
  })
})

describe("how a submitted string is read", () => {
  it.each([
    ["example.com:8080/x", "http://example.com/x"],
    ["localhost:3000", "http://localhost/"],
    ["example.com:", "http://example.com/"],
    ["http://example.com:/x", "http://example.com/x"],
    ["http://example.com:00080/x", "http://example.com/x"],
    ["http:example.com", "http://example.com/"],
    ["http:/example.com", "http://example.com/"],
    ["https:\\\\example.com\\x", "https://example.com/x"],
    ["HtTpS:\\/example.com", "https://example.com/"],
    ["//example.com/x", "http://example.com/x"],
    ["\\\\example.com\\x", "http://example.com/x"],
    ["http:///example.com/x", "http://example.com/x"],
    ["http:\\\\//\\example.com/x", "http://example.com/x"],
    ["https:///[2001:db8::1]/x", "https://[2001:db8::1]/x"],
    ["https:////[::ffff:192.0.2.1]:8443/x", "https://192.0.2.1/x"],
    ["https://[2001:\uff24\uff22\uff18::\uff11]/x", "https://[2001:db8::1]/x"],
    ["https://\uff3b\uff1a:\uff11\uff3d/x", "https://[::1]/x"],
    [`https://${"a.".repeat(125)}com/`, `https://${"a.".repeat(125)}com/`],
    [`https://${"a".repeat(63)}.com/`, `https://${"a".repeat(63)}.com/`],
    ["///example.com", "http://example.com/"],
    ["ftp://example.com/x", "ftp://example.com/x"],
    ["hxxp.example/x", "http://hxxp.example/x"],
    ["user:password@example.com/x", "http://example.com/x"],
    ["user.name:password@example.com/x", "http://example.com/x"],
    ["http://a@b@example.com/", "http://example.com/"],
    ["http://good.example:80@evil.example/", "http://evil.example/"],
    ["http://good.example%2F@evil.example/", "http://evil.example/"],
    ["http://good.example%3F@evil.example/", "http://evil.example/"],
    ["http://evil.example\\@good.example/", "http://evil.example/@good.example/"],
    ["http://evil.example/@good.example", "http://evil.example/@good.example"],
    ["http://evil.example?@good.example", "http://evil.example/?@good.example"],
    ["http://evil.example#@good.example", "http://evil.example/"],
    ["http://evil.example;@good.example", "http://good.example/"],
    ["http%3A%2F%2Fexample.com%2Fa%3Fb%23c", "http://example.com/a?b"],
    ["https%253A//example.com/", "https://example.com/"],
    ["ht\ntp:\t//exa\rmple.com/", "http://example.com/"],
    ["\u0000\u001f http://example.com/ \u0000", "http://example.com/"],
    ["\ufeff\u200b\u00a0http://example.com/x\u2028\u202c", "http://example.com/x"],
    ["http://example.com/x%E2%80%8E%e2%81%a9", "http://example.com/x"],
    ["http://example.com/x\u200b#y", "http://example.com/x"],
    ["http://example.com/x/..%2525E2%2580%258B", "http://example.com/"],
    [`http://example.com/x?${"%E2%80%8B".repeat(99)}#y`, "http://example.com/x?"],
    ["http://example.com/x%0D%0A", "http://example.com/x"],
    ["http://example.com@0\\", "http://0.0.0.0/"],
    ["http://3405803783\\[@192.0.2.1/", "http://203.0.113.7/[@192.0.2.1/"],
    ["http://example.com/x%C3%A0", "http://example.com/x%C3%A0"],
    ["http://example.com/\ud800", "http://example.com/%EF%BF%BD"],
    ["http://example.com/%e9%E9\u00e9", "http://example.com/%E9%E9%C3%A9"],
    ["https://1.2.3.0x/", "https://1.2.3.0/"],
    ["https://0.0.0.0/", "https://0.0.0.0/"],
    ["https://example.1a/", "https://example.1a/"],
    ["https://example.0xg/", "https://example.0xg/"],
    ["https://1.2.3.4.example/", "https://1.2.3.4.example/"],
    ["https://0x.example/", "https://0x.example/"],
    ["app://1.2.3.4.5/", "app://1.2.3.4.5/"]
  ])("%j is %s", (submitted, canonical) => {
    assert.strictEqual(parsed(submitted), canonical)
  })

  it.each([
    ["", "NoHost http"],
    [" \t\n ", "NoHost http"],
    ["/example.com", "NoHost http"],
    ["https://", "NoHost https"],
    ["https:///blah", "NoHost https"],
    ["http://user@/x", "NoHost http"],
    ["http://.../", "NoHost http"],
    ["http://:80/", "NoHost http"],
    ["hello world", "ForbiddenHostCharacter http"],
    ["http://a%00b.com/", "ForbiddenHostCharacter http"],
    ["http://W!eird<>Ho$^.com/", "ForbiddenHostCharacter http"],
    ["http://example.com%2Fx", "ForbiddenHostCharacter http"],
    ["http://user%40example.com/", "ForbiddenHostCharacter http"],
    ["http://example.com%3A80/", "ForbiddenHostCharacter http"],
    ["http://example.com:80a/", "ForbiddenHostCharacter http"],
    ["https://example.com:65536/", "ForbiddenHostCharacter https"],
    ["host:80:80", "ForbiddenHostCharacter http"],
    ["http://[::1/", "ForbiddenHostCharacter http"],
    ["http://[zz]/", "ForbiddenHostCharacter http"],
    ["http://::1/", "ForbiddenHostCharacter http"],
    ["http://\uff05\uff12\uff26.com/", "ForbiddenHostCharacter http"],
    ["https://256.256.256.256/", "InvalidIpv4Address https"],
    ["https://1.2.3.4.5/", "InvalidIpv4Address https"],
    ["http://4294967296/", "InvalidIpv4Address http"],
    ["https://example.5/", "InvalidIpv4Address https"],
    ["https://example.08./login", "InvalidIpv4Address https"],
    ["https://example.0XaB/", "InvalidIpv4Address https"],
    ["https://example.0x/", "InvalidIpv4Address https"],
    ["https://b\u00fccher.1/", "InvalidIpv4Address https"],
    ["https://paypal.com@1.2.3.%34.5/", "InvalidIpv4Address https"],
    ["hxxps://256[.]1[.]1[.]1/", "InvalidIpv4Address https"],
    [`https://${"a.".repeat(126)}com/`, "HostTooLong https"],
    [`https://paypal.com@${"a.".repeat(32_000)}com/`, "HostTooLong https"],
    [`https://${"a".repeat(64)}.com/`, "HostTooLong https"],
    [`https://${"a%2e".repeat(200)}com/`, "HostTooLong https"],
    [`https://a!${"a".repeat(64)}.com/`, "ForbiddenHostCharacter https"],
    ["tg://\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e-apple.:99999/", "ForbiddenHostCharacter tg"],
    [`vmess://${"a".repeat(64)}/`, "OpaqueScheme vmess"],
    ["mailto:somebody@example.com", "OpaqueScheme mailto"],
    ["MailTo:x", "OpaqueScheme mailto"],
    ["mailto://somebody@example.com", "OpaqueScheme mailto"],
    ["java\nscript:alert(1)", "OpaqueScheme javascript"],
    ["javascript://example.com/%0Aalert(1)", "OpaqueScheme javascript"],
    ["data:text/html,x", "OpaqueScheme data"],
    ["tel:911", "OpaqueScheme tel"],
    ["MECARD:N:Doe;EMAIL:a@b.example;;", "OpaqueScheme mecard"],
    ["BIZCARD:N:Doe;E:a@b.example;;", "OpaqueScheme bizcard"],
    ["BEGIN:VCARD\nEMAIL:a@b.example\nEND:VCARD", "OpaqueScheme begin"],
    ["WIFI:T:WPA;S:x;P:a@b;;", "OpaqueScheme wifi"],
    ["LPA:1$smdp.example$CODE", "OpaqueScheme lpa"],
    ["HC1:6BFOXN*TS0BI$ZD", "OpaqueScheme hc1"],
    ["wc:0a1b@2?relay-protocol=irn&symKey=1", "OpaqueScheme wc"],
    ["monero:44AFFq5k", "OpaqueScheme monero"],
    ["doi:10.1000/182", "OpaqueScheme doi"],
    ["blob:null/1", "OpaqueScheme blob"],
    ["foo:bar", "OpaqueScheme foo"],
    ["foo:/bar", "OpaqueScheme foo"],
    ["foo:///bar", "OpaqueScheme foo"],
    ["file:///etc/hosts", "OpaqueScheme file"]
  ])("%j is rejected: %s", (submitted, error) => {
    assert.strictEqual(parsed(submitted), error)
  })

  it("returns port and user info, which canonicalization drops", () => {
    assert.deepStrictEqual(
      CanonicalUrl.parse("HTTP://Us%2565r:p w@Example.com:0443/%2541?"),
      Either.right({
        scheme: "http",
        host: "example.com",
        path: "/A",
        query: "",
        port: 443,
        userInfo: "User:p%20w"
      })
    )
    assert.deepStrictEqual(
      CanonicalUrl.parse("https://@example.com"),
      Either.right({
        scheme: "https",
        host: "example.com",
        path: "/",
        query: undefined,
        port: undefined,
        userInfo: ""
      })
    )
  })
})

describe("paths and queries", () => {
  it.each([
    ["/a//../b", "/a/b"],
    ["/a/b/..", "/a/"],
    ["/a/b/.", "/a/b/"],
    ["/..//../", "/"],
    ["//", "/"],
    ["/.a/..b/...", "/.a/..b/..."],
    ["/a/%2E%2e/b", "/b"],
    ["/a/%252e%252e/b", "/b"],
    ["/a%2f..%2fb", "/b"],
    ["/a\\..\\b", "/b"],
    ["/a%5C..%5Cb", "/a%5C..%5Cb"],
    ["/a?b/../c//d\\e", "/a?b/../c//d\\e"],
    ["/a%3Fb\\c", "/a?b/c"],
    ["/a;b=c,d", "/a;b=c,d"],
    ["/%7e%41%2D%5f", "/~A-_"],
    ["/%00%7f%20%23%25", "/%00%7F%20%23%25"]
  ])("%s is %s", (submitted, canonical) => {
    assert.strictEqual(parsed(`http://example.com${submitted}`), `http://example.com${canonical}`)
  })
})

const trickyPiece = FastCheck.oneof(
  ...[
    FastCheck.constantFrom(
      "http:",
      "https:",
      "ftp:",
      "foo:",
      "tel:",
      "javascript:",
      "//",
      "/",
      "\\",
      "?",
      "#",
      "@",
      ":"
    ),
    FastCheck.constantFrom(
      "%",
      "%25",
      "%2",
      "5",
      "%2e",
      "%2f",
      "%5c",
      "%3a",
      "%40",
      "%00",
      "%2525",
      "%5B",
      "%c3",
      "%C3%BC"
    ),
    FastCheck.constantFrom(
      ".",
      "..",
      "/./",
      "/../",
      "[",
      "]",
      "::",
      "[.]",
      "(dot)",
      "[:]",
      "#Intent;scheme=https;",
      "::1",
      "ffff:",
      "64:ff9b::",
      "fe80::1",
      "1.2.3.4"
    ),
    FastCheck.constantFrom(
      "0",
      "1",
      "255",
      "256",
      "010",
      "0x7f",
      "0x",
      "80",
      "65536",
      "a",
      "Z",
      "g",
      "-",
      "_",
      "xn--",
      "xn--tda"
    ),
    FastCheck.constantFrom(
      "example.com",
      "evil.example",
      "com",
      " ",
      "\t",
      "\n",
      "\u0000",
      "\u007f",
      "!",
      "<",
      "^",
      "~",
      ";"
    ),
    FastCheck.constantFrom(
      "\u00fc",
      "\u00df",
      "\u3002",
      "\uff0e",
      "\uff11",
      "\uff05",
      "\uff0f",
      "\uff20",
      "\u00ad",
      "\u200b"
    ),
    FastCheck.constantFrom(
      "\u202e",
      "\u0300",
      "\u212a",
      "\u2100",
      "\ufeff",
      "\ud83d\ude00",
      "\ud800",
      "\udc00",
      "\u00ff",
      "\ufffd"
    )
  ]
)

const urlSoup = FastCheck.tuple(
  FastCheck.constantFrom("http://", "https://", "//", "", "hxxp[:]//", "<URL:", "view-source:", "intent:"),
  FastCheck.array(trickyPiece, { maxLength: 12 })
).map(([start, pieces]) => start + pieces.join(""))

const anyText = FastCheck.oneof(
  urlSoup,
  FastCheck.string({ unit: anyCharacter, maxLength: 60 }),
  FastCheck.array(FastCheck.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) =>
    String.fromCharCode(...units)
  )
)

const assertCanonicalTwice = (
  first: CanonicalUrl.CanonicalUrl,
  again: Either.Either<CanonicalUrl.CanonicalUrl, unknown>
) => {
  assert.match(CanonicalUrl.format(first), /^[a-z][a-z0-9+.-]*:\/\/[!-~]+$/)
  assert.deepStrictEqual(Either.map(again, parts), Either.right(parts(first)))
}

describe("properties", () => {
  it("canonicalizing any string twice gives the same as once", () => {
    FastCheck.assert(
      FastCheck.property(anyText, (submitted) => {
        const url = CanonicalUrl.parse(submitted)
        if (Either.isRight(url))
          assertCanonicalTwice(url.right, CanonicalUrl.parse(CanonicalUrl.format(url.right)))
      }),
      { numRuns: runs(10_000) }
    )
  })

  it("canonicalizing any bytes twice gives the same as once", () => {
    const anyBytes = FastCheck.oneof(
      FastCheck.uint8Array({ maxLength: 60 }),
      urlSoup.map((text) => bytesOf(text)),
      urlSoup.map((text) => bytesOf(text, "latin1"))
    )
    FastCheck.assert(
      FastCheck.property(anyBytes, (submitted) => {
        const url = CanonicalUrl.canonicalize(submitted)
        if (Either.isRight(url))
          assertCanonicalTwice(url.right, CanonicalUrl.canonicalize(bytesOf(CanonicalUrl.format(url.right))))
      }),
      { numRuns: runs(10_000) }
    )
  })

  it("a URL that parse accepts has a host of allowed characters and a path from the root", () => {
    FastCheck.assert(
      FastCheck.property(anyText, (submitted) => {
        const url = CanonicalUrl.parse(submitted)
        if (Either.isLeft(url)) return
        assert.match(url.right.host, /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/)
        assert.isTrue(url.right.path.startsWith("/") && !url.right.path.includes("//"))
      }),
      { numRuns: runs(10_000) }
    )
  })

  it("a host of digits, letters and dots is rejected where the URL standard rejects it", () => {
    const label = FastCheck.constantFrom(..."0 1 08 255 256 0x 0x7f 0xg 4294967296 a 5a a5".split(" "))
    const labels = FastCheck.array(label, { minLength: 1, maxLength: 6 })
    let rejected = 0
    FastCheck.assert(
      FastCheck.property(labels, (labels) => {
        const url = `https://${labels.join(".")}/`
        const isRejected = Either.isLeft(CanonicalUrl.parse(url))
        assert.strictEqual(isRejected, !URL.canParse(url), url)
        if (isRejected) rejected++
      }),
      { seed: 1, numRuns: 1000 }
    )
    assert.isAbove(rejected, 100)
  })

  it("parse and canonicalize give the same for URLs that are canonical already", () => {
    const assertProper = (submitted: string) => {
      // `parse` drops quotes around an address, and reads defanged dots.
      if (/^["'`]|[[\](){}<>]\.|\.[[\](){}<>]/.test(submitted)) return
      const url = CanonicalUrl.parse(submitted)
      const canonical = CanonicalUrl.canonicalize(bytesOf(submitted))
      // A host that nobody can mean is read as a slip.
      const isSlip =
        Either.isRight(canonical) &&
        (!canonical.right.host.includes(".") || /[^a-z\d._:[\]-]|[_-]$|https?/.test(canonical.right.host))
      const isRead = Either.isRight(url) && Either.isRight(canonical)
      if (isRead && !isSlip && !/\\\./.test(submitted)) assert.deepStrictEqual(canonical, url, submitted)
    }
    for (const ordinary of [
      "http://a.b9/c/d-?e=f",
      "https://a_-.x",
      "a.b/",
      "a",
      "http://a?b",
      "http://a.b/c/"
    ])
      for (let at = 0; at <= ordinary.length; at++)
        for (let code = 0x20; code < 0x7f; code++)
          for (const end of [at, at + 1])
            assertProper(ordinary.slice(0, at) + String.fromCharCode(code) + ordinary.slice(end))
    const piece = FastCheck.constantFrom(
      ...[
        "a",
        "b9",
        "x-y",
        "_",
        "-",
        "0",
        "0x7f",
        "1.2.3.4",
        "Z",
        ".",
        ".",
        "..",
        "/",
        "/",
        "//",
        "?",
        "&",
        "="
      ],
      ...[
        "#",
        "%",
        "%2e",
        "\\",
        "@",
        ":",
        ":80",
        "~",
        "<",
        '"',
        "[",
        "]",
        "`",
        "|",
        "http",
        "https:",
        "://",
        "+"
      ]
    )
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom("http://", "https://", "http://a.example", "https://a.example/", ""),
        FastCheck.array(piece, { maxLength: 12 }),
        (start, pieces) => assertProper(start + pieces.join(""))
      ),
      { numRuns: runs(20_000) }
    )
    for (const length of [2048, 100_000])
      for (const part of ["a.", "a/", "/", "1.", "-", "?"]) assertProper(`http://${part.repeat(length)}`)
  })

  it("parses every prefix of a tricky URL without throwing", () => {
    const tricky =
      "hTtPs:\\\\us%2565r:p@ss@[::ffff:0x7f.1]%2e\ud83d\ude00.\u00fc\u3002example.com:0080/%2e%2E/a%2f..//b%?q=%25%32%35&\ud800#f%"
    for (let length = 0; length <= tricky.length; length++) {
      assert.strictEqual(typeof parsed(tricky.slice(0, length)), "string")
    }
  })

  it("every spelling of a page is the same canonical URL", () => {
    const name = FastCheck.stringMatching(/^[a-z0-9]{1,8}$/)
    const page = FastCheck.tuple(
      FastCheck.constantFrom("http", "https"),
      FastCheck.tuple(name, name).map((labels) => `${labels.join(".")}.example`),
      FastCheck.array(name, { minLength: 1, maxLength: 4 })
    )
    FastCheck.assert(
      FastCheck.property(page, ([scheme, host, segments]) => {
        const path = segments.join("/")
        const canonical = `${scheme}://${host}/${path}`
        for (const spelling of [
          canonical,
          `${scheme.toUpperCase()}://${host}/${path}`,
          `${scheme}://${host.toUpperCase()}/${path}`,
          `${scheme}://${host}.:${scheme === "http" ? 80 : 443}/${path}`,
          `${scheme}://user:password@${host}/${path}#top`,
          `${scheme}://${host}//x/../${segments.join("/.//")}`,
          `${scheme}:\\\\${host}\\${segments.join("\\")}`,
          `${scheme}://${escapedAll(host)}/${escapedAll(path)}`,
          `${scheme}://${escapedAll(escapedAll(host))}/${escapedAll(escapedAll(path))}`,
          ` ${scheme}://\t${host}/\n${path} `,
          `${scheme}://${host.replaceAll(".", "\u3002")}/${path}`,
          encodeURIComponent(canonical)
        ]) {
          assert.strictEqual(parsed(spelling), canonical)
        }
      }),
      { numRuns: 1_000 }
    )
  })
})

const escapedAll = (text: string): string =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`).join("")
