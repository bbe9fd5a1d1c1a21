import { assert, describe, it } from "@effect/vitest"
import { Exit } from "effect"
import { CorpusError } from "../../../training/Corpus/CorpusFolder.ts"
import type { GateResult } from "../../../training/Evaluation/Gate.ts"
import { exitCodeOf } from "../../../training/Evaluation/Gate.ts"

const result = (verdict: GateResult["verdict"]): GateResult => ({
  verdict,
  reasons: [],
  after: "",
  newest: "",
  phishing: 0,
  benign: 0,
  matchedPairs: 0,
  comparisons: [],
  logins: { pages: 0, alarms: [], currentAlarms: 0 }
})

const error = (reason: CorpusError["reason"]) =>
  Exit.fail(new CorpusError({ reason, path: "folder", code: "" }))

describe("the exit status of the gate", () => {
  it.each([
    ["that passes", Exit.succeed(result("pass")), 0],
    ["that finds worse weights", Exit.succeed(result("worse")), 1],
    ["that has too few rows to compare", Exit.succeed(result("undecided")), 2],
    ["that has no rows to learn from", error("NoRows"), 2],
    ["that has no dates", error("NoDates"), 2],
    ["whose corpus cannot be read, which is not the same as too few rows", error("Unreadable"), 3],
    ["with a defect, which says nothing about the weights", Exit.die(new Error("a defect")), 3]
  ] as const)("of one %s", (_, exit, code) => {
    assert.strictEqual(exitCodeOf(exit), code)
  })
})
