import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { defanged } from "../../../src/Cli/Formats.ts"
import { refanged } from "../../../src/Url/CanonicalUrl/WrittenAddress.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"
import { runs } from "../../fixtures/Seed.ts"

describe("refanged", () => {
  it.each([
    ["hxxps://bad[.]example/x", "hxxps://bad.example/x"],
    ["https://bad(.)example", "https://bad.example"],
    ["https://bad{.}example", "https://bad.example"],
    ["https://a[dot]bad(DOT)example{Dot}test", "https://a.bad.example.test"],
    ["https[:]//bad.example/", "https://bad.example/"],
    ["https(:)//bad[.]example/", "https://bad.example/"],
    ["https[://]bad[.]example/", "https://bad.example/"],
    ["https{:}\\\\bad[.]example\\a[.]b", "https:\\\\bad.example\\a.b"],
    ["bad[dot]example/a[dot]html#(.)", "bad.example/a.html#."],
    ["hxxps[://]bad[.]example/a[.]php?b=c[.]d[0]", "hxxps://bad.example/a.php?b=c.d[0]"],
    ["bad[.]example[:]8080/x[:]y", "bad.example:8080/x[:]y"],
    ["https://bad[,]example", "https://bad.example"],
    ["https://bad<.>example", "https://bad.example"],
    ["https://bad【.】example", "https://bad.example"],
    ["https://bad（点）example", "https://bad.example"],
    ["https://bad\u2011host\u2010a.example/b\u2011c", "https://bad-host-a.example/b\u2011c"],
    ["https://bad[。]example", "https://bad.example"],
    ["https://bad[·]com(•)example", "https://bad.com.example"],
    ["h[tt]ps://bad.example", "https://bad.example"],
    ["user[.]name@bad[.]example", "user.name@bad.example"],
    ["hxxps:[//]bad<.>example", "hxxps://bad.example"],
    ["hxxps[:][//]bad[.]example/x", "hxxps://bad.example/x"],
    ["https://www%5B.%5Dbad%5b.%5dexample/a%5B0%5D", "https://www.bad.example/a%5B0%5D"],
    ["hxxps%5B://%5Dbad%5Bdot%5Dexample", "hxxps://bad.example"],
    // Defanged twice
    ["https://bad[[.]]example", "https://bad.example"],
    ["https://bad([.])example", "https://bad.example"]
  ])("%s is %s", (text, address) => {
    assert.strictEqual(refanged(text), address)
  })

  it.each([
    "https://example.com/a[.]b?c(dot)d#e{.}f",
    "https://example.com?a[.]b",
    "https://example.com#a[.]b",
    "//example.com/[:]//a[.]b",
    "http://[2001:db8::1]/",
    "http://[::]:80/",
    "http://[::ffff:192.0.2.1]/",
    "https://bad[.example",
    "https://bad.]example",
    "https://example.com/a%5B.%5Db?c%5B.%5D",
    "https://bad[..]example",
    ""
  ])("leaves %j unchanged", (text) => {
    assert.strictEqual(refanged(text), text)
  })
})

const parsed = (text: string) => Either.map(CanonicalUrl.parse(text), CanonicalUrl.format)

describe("a defanged address", () => {
  it.each([
    ["hxxps://bad[.]example/x", "https://bad.example/x"],
    ["hXXp://bad[.]example", "http://bad.example/"],
    ["hxxp[:]//192[.]0[.]2[.]1:80/", "http://192.0.2.1/"],
    ["http://[::ffff:192[.]0[.]2[.]1]/", "http://192.0.2.1/"],
    ["hxxp:bad[.]example", "http://bad.example/"],
    ["fxxp://bad[.]example/a", "ftp://bad.example/a"],
    ["hxxps%3A%2F%2Fbad.example%2Fx", "https://bad.example/x"],
    ["bad[.]example", "http://bad.example/"],
    ["bad[.example]/x", "http://bad.example/x"],
    ["hxxps://bad(punkt)example/x", "https://bad.example/x"],
    ["bad[punto]example", "http://bad.example/"],
    ["bad[точка]example", "http://bad.example/"],
    ["bad(닷)example", "http://bad.example/"],
    ["hxxp.example/x", "http://hxxp.example/x"],
    ["hxxp[.]example/x", "http://hxxp.example/x"]
  ])("%s is read as %s", (text, url) => {
    assert.deepStrictEqual(parsed(text), Either.right(url))
  })

  const address = FastCheck.webUrl({
    validSchemes: ["http", "https", "ftp"],
    withQueryParameters: true,
    withFragments: true,
    authoritySettings: {
      withIPv4: true,
      withIPv6: true,
      withIPv4Extended: true,
      withPort: true,
      withUserInfo: true
    }
  })

  it("is the address in every spelling", () => {
    const dot = FastCheck.constantFrom(".", "[.]", "(.)", "{.}", "[dot]", "(DOT)", "{dot}", "[[.]]")
    const colon = FastCheck.constantFrom(":", "[:]", "(:)", "{:}")
    FastCheck.assert(
      FastCheck.property(address, dot, colon, FastCheck.boolean(), (url, dot, colon, isWide) => {
        const [, scheme = "", authority = "", rest = ""] = /^([a-z]+):\/\/([^/?#]*)(.*)$/s.exec(url) ?? []
        // Beside a dot these would be part of its spelling.
        FastCheck.pre(!/[(){}]/.test(authority))
        const start = isWide
          ? `${scheme.replace("tt", "xx")}[://]`
          : `${scheme.replace("tt", "XX")}${colon}//`
        assert.deepStrictEqual(
          CanonicalUrl.parse(start + authority.replaceAll(".", dot) + rest),
          CanonicalUrl.parse(url)
        )
      }),
      { numRuns: runs(3000) }
    )
  })

  it("is the address, as the command line prints it", () => {
    FastCheck.assert(
      FastCheck.property(address, (url) => {
        // Beside a dot these would be part of its spelling.
        FastCheck.pre(url.length <= 300 && !/\.[)}]|[({]\./.test(url))
        for (const text of [url, url.replace(/^\w+:\/\//, "")]) {
          assert.deepStrictEqual(CanonicalUrl.parse(defanged(text)), CanonicalUrl.parse(text))
          assert.deepStrictEqual(CanonicalUrl.parse(defanged(defanged(text))), CanonicalUrl.parse(text))
        }
      }),
      { numRuns: runs(3000) }
    )
  })

  it.each([
    "HTTPS://User.Name@Example.Com:8443/a.b?c=d.e",
    "http:\\\\a.example\\b.c",
    "view-source:https://a.example/x",
    "<URL:https://a.example/x>",
    "microsoft-edge:https://a.example/",
    "googlechrome://a.example/",
    "intent://a.example/x#Intent;scheme=https;end",
    "intent:https://a.example/x#Intent;end",
    "hxxps://a(.)example/",
    "hxxps[:]//a{dot}example/",
    "mailto:somebody@example.com",
    "javascript:alert(1)"
  ])("is printed so that it is read as the same: %s", (url) => {
    assert.deepStrictEqual(CanonicalUrl.parse(defanged(url)), CanonicalUrl.parse(url))
  })
})
