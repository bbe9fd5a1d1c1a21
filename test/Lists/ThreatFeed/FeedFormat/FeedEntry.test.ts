import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as FeedEntry from "../../../../src/Lists/ThreatFeed/FeedFormat/FeedEntry.ts"
import { BELOW, CONTENT, DIRECTORY, EXACT, PAGE } from "../../../../src/Lists/ThreatList/ListRecord.ts"

/** `host path coverage`, one for each expression, or why there is none. */
const shown = (text: string): string | ReadonlyArray<string> => {
  const entry = FeedEntry.parse(text)
  return typeof entry === "string"
    ? entry
    : entry.map(({ host, path, coverage }) => `${host} ${path} ${coverage}`)
}

const url = EXACT | PAGE

const CID = "bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"

describe("FeedEntry", () => {
  it.each<[text: string, entry: string | ReadonlyArray<string>]>([
    ["http://evil.example/login", [`evil.example /login ${url}`]],
    ["https://evil.example/dir/", [`evil.example /dir/ ${DIRECTORY}`]],
    ["https://evil.example/", [`evil.example / ${DIRECTORY}`]],
    ["https://evil.example", [`evil.example / ${DIRECTORY}`]],
    ["https://evil.example/a?b=1", [`evil.example /a?b=1 ${EXACT}`, `evil.example /a ${PAGE}`]],
    ["https://evil.example/?", [`evil.example / ${DIRECTORY}`]],
    ["https://evil.example/a#b", [`evil.example /a ${url}`]],
    // Without a scheme
    ["evil.example", [`evil.example / ${DIRECTORY}`]],
    ["evil.example/a", [`evil.example /a ${url}`]],
    ["evil.example:8080/a", [`evil.example /a ${url}`]],
    ["192.0.2.7", [`192.0.2.7 / ${DIRECTORY}`]],
    ["192.0.2.7:8080", [`192.0.2.7 / ${DIRECTORY}`]],
    // Defanged
    ["hxxp://evil[.]example/a", [`evil.example /a ${url}`]],
    [
      "hXXps://login[.]evil[.]example/a[.]b?c[.]d",
      [`login.evil.example /a.b?c.d ${EXACT}`, `login.evil.example /a.b ${PAGE}`]
    ],
    ["evil[.]example", [`evil.example / ${DIRECTORY}`]],
    ["hxxps[:]//evil(dot)example/a", [`evil.example /a ${url}`]],
    ["hxxp.example", [`hxxp.example / ${DIRECTORY}`]],
    // With a prefix
    ["<URL:https://evil.example/a>", [`evil.example /a ${url}`]],
    ["intent://evil.example/a#Intent;scheme=https;end", [`evil.example /a ${url}`]],
    ["http://[2001:db8::1]/a", [`[2001:db8::1] /a ${url}`]],
    // At an IPFS gateway
    [
      `https://${CID}.ipfs.dweb.link/a?b`,
      [
        `${CID}.ipfs.dweb.link /a?b ${EXACT}`,
        `${CID}.ipfs.dweb.link /a ${PAGE}`,
        `${CID}.ipfs /a?b ${CONTENT}`,
        `${CID}.ipfs /a ${PAGE}`
      ]
    ],
    [`ipfs.io/ipfs/${CID}`, [`ipfs.io /ipfs/${CID} ${EXACT}`, `${CID}.ipfs / ${CONTENT | PAGE | BELOW}`]],
    // On hosts that many share
    ["https://docs.google.com/forms/x", [`docs.google.com /forms/x ${EXACT}`]],
    ["https://docs.google.com/forms/x/", [`docs.google.com /forms/x/ ${EXACT}`]],
    ["https://docs.google.com/forms/x?a", [`docs.google.com /forms/x?a ${EXACT | CONTENT}`]],
    ["https://github.com/?a", [`github.com /?a ${EXACT | CONTENT}`]],
    ["https://github.com/?utm_source=a", [`github.com /?utm_source=a ${EXACT}`]],
    ["https://bit.ly/3bad", [`bit.ly /3bad ${EXACT | CONTENT}`]],
    ["https://bit.ly/3bad/", [`bit.ly /3bad/ ${EXACT}`, `bit.ly /3bad ${CONTENT}`]],
    ["https://www.bit.ly/3bad", [`www.bit.ly /3bad ${EXACT | CONTENT}`, `bit.ly /3bad ${CONTENT}`]],
    [
      "https://drive.google.com/file/d/1/view?usp=sharing",
      [`drive.google.com /file/d/1/view?usp=sharing ${EXACT}`, `drive.google.com /file/d/1 ${CONTENT}`]
    ],
    [
      "https://drive.google.com/open?usp=x&id=1",
      [`drive.google.com /open?usp=x&id=1 ${EXACT}`, `drive.google.com /open?id=1 ${CONTENT}`]
    ],
    ["https://github.com/", "SharedHost"],
    ["https://github.com/?", "SharedHost"],
    ["github.com", "SharedHost"],
    ["vercel.app", "SharedHost"],
    ["https://tenant-x.vercel.app/", [`tenant-x.vercel.app / ${DIRECTORY}`]],
    // By a wildcard rule of the Public Suffix List: a tenant, and a region of many
    ["tenant-x.localto.net", [`tenant-x.localto.net / ${DIRECTORY}`]],
    ["http://tenant-x.localto.net/a", [`tenant-x.localto.net /a ${url}`]],
    ["https://ams3.digitaloceanspaces.com/", "SharedHost"],
    [
      "https://ams3.digitaloceanspaces.com/bucket-x/a",
      [`ams3.digitaloceanspaces.com /bucket-x/a ${EXACT | CONTENT}`]
    ],
    // A wrapper's own address, which every link through it has, and its page without a destination
    ["urldefense.com", "SharedHost"],
    ["https://urldefense.com/", "SharedHost"],
    ["nam12.safelinks.protection.outlook.com", "SharedHost"],
    ["https://link.edgepilot.com/?", "SharedHost"],
    // Above the hosts of wrappers
    ["outlook.com", "SharedHost"],
    ["https://protection.outlook.com/", "SharedHost"],
    ["cudasvc.com", "SharedHost"],
    ["facebook.com", "SharedHost"],
    ["https://cudasvc.com/login", [`cudasvc.com /login ${url}`]],
    ["www.cudasvc.com", [`www.cudasvc.com / ${DIRECTORY}`]],
    ["https://link.edgepilot.com/?data=x", [`link.edgepilot.com /?data=x ${EXACT}`]],
    ["https://urldefense.com/v3/", [`urldefense.com /v3/ ${EXACT}`]],
    ["https://urldefense.com/about", [`urldefense.com /about ${url}`]],
    // The host names the site that it shows
    [
      "evil-example.translate.goog",
      [`evil-example.translate.goog / ${EXACT}`, `evil.example / ${DIRECTORY}`]
    ],
    // No URL
    ["not a url", "Not a URL or host"],
    ["2001:db8::1]", "Not a URL or host"],
    ["phish_id,url,phish_detail_url", "Not a URL or host"],
    ['"http://evil.example/"zz', "Not a URL or host"],
    ["||evil.example^", "Not a URL or host"],
    ["mailto:someone@evil.example", "Not a URL or host"],
    ["<html>", "Not a URL or host"],
    // In quotes, as in a script or an error message
    ['"https://help.example/a"', "Not a URL or host"],
    ["'https://help.example/a',", "Not a URL or host"],
    ["`https://help.example/a`", "Not a URL or host"],
    ["\u201chttps://help.example/a\u201d", "Not a URL or host"],
    ["\u2019https://help.example/a\u2019", "Not a URL or host"],
    ["\u00abhelp.example\u00bb", "Not a URL or host"],
    ["\u300chelp.example\u300d", "Not a URL or host"],
    ['\u200b"https://help.example/a"', "Not a URL or host"],
    ['url:"https://help.example/a"', "Not a URL or host"],
    ["<'https://help.example/a'>", "Not a URL or host"],
    ["https://evil.example/'a'", [`evil.example /'a' ${url}`]]
  ])("reads %s as %j", (text, entry) => {
    assert.deepStrictEqual(shown(text), entry)
  })

  it("is found for any text, without throwing", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(FastCheck.string(), FastCheck.webUrl()), (text) => {
        const entry = FeedEntry.parse(text)
        const expressions = typeof entry === "string" ? [] : entry
        for (const { path } of expressions) assert.isTrue(path.startsWith("/"), text)
      }),
      { numRuns: 1000 }
    )
  })
})

describe("the site of a row of a ranking", () => {
  it.each<[row: string, site: string]>([
    ["daily.example", "daily.example"],
    ["news.daily.example", "daily.example"],
    ["Daily.Example", "daily.example"],
    ["policies.daily.co.uk", "daily.co.uk"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    // A firm whose subdomains are its customers'
    ["freshdesk.com", "freshdesk.com"]
  ])("%s is %s", (row, site) => {
    assert.deepStrictEqual(FeedEntry.parseRanked(row), [{ host: site, path: "/", coverage: EXACT }])
  })

  it.each([
    ["a shared name", "google.com"],
    ["a host on a shared name", "policies.google.com"],
    ["a search engine in a country", "www.google.pl"],
    ["a platform of tenants", "weebly.com"],
    ["a tenant", "tenant.weebly.com"],
    ["a public suffix", "co.uk"],
    ["a public suffix of customers", "github.io"],
    ["a customer under one", "tenant.github.io"],
    ["a free host in the table", "infura-ipfs.io"],
    ["a dynamic name in the table", "dyndns.com"],
    ["an IPv4 address", "192.0.2.1"],
    ["a single label", "localhost"]
  ])("%s is left out", (_, row) => {
    assert.strictEqual(FeedEntry.parseRanked(row), "SharedHost")
  })

  it.each(["", "a b", "http://"])("%j is unreadable", (row) => {
    assert.strictEqual(FeedEntry.parseRanked(row), "Not a URL or host")
  })
})
