import { assert, describe, it } from "@effect/vitest"
import * as Hosting from "../../../../src/Checkers/Heuristics/Host/Hosting.ts"

describe("a hosting firm", () => {
  const tenant = (host: string) => Hosting.hostingFirmOf(host)?.tenant

  it("has a tenant for each host", () => {
    assert.strictEqual(tenant("someone.github.io"), "someone.github.io")
    assert.strictEqual(tenant("deep.down.someone.github.io"), "someone.github.io")
    assert.strictEqual(Hosting.hostingFirmOf("nas.duckdns.org")?.kind, "dynamicDns")
  })

  it("has one tenant if its customers differ by path", () => {
    assert.strictEqual(tenant("sites.google.com"), "sites.google.com")
  })

  it.each(["weebly.com", "www.weebly.com", "support.webflow.io", "notweebly.com", "example.com"])(
    "is none for %s",
    (host) => {
      assert.isUndefined(Hosting.hostingFirmOf(host))
    }
  )
})
