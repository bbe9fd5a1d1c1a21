import { assert, describe, it } from "@effect/vitest"
import { urlsOf } from "../../../src/Http/Checks/RequestedUrls.ts"

describe("urlsOf", () => {
  it("returns the urls of a list that is not too long, and reads none of a longer one", () => {
    let read = 0
    const urls = Object.defineProperty(["", "b", "c"], 0, {
      get: () => {
        read++
        return "a"
      }
    })
    assert.isUndefined(urlsOf({ urls }, 2))
    assert.strictEqual(read, 0)
    assert.strictEqual(urlsOf({ urls }, 3), urls)
  })
})
