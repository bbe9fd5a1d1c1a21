import { assert, describe, it } from "@effect/vitest"
import { redirected } from "../../../src/Lists/ListWorker/Download.ts"
import { addresses } from "../../fixtures/Addresses.ts"

/** The URL to which a chain of addresses leads; undefined when one of them is refused. */
const chain = (start: string, ...locations: ReadonlyArray<string>): URL | undefined =>
  locations.reduce<URL | undefined>((url, location) => url && redirected(url, location), new URL(start))

/** From a public host to each of these addresses. */
const toEach = (addresses: ReadonlyArray<string>) =>
  addresses.map((address): [from: string, to: string] => [
    "https://a.example/",
    new URL(`https://${address.includes(":") ? `[${address}]` : address}/`).href
  ])

describe("a redirect", () => {
  it.each<[from: string, ...to: ReadonlyArray<string>]>([
    ["https://a.example/", "http://a.example/"],
    ["https://a.example/", "https://b.example/", "http://b.example/"],
    ["http://a.example/", "http://a.example/other"],
    ["http://a.example/", "http://127.0.0.1/"],
    ...toEach([...addresses.private, ...addresses.neither]),
    ["https://a.example/", "https://0x7f.1/"],
    ["https://a.example/", "https://[::ffff:10.0.0.1]/"],
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
    ...toEach(addresses.public),
    ["http://a.example/", "https://a.example/"],
    ["http://127.0.0.1:8080/", "http://127.0.0.1:8081/"],
    ["http://mirror.internal/", "http://10.0.0.1/"],
    ["http://feeds/", "https://cdn.example/"],
    ["http://feeds/", "http://cdn.example/"],
    ["https://10.0.0.1/", "https://10.0.0.2/", "https://[fd00::1]/"]
  ])("leads from %s to %s %s", (...addresses) => {
    assert.strictEqual(chain(...addresses)?.href, addresses.at(-1))
  })

  it("resolves a relative address", () => {
    assert.strictEqual(chain("https://a.example/b/c?d", "../e?f")?.href, "https://a.example/e?f")
  })
})
