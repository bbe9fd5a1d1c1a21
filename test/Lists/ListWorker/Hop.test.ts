import { assert, describe, it } from "@effect/vitest"
import { firstHop, type Hop, nextHop } from "../../../src/Lists/ListWorker/Download.ts"

/** The hop to which a chain of addresses leads; undefined when one of them is refused. */
const chain = (start: string, ...locations: ReadonlyArray<string>): Hop | undefined =>
  locations.reduce<Hop | undefined>(
    (hop, location) => hop && nextHop(hop, location),
    firstHop(new URL(start))
  )

describe("Hop", () => {
  it.each<[from: string, ...to: ReadonlyArray<string>]>([
    ["https://a.example/", "http://a.example/"],
    ["https://a.example/", "https://b.example/", "http://b.example/"],
    ["http://a.example/", "http://a.example/other"],
    ["http://a.example/", "http://127.0.0.1/"],
    ["https://a.example/", "https://127.0.0.1/"],
    ["https://a.example/", "https://10.0.0.1/"],
    ["https://a.example/", "https://0x7f.1/"],
    ["https://a.example/", "https://169.254.169.254/latest/meta-data/"],
    ["https://a.example/", "https://192.0.2.1/"],
    ["https://a.example/", "https://[::1]/"],
    ["https://a.example/", "https://[::ffff:10.0.0.1]/"],
    ["https://a.example/", "https://[fd00::1]/"],
    ["https://a.example/", "https://localhost/"],
    ["https://a.example/", "https://intranet/"],
    ["https://a.example/", "https://db.internal/"],
    ["https://a.example/", "ftp://b.example/"],
    ["https://a.example/", "file:///etc/passwd"],
    ["http://127.0.0.1/", "file:///etc/passwd"],
    ["http://127.0.0.1/", "http://127.0.0.1/other", "file:/etc/passwd"],
    ["https://a.example/", "data:text/plain,x"],
    ["https://a.example/", "https://"],
    ["https://127.0.0.1/", "http://127.0.0.1/"],
    // Once outside there is no way back in.
    ["http://127.0.0.1/", "https://a.example/", "https://127.0.0.1/"],
    ["http://127.0.0.1/", "http://a.example/", "http://a.example/other"]
  ])("does not lead from %s to %s %s", (...addresses) => {
    assert.isUndefined(chain(...addresses))
  })

  it.each<[from: string, ...to: ReadonlyArray<string>]>([
    ["https://a.example/", "https://b.example/"],
    ["https://a.example/", "https://8.8.8.8/"],
    ["http://a.example/", "https://a.example/"],
    ["http://127.0.0.1:8080/", "http://127.0.0.1:8081/"],
    ["http://mirror.internal/", "http://10.0.0.1/"],
    ["http://feeds/", "https://cdn.example/"],
    ["http://feeds/", "http://cdn.example/"],
    ["https://10.0.0.1/", "https://10.0.0.2/", "https://[fd00::1]/"]
  ])("leads from %s to %s %s", (...addresses) => {
    const hop = chain(...addresses)
    assert.strictEqual(hop?.url.href, addresses.at(-1))
    assert.strictEqual(hop?.redirects, addresses.length - 1)
  })

  it("resolves a relative address", () => {
    assert.strictEqual(chain("https://a.example/b/c?d", "../e?f")?.url.href, "https://a.example/e?f")
  })

  it("is at home within the origin only, and not again after it was left", () => {
    const isSameOrigin = (...addresses: [string, ...ReadonlyArray<string>]) =>
      chain(...addresses)?.isSameOrigin
    assert.isTrue(isSameOrigin("https://a.example/"))
    assert.isTrue(isSameOrigin("https://a.example/", "/b", "/c"))
    assert.isFalse(isSameOrigin("https://a.example/", "https://b.example/"))
    assert.isFalse(isSameOrigin("https://a.example/", "https://a.example:8443/"))
    assert.isFalse(isSameOrigin("http://a.example/", "https://a.example/"))
    assert.isFalse(isSameOrigin("https://a.example/", "https://b.example/", "https://a.example/"))
    assert.isFalse(isSameOrigin("https://a.example/", "https://b.example/", "/c"))
  })

  it("lets a name resolve to a private address only for the configured address or from a private network", () => {
    const allowsPrivateAddress = (...addresses: [string, ...ReadonlyArray<string>]) =>
      chain(...addresses)?.allowsPrivateAddress
    assert.isTrue(allowsPrivateAddress("https://a.example/"))
    assert.isFalse(allowsPrivateAddress("https://a.example/", "/b"))
    assert.isTrue(allowsPrivateAddress("http://mirror/", "https://b.example/"))
    assert.isFalse(allowsPrivateAddress("http://mirror/", "https://b.example/", "https://c.example/"))
  })
})
