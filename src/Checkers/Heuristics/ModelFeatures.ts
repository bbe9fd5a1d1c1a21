/** What the trees of the model decide by, beside the four sums of weights: numbers about the build of a URL, and its signals. */

import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as BrandOwner from "./BrandOwner.ts"
import * as LetterRuns from "./LetterRuns.ts"
import * as LureWords from "./LureWords.ts"
import type { Pattern } from "./MachineName.ts"
import type { ModelText } from "./ModelText.ts"
import type { Signal } from "./Signal.ts"

/** In the order in which they stand in a row; the four sums come first. */
export const names = [
  "urlWeights",
  "hostWeights",
  "pathWeights",
  "tokenWeights",
  "allWeights",
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
  "hasPort",
  "pathLength",
  "depth",
  "longestSegment",
  "lastSegment",
  "pathDigits",
  "pathUppers",
  "pathHyphens",
  "pathDots",
  "pathEscapes",
  "longestDigitRun",
  "pathCost",
  "dearestSegmentCost",
  "extension",
  "endsInSlash",
  "queryLength",
  "queryParameters",
  "longestValue",
  "hasAddressInRest",
  "luresInHost",
  "luresInPath",
  "brandInHost",
  "brandIsEveryday",
  "isBrandsOwn",
  "signals",
  "signalLureInDomain",
  "signalDecoy",
  "signalAbusedSuffix",
  "signalScripts",
  "signalNested",
  "signalFile",
  "signalMachineName",
  "signalPageAmongSoftware",
  "signalDecoyInPath",
  "signalBareQuery",
  "signalPageAsFolder",
  "signalContentIdentifier",
  "signalMailAddress",
  "signalBrandInPath",
  "signalShortener"
] as const

export type FeatureName = (typeof names)[number]

export const COUNT = names.length

const brandStrengths: Readonly<Record<string, number>> = {
  brandAmongWords: 1,
  everydayBrand: 2,
  brandInSubdomain: 3,
  brandInDomain: 4,
  brandLookAlike: 5,
  brandDomainInHost: 6
}

/** Signals in the order of their columns; some share one. */
const signalColumns: ReadonlyMap<Signal["kind"], number> = new Map(
  (
    [
      ["lureInDomain"],
      ["decoyDomain", "deceptiveUserInfo"],
      ["abusedSuffix"],
      ["internationalHost", "mixedScripts"],
      ["nestedUrl"],
      ["archivePath", "executablePath"],
      ["machineName"],
      ["pageAmongSoftware"],
      ["decoyInPath"],
      ["bareQuery"],
      ["pageAsFolder"],
      ["contentIdentifier"],
      ["mailAddress"],
      ["brandInPath"],
      ["shortener"]
    ] as const
  ).flatMap((kinds, column) => kinds.map((kind) => [kind, column] as const))
)

/** What the scheme or a `www` may have caused. */
const notCounted: ReadonlySet<Signal["kind"]> = new Set(["notHttps", "otherScheme", "manyLabels", "longHost"])

/** Of the two signals of one column the graver. */
const signalWeights: Readonly<Partial<Record<Signal["kind"], number>>> = {
  mixedScripts: 2,
  executablePath: 2
}

const patterns: ReadonlyArray<Pattern> = [
  "hexadecimal",
  "address",
  "digits",
  "consonants",
  "mixed",
  "generated"
]

/** Scratch space. */
const signalValues = new Float64Array(new Set(signalColumns.values()).size)

const extensions: ReadonlyMap<string, number> = new Map([
  ["html", 1],
  ["htm", 2],
  ["php", 3],
  ["asp", 4],
  ["aspx", 4],
  ["jsp", 4],
  ["cgi", 4],
  ["do", 4],
  ["xml", 5],
  ["rss", 5],
  ["json", 5],
  ["txt", 5],
  ["md", 5],
  ["pdf", 6]
])
const OTHER_EXTENSION = 7

const isVowel = (code: number): boolean =>
  code === 97 || code === 101 || code === 105 || code === 111 || code === 117 || code === 121

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Fills `row` from its sixth place on; the caller has put the sums of weights before. */
export const fill = (
  url: CanonicalUrl,
  text: ModelText,
  signals: ReadonlyArray<Signal>,
  costs: Uint8Array,
  row: Float32Array
): void => {
  let next = 5
  const put = (value: number): void => {
    row[next++] = value
  }
  const { name, host, chosen, suffix, rest, pathEnd } = text
  const nameStart = chosen.lastIndexOf(".") + 1

  let labels = 1
  let nameDigits = 0
  let nameHyphens = 0
  let digits = 0
  let hyphens = 0
  let words = 1
  let digitRuns = 0
  let withoutVowel = 0
  let longestWithoutVowel = 0
  let letters = 0
  let vowels = 0
  let dearest = 0
  let labelStart = 0
  let wasDigit = false
  for (let at = 0; at <= chosen.length; at++) {
    const code = at < chosen.length ? chosen.charCodeAt(at) : 46
    const digit = isDigit(code)
    if (digit) {
      digits++
      if (at >= nameStart) nameDigits++
      if (!wasDigit) digitRuns++
    } else if (code === 45) {
      hyphens++
      words++
      if (at >= nameStart) nameHyphens++
    } else if (code === 46) {
      if (at < chosen.length) {
        labels++
        words++
      }
      dearest = Math.max(dearest, LetterRuns.cost(costs, chosen, labelStart, at))
      labelStart = at + 1
    } else letters++
    wasDigit = digit
    if (isVowel(code)) vowels++
    withoutVowel = isVowel(code) || code === 46 || code === 45 ? 0 : withoutVowel + 1
    if (withoutVowel > longestWithoutVowel) longestWithoutVowel = withoutVowel
  }
  put(host.length)
  put(labels)
  put(chosen.length - nameStart)
  put(nameDigits)
  put(nameHyphens)
  put(digits)
  put(hyphens)
  put(words)
  put(digitRuns)
  put(longestWithoutVowel)
  put(letters === 0 ? 0 : vowels / letters)
  put(LetterRuns.cost(costs, chosen, nameStart, chosen.length))
  put(dearest)
  put(LetterRuns.cost(costs, chosen, 0, Math.max(0, nameStart - 1)))
  put(nameStart)
  put(suffix.length)
  put(host === "#" ? 1 : 0)
  put(name?.publisher === undefined ? (suffix === "~" ? 1 : 0) : name.publisher.kind === "dynamicDns" ? 3 : 2)
  put(url.port === undefined ? 0 : 1)

  let depth = 0
  let longest = 0
  let pathDigits = 0
  let uppers = 0
  let pathHyphens = 0
  let dots = 0
  let escapes = 0
  let digitRun = 0
  let longestDigitRun = 0
  let dearestSegment = 0
  let lastSegment = 0
  let segmentStart = 1
  for (let at = 1; at <= pathEnd; at++) {
    const code = at < pathEnd ? rest.charCodeAt(at) : 47
    if (isDigit(code)) {
      pathDigits++
      digitRun++
      if (digitRun > longestDigitRun) longestDigitRun = digitRun
      continue
    }
    digitRun = 0
    if (code >= 65 && code <= 90) uppers++
    else if (code === 45) pathHyphens++
    else if (code === 46) dots++
    else if (code === 37) escapes++
    else if (code === 47) {
      const length = at - segmentStart
      if (length > 0) {
        depth++
        lastSegment = length
        if (length > longest) longest = length
        dearestSegment = Math.max(dearestSegment, LetterRuns.cost(costs, rest, segmentStart, at))
      }
      segmentStart = at + 1
    }
  }
  put(pathEnd)
  put(depth)
  put(longest)
  put(lastSegment)
  put(pathDigits)
  put(uppers)
  put(pathHyphens)
  put(dots)
  put(escapes)
  put(longestDigitRun)
  put(LetterRuns.cost(costs, rest, 1, pathEnd))
  put(dearestSegment)
  const dot = rest.lastIndexOf(".", pathEnd - 1)
  put(
    dot === -1 || dot < pathEnd - lastSegment || pathEnd - dot > 6
      ? 0
      : (extensions.get(rest.slice(dot + 1, pathEnd).toLowerCase()) ?? OTHER_EXTENSION)
  )
  put(pathEnd > 1 && rest.charCodeAt(pathEnd - 1) === 47 ? 1 : 0)

  let parameters = 0
  let longestValue = 0
  let valueStart = pathEnd + 1
  for (let at = pathEnd + 1; at <= rest.length; at++) {
    const code = at < rest.length ? rest.charCodeAt(at) : 38
    if (code === 61) valueStart = at + 1
    else if (code === 38) {
      parameters++
      longestValue = Math.max(longestValue, at - valueStart)
      valueStart = at + 1
    }
  }
  put(rest.length - pathEnd)
  put(pathEnd < rest.length ? parameters : 0)
  put(pathEnd < rest.length ? longestValue : 0)
  put(rest.includes("@") ? 1 : 0)

  let brand = 0
  let everyday = 0
  let count = 0
  signalValues.fill(0)
  for (const signal of signals) {
    if (notCounted.has(signal.kind)) continue
    count++
    const strength = brandStrengths[signal.kind] ?? 0
    if (strength > 0 && "brand" in signal) {
      brand = strength
      everyday = signal.brand.everyday === true ? 1 : 0
    }
    const column = signalColumns.get(signal.kind)
    if (column !== undefined)
      signalValues[column] =
        signal.kind === "machineName"
          ? patterns.indexOf(signal.pattern) + 1
          : (signalWeights[signal.kind] ?? 1)
  }
  put(LureWords.find(chosen).length)
  put(LureWords.find(url.path).length)
  put(brand)
  put(everyday)
  put(name !== undefined && BrandOwner.belongsToBrand(name) ? 1 : 0)
  put(count)
  for (const value of signalValues) put(value)
}
