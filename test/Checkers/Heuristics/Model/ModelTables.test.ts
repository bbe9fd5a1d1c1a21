import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as HostFacts from "../../../../src/Checkers/Heuristics/HostFacts.ts"
import * as ModelTables from "../../../../src/Checkers/Heuristics/Model/ModelTables.ts"
import * as ModelText from "../../../../src/Checkers/Heuristics/Model/ModelText.ts"
import * as CanonicalUrl from "../../../../src/Url/CanonicalUrl.ts"

/** The buckets of a URL in each table. */
const bucketsOf = (url: string) => {
  const parsed = Either.getOrThrow(CanonicalUrl.parse(url))
  const host = ModelText.hostTextOf(HostFacts.factsOf(parsed.host))
  const path = ModelText.pathTextOf(parsed)
  const [ofUrl, ofHost, ofPath] = ModelTables.bucketsOf(host, path)
  return { ofUrl, ofHost, ofPath }
}

describe("the tables of n-grams", () => {
  it("read digits as they are in the table of hosts, and any digit as a zero in the others", () => {
    const one = bucketsOf("https://shop1.example/a1")
    const two = bucketsOf("https://shop2.example/a2")
    assert.notDeepEqual(one.ofHost, two.ofHost)
    assert.deepStrictEqual(one.ofUrl, two.ofUrl)
    assert.deepStrictEqual(one.ofPath, two.ofPath)
  })

  it("read upper case as lower case in the table of paths", () => {
    assert.deepStrictEqual(
      bucketsOf("https://shop.example/aB").ofPath,
      bucketsOf("https://shop.example/Ab").ofPath
    )
  })
})
