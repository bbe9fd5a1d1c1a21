import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { loadedHosts } from "../../../src/Lists/PopularSites/LoadedHosts.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"
import * as SharedHost from "../../../src/Url/SharedHost.ts"

describe("the hosts that other sites load from", () => {
  it("are at most 50", () => {
    assert.isAtMost(loadedHosts.size, 50)
    assert.include([...loadedHosts], "fonts.googleapis.com")
  })

  it.each([...loadedHosts])("%s is canonical and no shared host", (host) => {
    const url = Either.getOrThrow(CanonicalUrl.parse(host))
    assert.strictEqual(url.host, host)
    assert.isFalse(SharedHost.isShared(host))
  })
})
