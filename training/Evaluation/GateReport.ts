import type { GateResult } from "./Gate.ts"
import type { Comparison } from "./PairedComparison.ts"

const headings: Readonly<Record<GateResult["verdict"], string>> = {
  pass: "No measure is worse than with the current weights.",
  worse: "**Worse than the current weights:**",
  undecided: "**Not decided, because there are too few rows:**"
}

const DIGITS = 4

const number = (value: number): string => value.toFixed(DIGITS)
const signed = (value: number): string => `${value < 0 ? "" : "+"}${number(value)}`

const row = ({ measure, current, candidate, low, high, isWorse }: Comparison): string =>
  `| ${measure} | ${number(current)} | ${number(candidate)} | ${signed(candidate - current)} (${signed(low)} to ${signed(high)}) | ${isWorse ? "worse" : ""} |`

const table = ({ comparisons }: GateResult): ReadonlyArray<string> =>
  comparisons.length === 0
    ? []
    : [
        "| measure | current weights | learned without the last month | difference (95 % interval) | |",
        "| --- | --- | --- | --- | --- |",
        ...comparisons.map(row),
        ""
      ]

const loginLine = ({ pages, alarms, currentAlarms }: GateResult["logins"]): string =>
  `Of ${pages} login pages that neither has learned from, ${alarms.length} have a score of 70 or more (with the current weights ${currentAlarms}).`

/** The result in Markdown: the text of the pull request, and a section of the model card. `trainedOn` is of the current weights. */
export const markdown = (result: GateResult, trainedOn: string): string => {
  const { verdict, reasons, after, newest, phishing, benign, matchedPairs, logins } = result
  return [
    `Weights learned from rows up to ${newest}. For this comparison they were learned without the rows after ${after}.`,
    "",
    headings[verdict],
    "",
    ...reasons.map((reason) => `- ${reason}`),
    ...(reasons.length > 0 ? [""] : []),
    ...table(result),
    `The test: ${phishing} phishing and ${benign} benign rows (${matchedPairs} pairs of matched shape), first seen after`,
    `${after} and up to ${newest}, on sites of which no earlier row has one, at most 50 of a site and class. Intervals`,
    "are from 1,000 resamples of sites; worse is a measure whose interval lies wholly below 0. Scores are without the points for plain HTTP.",
    "",
    ...(verdict === "undecided" ? [] : [loginLine(logins), ""]),
    `Current weights: ${trainedOn}. What is shipped is learned from everything, the last month included.`,
    ""
  ].join("\n")
}
