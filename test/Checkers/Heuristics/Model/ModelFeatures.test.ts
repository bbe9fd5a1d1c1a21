import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as LetterRuns from "../../../../src/Checkers/Heuristics/Model/LetterRuns.ts"
import * as ModelFeatures from "../../../../src/Checkers/Heuristics/Model/ModelFeatures.ts"
import * as ModelText from "../../../../src/Checkers/Heuristics/Model/ModelText.ts"
import * as UrlFacts from "../../../../src/Checkers/Heuristics/UrlFacts.ts"
import * as CanonicalUrl from "../../../../src/Url/CanonicalUrl.ts"

/** The features of a URL by their names, with a cost of one bit for every three symbols. */
const featuresOf = (text: string) => {
  const facts = UrlFacts.factsOf(Either.getOrThrow(CanonicalUrl.parse(text)))
  const costs = new Uint8Array(LetterRuns.TABLE_SIZE).fill(16)
  const row = new Float32Array(ModelFeatures.COUNT)
  ModelFeatures.fill(facts, ModelText.hostTextOf(facts.host), ModelText.pathTextOf(facts.url), costs, row)
  return Object.fromEntries(ModelFeatures.names.map((name, index) => [name, row[index]]))
}

describe("the features of a host", () => {
  it("count characters of its name, and of the part before the suffix", () => {
    assert.deepInclude(featuresOf("https://a1-b.shop22-xkq.example:8080/"), {
      hostLength: 23,
      labels: 2,
      nameLength: 10,
      nameDigits: 2,
      nameHyphens: 1,
      chosenDigits: 3,
      chosenHyphens: 2,
      chosenWords: 4,
      digitRuns: 2,
      longestRunWithoutVowel: 3,
      nameCost: 1,
      dearestLabelCost: 1,
      subdomainCost: 1,
      subdomainLength: 5,
      suffixLength: 7,
      isAddress: 0,
      publisher: 0,
      hasPort: 1
    })
    assert.strictEqual(featuresOf("https://garden.example:443/").hasPort, 0)
    assert.deepInclude(featuresOf("https://203.0.113.7/"), { labels: 1, chosenWords: 1, isAddress: 1 })
  })

  it("say who publishes on it", () => {
    for (const [host, publisher] of [
      ["garden.example", 0],
      ["garden.pages.dev", 2],
      ["garden.duckdns.org", 3]
    ] as const)
      assert.strictEqual(featuresOf(`https://${host}/`).publisher, publisher)
  })
})

describe("the features of a path", () => {
  it("count characters and segments", () => {
    assert.deepInclude(featuresOf("https://garden.example/aB/2024-c.d/%FF1/?a=b&c=12=345&d"), {
      pathLength: 18,
      depth: 3,
      longestSegment: 8,
      lastSegment: 4,
      pathDigits: 5,
      pathUppers: 3,
      pathHyphens: 1,
      pathDots: 1,
      pathEscapes: 1,
      longestDigitRun: 4,
      pathCost: 1,
      endsInSlash: 1,
      queryLength: 15,
      queryParameters: 3,
      longestValue: 3,
      hasAddressInRest: 0
    })
    assert.deepInclude(featuresOf("https://garden.example/"), {
      depth: 0,
      queryParameters: 0,
      endsInSlash: 0
    })
  })

  it.each([
    ["/a", 0],
    ["/a.b/c", 0],
    ["/a.htm", 2],
    ["/a.PHP", 3],
    ["/a.shtml", 7],
    ["/a.config", 0]
  ])("%s has the extension %i", (path, expected) => {
    assert.strictEqual(featuresOf(`https://garden.example${path}`).extension, expected)
  })
})
