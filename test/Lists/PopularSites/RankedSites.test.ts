import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as RankedSites from "../../../src/Lists/PopularSites/RankedSites.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"
import * as SharedHost from "../../../src/Url/SharedHost.ts"

describe("the site of a row", () => {
  it.each<[row: string, site: string]>([
    ["daily.example", "daily.example"],
    ["news.daily.example", "daily.example"],
    ["Daily.Example", "daily.example"],
    ["policies.daily.co.uk", "daily.co.uk"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    // A firm whose subdomains are its customers'
    ["freshdesk.com", "freshdesk.com"]
  ])("%s is %s", (row, site) => {
    assert.deepStrictEqual(RankedSites.siteOf(row), Either.right(site))
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
    assert.deepStrictEqual(RankedSites.siteOf(row), Either.left("Excluded"))
  })

  it.each(["", "a b", "http://"])("%j is unreadable", (row) => {
    assert.deepStrictEqual(RankedSites.siteOf(row), Either.left("Unreadable"))
  })
})

describe("the hosts that other sites load from", () => {
  it("are at most 50", () => {
    assert.isAtMost(RankedSites.loadedHosts.size, 50)
    assert.include([...RankedSites.loadedHosts], "fonts.googleapis.com")
  })

  it.each([...RankedSites.loadedHosts])("%s is canonical and no shared host", (host) => {
    const url = Either.getOrThrow(CanonicalUrl.parse(host))
    assert.strictEqual(url.host, host)
    assert.isFalse(SharedHost.isShared(host))
  })
})
