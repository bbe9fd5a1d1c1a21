import { Cause, type Exit, Option } from "effect"
import { CorpusError } from "../Corpus/CorpusFolder.ts"
import type { GateResult } from "./Gate.ts"

/** Of `npm run evaluate -- --gate`. The workflow goes on with 0, ends in order with 2, and fails with the others. */
export const exitCodes = { pass: 0, worse: 1, undecided: 2, failed: 3 } as const

const isTooSmall = (error: unknown): boolean =>
  error instanceof CorpusError && (error.reason === "NoRows" || error.reason === "NoDates")

/** The exit status of a gate, which has failed if there is a defect or if a file cannot be read. */
export const exitCodeOf = (exit: Exit.Exit<GateResult, unknown>): number => {
  if (exit._tag === "Success") return exitCodes[exit.value.verdict]
  return Option.exists(Cause.failureOption(exit.cause), isTooSmall) ? exitCodes.undecided : exitCodes.failed
}
