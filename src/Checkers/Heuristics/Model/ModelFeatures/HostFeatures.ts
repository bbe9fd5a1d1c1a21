/** Features of the host's structure. */

import type { CanonicalUrl } from "../../../../Url/CanonicalUrl.ts"
import type { HostFacts } from "../../HostFacts.ts"
import { isDigit } from "../ModelTables/Buckets.ts"
import type { HostText } from "../ModelText.ts"
import * as ModelText from "../ModelText.ts"
import * as LetterRuns from "./LetterRuns.ts"

/** In the order of `fill`. The weights file contains these names. */
export const names = [
  "hostLength",
  "labels",
  "nameLength",
  "nameDigits",
  "nameHyphens",
  "chosenDigits",
  "chosenHyphens",
  "chosenWords",
  "digitRuns",
  "longestRunWithoutVowel",
  "vowelShare",
  "nameCost",
  "dearestLabelCost",
  "subdomainCost",
  "subdomainLength",
  "suffixLength",
  "isAddress",
  "publisher",
  "isShared",
  "hasPort"
] as const

const HYPHEN = 45
const DOT = 46

const isVowel = (code: number): boolean =>
  code === 97 || code === 101 || code === 105 || code === 111 || code === 117 || code === 121

/** Values of the feature `publisher`. */
const OWN = 0
const HOSTED = 1
const FREE_HOSTING = 2
const DYNAMIC_DNS = 3

const hostingCode = ({ name }: HostFacts, { suffix }: HostText): number => {
  if (name?.hostingFirm !== undefined)
    return name.hostingFirm.kind === "dynamicDns" ? DYNAMIC_DNS : FREE_HOSTING
  return suffix === ModelText.HOSTED ? HOSTED : OWN
}

/** Writes the features to `row` from index `next` on. */
export const fill = (
  url: CanonicalUrl,
  urlHost: HostFacts,
  text: HostText,
  costs: Uint8Array,
  row: Float32Array,
  next: number
): void => {
  const { host, chosen, suffix } = text
  const nameStart = chosen.lastIndexOf(".") + 1
  let labels = 1
  let nameDigits = 0
  let nameHyphens = 0
  let digits = 0
  let hyphens = 0
  let words = 1
  let digitRuns = 0
  let withoutVowel = 0
  let maxWithoutVowel = 0
  let letters = 0
  let vowels = 0
  let maxCost = 0
  let labelCost = 0
  let labelStart = 0
  let wasDigit = false
  for (let at = 0; at <= chosen.length; at++) {
    const code = at < chosen.length ? chosen.charCodeAt(at) : DOT
    const digit = isDigit(code)
    if (digit) {
      digits++
      if (at >= nameStart) nameDigits++
      if (!wasDigit) digitRuns++
    } else if (code === HYPHEN) {
      hyphens++
      words++
      if (at >= nameStart) nameHyphens++
    } else if (code === DOT) {
      if (at < chosen.length) {
        labels++
        words++
      }
      labelCost = LetterRuns.meanCost(costs, chosen, labelStart, at)
      if (labelCost > maxCost) maxCost = labelCost
      labelStart = at + 1
    } else letters++
    wasDigit = digit
    if (isVowel(code)) {
      vowels++
      withoutVowel = 0
    } else withoutVowel = code === DOT || code === HYPHEN ? 0 : withoutVowel + 1
    if (withoutVowel > maxWithoutVowel) maxWithoutVowel = withoutVowel
  }
  row[next++] = host.length
  row[next++] = labels
  row[next++] = chosen.length - nameStart
  row[next++] = nameDigits
  row[next++] = nameHyphens
  row[next++] = digits
  row[next++] = hyphens
  row[next++] = words
  row[next++] = digitRuns
  row[next++] = maxWithoutVowel
  row[next++] = letters === 0 ? 0 : vowels / letters
  // The name is the last label.
  row[next++] = labelCost
  row[next++] = maxCost
  row[next++] = LetterRuns.meanCost(costs, chosen, 0, Math.max(0, nameStart - 1))
  row[next++] = nameStart
  row[next++] = suffix.length
  row[next++] = urlHost.isAddress ? 1 : 0
  row[next++] = hostingCode(urlHost, text)
  row[next++] = urlHost.isShared ? 1 : 0
  row[next] = url.port === undefined ? 0 : 1
}
