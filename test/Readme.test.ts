import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "acorn"
import { Schema } from "effect"
import * as Heuristics from "../src/Checkers/Heuristics.ts"
import { ScanResult } from "../src/Http/Api/ScanResult.ts"
import * as Submission from "../src/Url/Submission.ts"
import { judged } from "./fixtures/Findings.ts"
import { exampleOf } from "./fixtures/OpenApiDocument.ts"
import { model } from "./fixtures/SmallModel.ts"

/** The response of a service without lists, except for the times. Which words the shipped weights quote may change. */
const answer = (url: string) => {
  return { url, ...judged(Heuristics.findings(model, Submission.read(url, 0))) }
}

const decode = Schema.decodeUnknownSync(ScanResult)

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

/** The model's sentence, which quotes pieces that the shipped weights choose: the small model of the tests may choose others. */
const isOfModel = (reason: string): boolean => reason.includes("typical of reported phishing")

describe("the example response", () => {
  it.each([
    ["README.md", JSON.parse(/^```json\n(.*?)^```/ms.exec(readme)?.[1] ?? "null")],
    ["/openapi.json", exampleOf("ScanResult")]
  ])("in %s is what the service responds", (_, shown) => {
    const { executionTimeMs: _times, score, ...rest } = { ...decode(shown) }
    const { score: scoreOfSmallModel, ...expected } = answer(rest.url)
    // By the weights, which a training changes.
    assert.isAtLeast(Math.min(score, scoreOfSmallModel), 70)
    const withoutPieces = (reasons: ReadonlyArray<string>) =>
      reasons.map((reason) => (isOfModel(reason) ? "the model" : reason))
    assert.deepStrictEqual(
      { ...rest, reasons: withoutPieces(rest.reasons) },
      { ...expected, reasons: withoutPieces(expected.reasons) }
    )
  })

  it("has the same score in README.md, in /openapi.json and in docs/reasons.md", () => {
    const { score } = decode(exampleOf("ScanResult"))
    assert.include(readme, `"score": ${score},\n`)
    const reasons = readFileSync(new URL("../docs/reasons.md", import.meta.url), "utf8")
    assert.include(reasons, `the score is ${score}.`)
  })
})

const MAX_PICTURE_BYTES = 200_000

/** The code blocks of a language. */
const blocks = (language: string) =>
  Array.from(readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms")), ([, code = ""]) => code)

describe("README.md", () => {
  it("has the two commands that set it up, run it and run its tests", () => {
    assert.include(blocks("sh")[0], "npm ci && npm start ")
    assert.include(blocks("sh")[0], "npm ci && npm test ")
  })

  it("has an example in JavaScript that is a module", () => {
    const examples = blocks("js")
    assert.lengthOf(examples, 1)
    for (const code of examples) parse(code, { ecmaVersion: 2022, sourceType: "module" })
  })

  it("sends the same URL in each example", () => {
    const [example] = blocks("sh").filter((code) => code.startsWith("curl"))
    const url = /\{"url":"([^"]+)"\}/.exec(example ?? "")?.[1] ?? "no URL"
    for (const code of [...blocks("js"), ...blocks("python")]) assert.include(code, `"${url}"`)
    assert.include(readme, `url-threat-scoring check ${url}`)
  })

  it("shows pictures of at most 200 KB", () => {
    const folder = join(import.meta.dirname, "../docs/images")
    const sizes = existsSync(folder)
      ? readdirSync(folder).map((name) => statSync(join(folder, name)).size)
      : []
    for (const bytes of sizes) assert.isAtMost(bytes, MAX_PICTURE_BYTES)
  })
})
