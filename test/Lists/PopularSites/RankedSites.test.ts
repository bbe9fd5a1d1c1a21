import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as RankedSites from "../../../src/Lists/PopularSites/RankedSites.ts"

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
