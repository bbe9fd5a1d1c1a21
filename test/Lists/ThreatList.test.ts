import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { ThreatListBuilder } from "../../src/Lists/ThreatList/ThreatListBuilder.ts"
import { kindOf, listOf, matchOf } from "../fixtures/ThreatLists.ts"

/** The same content, from the documents of IPFS. */
const CID = "bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
const CID_V0 = "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n"
const OTHER_CID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"

describe("ThreatList", () => {
  it("matches long paths", () => {
    const long = "x".repeat(8192)
    const other = `${long.slice(1)}y`
    const list = listOf([
      `http://a.example/${long}?id=1`,
      `http://b.example/${long}/`,
      `http://c.example/?id=${long}`,
      `https://drive.google.com/open?id=${long}`
    ])
    for (const [url, kind] of [
      [`http://a.example/${long}?id=1`, "listedUrl"],
      [`http://a.example/${long}?id=2`, "listedPage"],
      [`http://a.example/${long}`, "listedPage"],
      [`http://a.example/${other}?id=1`, undefined],
      [`http://www.b.example/${long}/deeper/${long}/page?${long}`, "listedDirectory"],
      [`http://b.example/${other}/page`, undefined],
      [`http://c.example/?id=${long}`, "listedUrl"],
      [`http://c.example/?id=${other}`, "listedPage"],
      [`https://drive.google.com/open?usp=x&id=${long}`, "listedUrl"],
      [`https://drive.google.com/open?id=${other}`, undefined]
    ] as const)
      assert.strictEqual(kindOf(list, url), kind, url.slice(0, 20))
  })

  it.each<[entry: string, url: string, kind: string | undefined]>([
    // A URL
    ["http://evil.example/login", "http://evil.example/login", "listedUrl"],
    ["http://evil.example/login", "https://evil.example/login", "listedUrl"],
    ["http://evil.example/login", "HTTP://Evil.example:80/a/../login", "listedUrl"],
    ["http://evil.example/login", "http://evil.example/login?id=1", "listedPage"],
    ["http://evil.example/login", "http://evil.example/login?", "listedUrl"],
    ["http://evil.example/login?", "http://evil.example/login", "listedUrl"],
    ["https://bit.ly/abc", "https://bit.ly/abc?", "listedUrl"],
    ["http://evil.example/?", "http://evil.example/any/page", "listedHost"],
    ["http://evil.example/login", "http://www.evil.example/login", "listedPage"],
    ["http://evil.example/login", "http://evil.example/login/", undefined],
    ["http://evil.example/login", "http://evil.example/login/deeper", undefined],
    ["http://evil.example/login", "http://evil.example/", undefined],
    ["http://www.evil.example/login", "http://evil.example/login", undefined],
    // A URL with a query
    ["http://evil.example/go?id=1", "http://evil.example/go?id=1", "listedUrl"],
    ["http://evil.example/go?id=1", "http://evil.example/go?id=2", "listedPage"],
    ["http://evil.example/go?id=1", "http://evil.example/go", "listedPage"],
    ["http://evil.example/go?id=1", "http://sub.evil.example/go?id=1", "listedPage"],
    ["http://evil.example/dir/?id=1", "http://evil.example/dir/page", undefined],
    ["http://evil.example/?id=1", "http://evil.example/other", undefined],
    // A directory
    ["http://evil.example/dir/", "http://evil.example/dir/", "listedUrl"],
    ["http://evil.example/dir/", "http://evil.example/dir/page?x", "listedDirectory"],
    ["http://evil.example/dir/", "http://evil.example/dir/?x", "listedDirectory"],
    ["http://evil.example/dir/", "http://a.b.evil.example/dir/1/2/3/4/5/6/page", "listedDirectory"],
    ["http://evil.example/1/2/3/4/5/", "http://evil.example/1/2/3/4/5/6.html", "listedDirectory"],
    ["http://evil.example/dir/", "http://evil.example/dir", undefined],
    ["http://evil.example/dir/", "http://evil.example/directory/", undefined],
    // A host
    ["evil.example", "https://evil.example/", "listedUrl"],
    ["evil.example", "https://evil.example/any/page", "listedHost"],
    ["evil.example", "https://evil.example/?x", "listedHost"],
    ["evil.example", "https://a.b.c.d.e.f.g.evil.example/", "listedHost"],
    ["https://evil.example", "https://evil.example/any", "listedHost"],
    ["https://evil.example/", "https://evil.example/any", "listedHost"],
    ["evil.example:8080", "https://evil.example/any", "listedHost"],
    ["evil.example", "https://notevil.example/", undefined],
    ["evil.example", "https://example/", undefined],
    ["sub.evil.example", "https://evil.example/", undefined],
    // An address
    ["192.0.2.7", "http://192.0.2.7:8080/bin.sh", "listedHost"],
    ["http://192.0.2.7/bin.sh", "http://0xC0.0.0x2.07/bin.sh", "listedUrl"],
    ["http://192.0.2.7/bin.sh", "http://3221225991/bin.sh", "listedUrl"],
    ["192.0.2.7", "http://192.0.2.70/", undefined],
    ["[2001:db8::1]", "http://[2001:0DB8:0::1]/x", "listedHost"],
    ["192.0.2.7", "http://bank.192.0.2.7.sslip.io/login", "listedHost"],
    ["http://192.0.2.7/login", "https://nf-192-0-2-7.nip.io/login", "listedPage"],
    ["http://192.0.2.7/login", "https://192-0-2-7.nip.io/", undefined],
    ["192.0.2.7", "http://192-0-2-7.example.com/", undefined],
    // Content at any IPFS gateway, by both names that it may have
    [`https://ipfs.io/ipfs/${CID}`, `https://${CID}.ipfs.dweb.link/`, "listedUrl"],
    [`https://ipfs.io/ipfs/${CID_V0}/`, `https://${CID}.ipfs.dweb.link/a.html?x`, "listedDirectory"],
    [`${CID}.ipfs.dweb.link`, `https://gateway.example/ipfs/${CID_V0}`, "listedUrl"],
    [`${CID}.ipfs.dweb.link`, `https://${CID}.ipfs.dweb.link/a`, "listedHost"],
    [`https://ipfs.io/ipfs/${CID}/a.html`, `https://${CID}.ipfs.w3s.link/a.html`, "listedUrl"],
    [`https://ipfs.io/ipfs/${CID}/a.html`, `https://${CID}.ipfs.w3s.link/a.html?x`, "listedPage"],
    [`https://ipfs.io/ipfs/${CID}/a.html`, `https://${CID}.ipfs.w3s.link/b.html`, undefined],
    [`https://ipfs.io/ipfs/${CID}/a.html`, `https://ipfs.io/ipns/${CID}/a.html`, undefined],
    [`https://ipfs.io/ipfs/${CID}`, `https://${OTHER_CID}.ipfs.dweb.link/ipfs/${CID}`, undefined],
    [`https://ipfs.io/ipfs/${CID.slice(0, -1)}`, `https://ipfs.io/ipfs/${CID}`, undefined],
    // A tenant of a shared suffix
    ["https://tenant-x.vercel.app/", "https://tenant-x.vercel.app/any", "listedHost"],
    ["https://tenant-x.vercel.app/", "https://sub.tenant-x.vercel.app/any", "listedHost"],
    ["https://tenant-x.vercel.app/", "https://tenant-y.vercel.app/", undefined],
    ["https://tenant-x.vercel.app/", "https://vercel.app/", undefined],
    ["https://vercel.app/", "https://tenant-x.vercel.app/", undefined],
    // A shared or very popular host
    ["https://github.com/", "https://github.com/", undefined],
    ["https://github.com/", "https://github.com/owner/repository", undefined],
    ["github.com", "https://gist.github.com/", undefined],
    ["https://github.com/owner/repository/", "https://github.com/owner/repository/", "listedUrl"],
    ["https://github.com/owner/repository/", "https://github.com/owner/repository/issues", undefined],
    ["https://docs.google.com/forms/x", "https://docs.google.com/forms/x", "listedUrl"],
    ["https://docs.google.com/forms/x", "https://docs.google.com/forms/x?usp=sharing", undefined],
    ["https://docs.google.com/forms/x", "https://docs.google.com/forms/y", undefined],
    ["https://docs.google.com/forms/x?a=1", "https://docs.google.com/forms/x?a=1", "listedUrl"],
    ["https://docs.google.com/forms/x?a=1", "https://docs.google.com/forms/x", undefined],
    ["https://google.com/", "https://docs.google.com/forms/x", undefined],
    // Content on a shared host, with any query
    ["https://sites.google.com/view/bad", "https://sites.google.com/view/bad?authuser=0", "listedUrl"],
    ["https://sites.google.com/view/bad", "https://sites.google.com/view/bad/?a=b&c", "listedUrl"],
    ["https://sites.google.com/view/bad", "https://sites.google.com/view/bad/page", undefined],
    ["https://sites.google.com/view/bad", "https://sites.google.com/view/badly", undefined],
    ["https://sites.google.com/view/bad", "https://docs.google.com/view/bad", undefined],
    ["https://drive.google.com/file/d/A/view", "https://drive.google.com/file/d/A/edit?usp=x", "listedUrl"],
    ["https://drive.google.com/file/d/A/view?usp=x", "https://drive.google.com/file/d/A", "listedUrl"],
    ["https://drive.google.com/file/d/A/view", "https://drive.google.com/file/d/B/view", undefined],
    ["https://bit.ly/3bad", "https://bit.ly/3bad?utm=1", "listedUrl"],
    ["https://bit.ly/3bad", "https://bit.ly/3bad/more?utm=1", undefined],
    ["https://bit.ly/3bad?a=1", "https://bit.ly/3bad", undefined],
    // The same parameters
    ["https://bit.ly/3bad?a=1&b=2", "https://bit.ly/3bad?b=2&a=1&fbclid=x", "listedUrl"],
    ["https://bit.ly/3bad?a=1", "https://bit.ly/3bad?a=1&c=1", undefined],
    ["https://drive.google.com/uc?id=A&export=b", "https://drive.google.com/uc?export=b&id=A", "listedUrl"],
    ["https://drive.google.com/uc?id=A&usp=x", "https://drive.google.com/uc?id=A", "listedUrl"],
    ["https://drive.google.com/uc?id=A%26b=1", "https://drive.google.com/uc?b=1&id=A", "listedUrl"],
    ["https://drive.google.com/uc?id=A", "https://drive.google.com/uc?id=B", undefined],
    // Without a known path of content
    ["https://surveygizmo.com/s3/1/bad", "https://www.surveygizmo.com/s3/1/bad?fbclid=1", "listedUrl"],
    ["https://surveygizmo.com/s3/1/bad?utm_a=x", "https://surveygizmo.com/s3/1/bad", "listedUrl"],
    ["https://surveygizmo.com/s3/1/bad", "https://surveygizmo.com/s3/1/bad?a=1", undefined],
    ["https://surveygizmo.com/login", "https://surveygizmo.com/login?fbclid=1", undefined],
    ["https://surveygizmo.com/?fbclid=1", "https://surveygizmo.com/", undefined],
    // A path that is the same for everybody
    ["https://drive.google.com/uc?usp=x", "https://drive.google.com/uc", undefined],
    ["https://drive.google.com/uc?usp=x", "https://drive.google.com/uc?usp=x", "listedUrl"],
    [
      "https://forms.office.com/Pages/ResponsePage.aspx?id=A",
      "https://forms.office.com/Pages/ResponsePage.aspx",
      undefined
    ],
    ["https://www.google.com/url", "https://www.google.com/url?q=x", undefined],
    ["https://www.google.com/url", "https://www.google.com/url?utm_a=x", undefined],
    ["https://www.facebook.com/l.php", "https://www.facebook.com/l.php?u=x", undefined],
    ["https://www.dropbox.com/login", "https://www.dropbox.com/login?cont=x", undefined],
    ["https://www.dropbox.com/login?utm_a=x", "https://www.dropbox.com/login", undefined],
    ["https://github.com/login/oauth/authorize", "https://github.com/login/oauth/authorize?id=A", undefined],
    // With `www.`, but not on another subdomain
    ["https://bit.ly/3bad", "https://www.bit.ly/3bad", "listedUrl"],
    ["https://www.bit.ly/3bad", "https://bit.ly/3bad?utm=1", "listedUrl"],
    ["https://bit.ly/3bad", "https://my.bit.ly/3bad", undefined]
  ])("%s covers %s as %s", (entry, url, kind) => {
    assert.strictEqual(kindOf(listOf([entry]), url), kind)
  })

  it("finds a listed URL however it is spelled", () => {
    const list = listOf(["https://login.evil.example/a/b.php?id=1"])
    for (const url of [
      "HTTPS://LOGIN.EVIL.EXAMPLE/a/b.php?id=1",
      "https://login.evil.example:443/a/b.php?id=1",
      "https://login.evil.example./a/b.php?id=1",
      "https://login.evil.example/x/../a/./b.php?id=1",
      "https://login.evil.example/%61/b%2Ephp?id=1",
      "https://login.evil.example/a/b.php?id=1#fragment",
      "https://user:password@login.evil.example/a/b.php?id=1",
      "  https://login.evil.example/a//b.php?id=1",
      "login.evil.example/a/b.php?id=1"
    ])
      assert.strictEqual(kindOf(list, url), "listedUrl", url)
  })

  it("reports the strongest way in which a URL is covered, with the category of that entry", () => {
    const builder = new ThreatListBuilder()
    builder.add("evil.example", "/", 4, "malware")
    builder.add("evil.example", "/a", 1, "phishing")
    builder.add("evil.example", "/b", 2, "phishing")
    const list = builder.build()
    assert.deepStrictEqual(matchOf(list, "http://evil.example/a"), {
      kind: "listedUrl",
      category: "phishing",
      needsSecondPublisher: false,
      isOtherSpelling: false,
      isCopied: false
    })
    assert.deepStrictEqual(matchOf(list, "http://evil.example/b"), {
      kind: "listedHost",
      category: "malware",
      needsSecondPublisher: false,
      isOtherSpelling: false,
      isCopied: false
    })
  })

  it("asks whether a site is popular for its root with another query too, not for a page", () => {
    const list = listOf(["https://daily.example/?id=1", "https://daily.example/page?id=1"])
    const isPopular = (url: string) => {
      const match = matchOf(list, url, (host) => host === "daily.example")
      return match?.kind === "otherPagesListed" ? undefined : match?.needsSecondPublisher
    }
    for (const url of ["https://daily.example/", "https://daily.example/?id=2", "https://sub.daily.example/"])
      assert.isTrue(isPopular(url), url)
    for (const url of [
      "https://daily.example/?id=1",
      "https://daily.example/page",
      "https://daily.example/page?id=1"
    ])
      assert.isFalse(isPopular(url), url)
  })

  it("tells another spelling of content on a shared host from the listed URL", () => {
    const list = listOf(["https://bit.ly/3bad", "https://drive.google.com/uc?id=A&export=b"])
    const isOther = (url: string) => {
      const match = matchOf(list, url)
      return match?.kind === "otherPagesListed" ? undefined : match?.isOtherSpelling
    }
    for (const url of ["https://bit.ly/3bad", "https://drive.google.com/uc?id=A&export=b"])
      assert.isFalse(isOther(url), url)
    for (const url of ["https://bit.ly/3bad?a", "https://drive.google.com/uc?export=b&id=A"])
      assert.isTrue(isOther(url), url)
  })

  it("names the more telling of two categories of one URL", () => {
    const builder = new ThreatListBuilder()
    for (const category of ["malicious", "phishing", "malware"] as const)
      builder.add("evil.example", "/a", 1, category)
    const list = builder.build()
    assert.strictEqual(matchOf(list, "http://evil.example/a")?.category, "phishing")
  })

  describe("other pages on a host", () => {
    const pages = ["http://evil.example/1", "http://evil.example/2?id=1", "http://evil.example/dir/"]
    const match = { kind: "otherPagesListed", category: "phishing", pages: 3 } as const

    it.each<[what: string, entries: ReadonlyArray<string>, url: string, expected: unknown]>([
      ["another page", pages, "http://evil.example/other", match],
      ["another page with a query", pages, "http://evil.example/other?id=1", match],
      ["the root", pages, "http://evil.example/", match],
      ["two pages", pages.slice(1), "http://evil.example/other", undefined],
      ["a subdomain", pages, "http://www.evil.example/other", undefined],
      ["a parent", pages.map((url) => url.replace("evil", "sub.evil")), "http://evil.example/", undefined],
      [
        "an address",
        pages.map((url) => url.replace("evil.example", "192.0.2.7")),
        "http://192.0.2.7/x",
        match
      ],
      [
        "a tenant",
        pages.map((url) => url.replace("evil.example", "tenant-x.weebly.com")),
        "http://tenant-x.weebly.com/x",
        match
      ],
      [
        "a shared host",
        pages.map((url) => url.replace("evil.example", "github.com")),
        "http://github.com/other",
        undefined
      ],
      [
        "duplicates",
        ["http://evil.example/1", "https://EVIL.example/1", "evil.example:80/1", ...pages.slice(1, 2)],
        "http://evil.example/other",
        undefined
      ],
      [
        "queries of one page",
        [
          "http://evil.example/1?a",
          "http://evil.example/1?b",
          "http://evil.example/1?c",
          "http://evil.example/1"
        ],
        "http://evil.example/other",
        undefined
      ],
      [
        "queries of the root",
        [...pages.slice(1), "http://evil.example/?a"],
        "http://evil.example/other",
        undefined
      ]
    ])("of %s are those of its own host", (_, entries, url, expected) => {
      assert.deepStrictEqual(matchOf(listOf(entries), url), expected)
    })

    it.each([
      ["http://evil.example/1", "listedUrl"],
      ["http://evil.example/1?a", "listedPage"],
      ["http://evil.example/dir/below", "listedDirectory"]
    ])("are no match for %s, which is a %s", (url, kind) => {
      assert.strictEqual(kindOf(listOf(pages), url), kind)
    })

    it("have the category that comes first", () => {
      const builder = new ThreatListBuilder()
      for (const [index, category] of (["malicious", "malware", "malicious"] as const).entries())
        builder.add("evil.example", `/${index}`, 3, category)
      assert.deepStrictEqual(matchOf(builder.build(), "http://evil.example/x"), {
        kind: "otherPagesListed",
        category: "malware",
        pages: 3
      })
    })

    it("are counted for thousands of hosts", () => {
      const entries = Array.from({ length: 8000 }, (_, i) => `http://h${i % 1600}.example/${i % 7}/${i}`)
      const list = listOf([...entries, ...entries.slice(0, 3600)])
      for (let host = 0; host < 1600; host++)
        assert.deepStrictEqual(matchOf(list, `http://h${host}.example/`), { ...match, pages: 5 })
      for (let host = 1600; host < 8000; host++) assert.isUndefined(matchOf(list, `http://h${host}.example/`))
    })
  })

  it("finds hosts and paths of any length", () => {
    const host = `${"long".repeat(15)}.${"long".repeat(15)}.evil.example`
    const path = `/${"directory/".repeat(200)}page`
    const list = listOf([`http://${host}${path}`, `http://${host}/${"directory/".repeat(20)}`])
    assert.strictEqual(kindOf(list, `http://${host}${path}`), "listedUrl")
    assert.strictEqual(kindOf(list, `http://www.${host}${path}?x`), "listedDirectory")
    assert.strictEqual(kindOf(list, `http://${host}/${"directory/".repeat(21)}`), "listedDirectory")
    assert.isUndefined(kindOf(list, `http://${host}/directory/page`))
  })

  it("counts distinct URLs, whatever their spelling", () => {
    const list = listOf([
      "http://a.example/",
      "a.example",
      "HTTPS://A.example:443/#top",
      "http://a.example/x?1",
      "http://a.example/x?2",
      "http://a.example/x?2"
    ])
    assert.deepInclude(list.header, { entries: 3, entriesInDocument: 3, hosts: 1, records: 4 })
  })

  it("finds whatever was put in, and nothing else", () => {
    const entries = Array.from(
      { length: 5000 },
      (_, i) => `http://h${i % 3000}.example/p${i}${i % 2 === 0 ? "" : `?q=${i}`}`
    )
    const list = listOf(entries)
    for (const entry of entries) assert.strictEqual(kindOf(list, entry), "listedUrl", entry)
    for (let i = 0; i < 25_000; i++) assert.isUndefined(kindOf(list, `http://other${i}.example/p${i}`))
    assert.isAtMost(list.bytes.byteLength, 3000 * 16 + 7500 * 9 + 32)
  })

  it("matches digests with all of their bits", () => {
    const url = "http://evil.example/login"
    const flips = [1, 0x80000000].flatMap((bit) =>
      (["hosts", "paths"] as const).flatMap((section) => [0, 1].map((word) => ({ bit, section, word })))
    )
    for (const { bit, section, word } of flips) {
      const list = listOf([url])
      assert.strictEqual(kindOf(list, url), "listedUrl")
      const words = list.sections[section]
      words[word] = (words[word] ?? 0) ^ bit
      assert.isUndefined(kindOf(list, url), `bit ${bit} of word ${word} of ${section}`)
    }
  })

  it("has the hosts of its entries, without their subdomains", () => {
    const list = listOf(["b.example", "a.example/x", "b.example"])
    assert.deepInclude(list.header, { hosts: 2, records: 2, entries: 2, entriesInDocument: 2 })
    assert.deepStrictEqual(
      ["a.example", "b.example", "c.example", "sub.a.example"].map((host) => list.hasHost(host)),
      [true, true, false, false]
    )
  })

  it("finds every URL below the entries that cover it", () => {
    const label = FastCheck.stringMatching(/^[a-z0-9]{1,8}$/)
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(label, { minLength: 1, maxLength: 6 }),
        FastCheck.array(label, { maxLength: 6 }),
        FastCheck.nat(6),
        FastCheck.nat(6),
        (labels, directories, ownLabels, ownDirectories) => {
          const url = `http://${[...labels, "evil.example"].join(".")}/${directories.map((name) => `${name}/`).join("")}page`
          const entry = `${[...labels.slice(Math.min(ownLabels, labels.length)), "evil.example"].join(".")}/${directories
            .slice(0, ownDirectories)
            .map((name) => `${name}/`)
            .join("")}`
          const isRoot = ownDirectories === 0 || directories.length === 0
          assert.strictEqual(kindOf(listOf([entry]), url), isRoot ? "listedHost" : "listedDirectory")
        }
      ),
      { numRuns: 200 }
    )
  })
})
