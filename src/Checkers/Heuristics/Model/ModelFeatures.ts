/**
 * The features that the trees decide by, one row of numbers for each URL: the sums of weights, and numbers about host, path and
 * facts. The weights file contains a digest of their names in this order.
 */

import { createHash } from "node:crypto"
import { Struct } from "effect"
import type { BrandEvidence } from "../Brand.ts"
import { hasPort, type UrlFacts } from "../UrlFacts.ts"
import * as LetterRuns from "./LetterRuns.ts"
import type { HostText, PathText } from "./ModelText.ts"
import * as ModelText from "./ModelText.ts"

/** Numbers of characters of a text, and of its runs. `longestRunWithoutVowel` is between vowels, hyphens and dots. */
const charactersOf = (text: string) => {
  let [digits, uppers, hyphens, dots, escapes, vowels] = [0, 0, 0, 0, 0, 0]
  let [digitRuns, digitRun, longestDigitRun] = [0, 0, 0]
  let [runWithoutVowel, longestRunWithoutVowel] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isDigit = code >= 48 && code <= 57
    if (isDigit) {
      digits++
      if (digitRun++ === 0) digitRuns++
      if (digitRun > longestDigitRun) longestDigitRun = digitRun
    } else digitRun = 0
    runWithoutVowel++
    switch (code) {
      case 97: // a
      case 101: // e
      case 105: // i
      case 111: // o
      case 117: // u
      case 121: // y
        vowels++
        runWithoutVowel = 0
        break
      case 45: // -
        hyphens++
        runWithoutVowel = 0
        break
      case 46: // .
        dots++
        runWithoutVowel = 0
        break
      case 37: // %
        escapes++
        break
      default:
        if (code >= 65 && code <= 90) uppers++
    }
    if (runWithoutVowel > longestRunWithoutVowel) longestRunWithoutVowel = runWithoutVowel
  }
  return {
    digits,
    uppers,
    hyphens,
    dots,
    escapes,
    vowels,
    digitRuns,
    longestDigitRun,
    longestRunWithoutVowel
  }
}

const maxLength = (texts: ReadonlyArray<string>): number =>
  texts.reduce((max, text) => Math.max(max, text.length), 0)

/** The highest cost of the parts between separators. */
const maxCost = (costs: Uint8Array, text: string, separator: string): number => {
  let max = 0
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf(separator, from)
    const end = next === -1 ? text.length : next
    max = Math.max(max, LetterRuns.meanCost(costs, text, from, end))
    from = end + 1
  }
  return max
}

type HostInput = ReturnType<typeof hostInputOf>

const hostInputOf = (facts: UrlFacts, text: HostText, costs: Uint8Array) => {
  const { chosen } = text
  /** The last label of the chosen part. */
  const name = chosen.slice(chosen.lastIndexOf(".") + 1)
  const characters = charactersOf(chosen)
  const nameCharacters = name === chosen ? characters : charactersOf(name)
  const nameCost = LetterRuns.meanCost(costs, name)
  return { facts, text, chosen, characters, name, nameCharacters, nameCost, costs }
}

/** Values of the column `publisher`. */
const OWN = 0
const HOSTED = 1
const FREE_HOSTING = 2
const DYNAMIC_DNS = 3

const publisherOf = ({ facts: { host }, text: { suffix } }: HostInput): number => {
  const firm = host.name?.hostingFirm
  if (firm !== undefined) return firm.kind === "dynamicDns" ? DYNAMIC_DNS : FREE_HOSTING
  return suffix === ModelText.HOSTED ? HOSTED : OWN
}

const vowelShareOf = ({ characters: { digits, dots, hyphens, vowels }, chosen }: HostInput): number => {
  const letters = chosen.length - digits - hyphens - dots
  return letters === 0 ? 0 : vowels / letters
}

/** About the structure of the host. */
const hostColumns = {
  hostLength: ({ text }: HostInput) => text.host.length,
  labels: ({ characters }: HostInput) => 1 + characters.dots,
  nameLength: ({ name }: HostInput) => name.length,
  nameDigits: ({ nameCharacters }: HostInput) => nameCharacters.digits,
  nameHyphens: ({ nameCharacters }: HostInput) => nameCharacters.hyphens,
  chosenDigits: ({ characters }: HostInput) => characters.digits,
  chosenHyphens: ({ characters }: HostInput) => characters.hyphens,
  chosenWords: ({ characters }: HostInput) => 1 + characters.dots + characters.hyphens,
  digitRuns: ({ characters }: HostInput) => characters.digitRuns,
  longestRunWithoutVowel: ({ characters }: HostInput) => characters.longestRunWithoutVowel,
  vowelShare: vowelShareOf,
  nameCost: ({ nameCost }: HostInput) => nameCost,
  dearestLabelCost: ({ chosen, costs, name, nameCost }: HostInput) =>
    Math.max(nameCost, maxCost(costs, chosen.slice(0, -name.length), ".")),
  subdomainCost: ({ chosen, costs, name }: HostInput) =>
    LetterRuns.meanCost(costs, chosen, 0, chosen.length - name.length - 1),
  subdomainLength: ({ chosen, name }: HostInput) => chosen.length - name.length,
  suffixLength: ({ text }: HostInput) => text.suffix.length,
  isAddress: ({ facts }: HostInput) => flag(facts.host.isAddress),
  publisher: publisherOf,
  isShared: ({ facts }: HostInput) => flag(facts.host.isShared)
}

type PathInput = ReturnType<typeof pathInputOf>

const pathInputOf = ({ text, pathEnd }: PathText, costs: Uint8Array) => {
  const path = text.slice(0, pathEnd)
  return {
    text,
    path,
    characters: charactersOf(path),
    costs,
    segments: path.split("/").filter((segment) => segment !== ""),
    /** The parts of the query. */
    parameters: pathEnd === text.length ? [] : text.slice(pathEnd + 1).split("&")
  }
}

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
/** Including the dot. */
const MAX_EXTENSION_CHARS = 6

const extensionOf = ({ path, segments }: PathInput): number => {
  const dot = path.lastIndexOf(".")
  const isInLast = dot !== -1 && dot >= path.length - (segments.at(-1)?.length ?? 0)
  if (!isInLast || path.length - dot > MAX_EXTENSION_CHARS) return 0
  return extensions.get(path.slice(dot + 1).toLowerCase()) ?? OTHER_EXTENSION
}

/** About the structure of path and query. */
const pathColumns = {
  pathLength: ({ path }: PathInput) => path.length,
  depth: ({ segments }: PathInput) => segments.length,
  longestSegment: ({ segments }: PathInput) => maxLength(segments),
  lastSegment: ({ segments }: PathInput) => segments.at(-1)?.length ?? 0,
  pathDigits: ({ characters }: PathInput) => characters.digits,
  pathUppers: ({ characters }: PathInput) => characters.uppers,
  pathHyphens: ({ characters }: PathInput) => characters.hyphens,
  pathDots: ({ characters }: PathInput) => characters.dots,
  pathEscapes: ({ characters }: PathInput) => characters.escapes,
  longestDigitRun: ({ characters }: PathInput) => characters.longestDigitRun,
  pathCost: ({ costs, path }: PathInput) => LetterRuns.meanCost(costs, path, 1),
  dearestSegmentCost: ({ costs, path }: PathInput) => maxCost(costs, path, "/"),
  extension: extensionOf,
  endsInSlash: ({ path }: PathInput) => flag(path.length > 1 && path.endsWith("/")),
  queryLength: ({ path, text }: PathInput) => text.length - path.length,
  queryParameters: ({ parameters }: PathInput) => parameters.length,
  longestValue: ({ parameters }: PathInput) =>
    maxLength(parameters.map((parameter) => parameter.slice(parameter.lastIndexOf("=") + 1))),
  hasAddressInRest: ({ text }: PathInput) => flag(text.includes("@"))
}

/** From no use of a brand's name to the strongest. */
const brandCodes: Readonly<Record<BrandEvidence["kind"], number>> = {
  brandAmongWords: 1,
  brandInSubdomain: 3,
  brandInDomain: 4,
  brandLookAlike: 5,
  brandHomograph: 5,
  brandSplit: 5,
  brandDomainInHost: 6
}

const flag = (fact: unknown): number => (fact === undefined || fact === false ? 0 : 1)

/** Facts about words, brands, files, user info and port. */
const factColumns = {
  luresInHost: ({ host }: UrlFacts) => host.lures.length,
  luresInName: ({ host }: UrlFacts) => host.luresInName.length,
  luresInPath: ({ path }: UrlFacts) => path.lures.length,
  brandInHost: ({ host: { brand } }: UrlFacts) => (brand === undefined ? 0 : brandCodes[brand.kind]),
  brandIsEveryday: ({ host }: UrlFacts) => flag(host.brand?.brand.everyday),
  brandAsks: ({ host }: UrlFacts) => host.brand?.asking.length ?? 0,
  isBrandsOwn: ({ host }: UrlFacts) => flag(host.isBrandsOwn),
  decoy: ({ host }: UrlFacts) => flag(host.decoy),
  abusedSuffix: ({ host }: UrlFacts) => flag(host.abusedSuffix),
  machineName: ({ host }: UrlFacts) => flag(host.machineName),
  international: ({ host: { international } }: UrlFacts) => flag(international) + flag(international?.mixed),
  riskyFile: ({ path }: UrlFacts) => flag(path.file),
  brandInPath: ({ path }: UrlFacts) => flag(path.brand ?? path.brandDomain),
  softwareFolder: ({ path }: UrlFacts) => flag(path.softwareFolder),
  mailAddress: ({ path }: UrlFacts) => flag(path.hasMailAddress),
  userInfo: ({ userInfo }: UrlFacts) => flag(userInfo),
  hasPort: ({ url }: UrlFacts) => flag(hasPort(url)),
  shortener: ({ host }: UrlFacts) => flag(host.isShortener)
}

/** One for each of `ModelTables.tables`, and their total. */
const sums = ["urlWeights", "hostWeights", "pathWeights", "tokenWeights", "allWeights"] as const

/** In the order of a row. The last is the number of facts that are not 0. */
export const names = [
  ...sums,
  ...Struct.keys(hostColumns),
  ...Struct.keys(pathColumns),
  ...Struct.keys(factColumns),
  "facts"
] as const

export type FeatureName = (typeof names)[number]

export const COUNT = names.length

/** Weights with another digest were learned from other features, and cannot be used. */
export const digest = createHash("sha256").update(JSON.stringify(names)).digest("hex")

/** The index of the host's sum of weights, and of the total. */
export const HOST_WEIGHTS = sums.indexOf("hostWeights")
export const ALL_WEIGHTS = sums.indexOf("allWeights")

/** The columns without their names. */
const ofHost = Object.values(hostColumns)
const ofPath = Object.values(pathColumns)
const ofFacts = Object.values(factColumns)

/** Fills in all features but the sums of weights. */
export const fill = (
  facts: UrlFacts,
  host: HostText,
  path: PathText,
  costs: Uint8Array,
  row: Float32Array
): void => {
  const hostInput = hostInputOf(facts, host, costs)
  const pathInput = pathInputOf(path, costs)
  let next = sums.length
  for (const column of ofHost) row[next++] = column(hostInput)
  for (const column of ofPath) row[next++] = column(pathInput)
  let known = 0
  for (const column of ofFacts) {
    const fact = column(facts)
    if (fact !== 0) known++
    row[next++] = fact
  }
  row[next] = known
}
