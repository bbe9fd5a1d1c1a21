import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import * as ModelFile from "../src/Checkers/Heuristics/Model/ModelFile.ts"
import * as Heuristics from "../src/Checkers/Heuristics.ts"
import * as Submission from "../src/Checkers/Submission.ts"
import { responses } from "../src/Http/OpenApi/Responses.ts"
import { ScanResult } from "../src/Http/ScanResult.ts"
import { judged } from "./fixtures/Findings.ts"

const model = Either.getOrThrow(ModelFile.decode(readFileSync(ModelFile.shippedFile), "model.bin"))

/** The response of a service without lists, except for the times. */
const answer = (url: string) => {
  return { url, ...judged(Heuristics.findings(model, Submission.read(url, 0))) }
}

const decode = Schema.decodeUnknownSync(ScanResult)

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

describe("the example response", () => {
  it.each([
    ["README.md", JSON.parse(/^\{"url":.*$/m.exec(readme)?.[0] ?? "null")],
    ["/openapi.json", responses.check?.[200]?.examples.phishing]
  ])("in %s is what the service responds", (_, shown) => {
    const { executionTimeMs: _times, ...rest } = { ...decode(shown) }
    assert.deepStrictEqual(rest, answer(rest.url))
  })

  it("in README.md has the length of its content-length", () => {
    const [, length, body = ""] = /^content-length: (\d+)$[\s\S]*?^(\{"url":.*)$/m.exec(readme) ?? []
    assert.strictEqual(Buffer.byteLength(body), Number(length))
  })
})
