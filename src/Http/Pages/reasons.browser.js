/**
 * Why: a sentence in the reader's language for each kind of finding, from its details. Pure: no document, no network.
 *
 * @import { FindingKind } from "../../Checkers/Kinds.ts"
 * @import { CheckedUrl, ScanFinding } from "../Api.ts"
 * @import { Formatter, Name, Values } from "./Languages/message.browser.js"
 */
import { hasScheme } from "./link.browser.js"

/** @typedef {(checker: string) => string} NameOf the name of a checker for people */

/** @typedef {{ readonly text: string, readonly isGoogle: boolean, readonly isModel: boolean, readonly points: number }} Reason */

/** @typedef {ScanFinding["details"]} Details */

/** @typedef {NonNullable<CheckedUrl["addresses"]>} Addresses */

/** Google's terms fix what is said of its findings, and ask for a link to its advisory. @param {Details} details */
const suspicion = ({ threat }) =>
  threat === "phishing"
    ? "suspectedPhishing"
    : threat === "malware"
      ? "suspectedMalware"
      : "suspectedSoftware"

/** @param {Details} details */
const carried = ({ list, threat }) =>
  list !== undefined ? "carriedListing" : threat !== undefined ? "carriedThreat" : "carriedBlocked"

/**
 * The text of each kind. Kinds that mean the same for the reader share one.
 *
 * @satisfies {Record<FindingKind, Name | ((details: Details) => Name)>}
 */
export const textOfKind = {
  blocked: "blocked",
  listedUrl: "reported",
  listedHost: "reported",
  listedDirectory: "reported",
  listedPage: "reported",
  otherPagesListed: "otherPagesListed",
  unconfirmedListing: "unconfirmedListing",
  severeThreat: suspicion,
  unwantedSoftware: suspicion,
  carriedListing: carried,
  carriedUnwantedSoftware: carried,
  malformed: "malformedWhy",
  notHttps: "notHttps",
  scriptScheme: "scriptScheme",
  otherScheme: "otherScheme",
  userInfo: "userInfo",
  unreadDestination: "unreadDestination",
  disguisedFile: "disguisedFile",
  harmfulFile: "harmfulFile",
  executablePath: "executablePath",
  pageAmongSoftware: "pageAmongSoftware",
  brandDomainInPath: "showsOther",
  brandInPath: "brandName",
  lureInPath: "words",
  newDomain: "newDomain",
  mailAddress: "mailAddress",
  brandInUserInfo: "showsOther",
  deceptiveUserInfo: "showsOther",
  privateHost: "privateHost",
  ipHost: "ipHost",
  internationalHost: "internationalHost",
  mixedScripts: "mixedScripts",
  decoyDomain: "showsOther",
  dynamicDns: "dynamicDns",
  abusedSuffix: "abusedSuffix",
  freeHosting: "freeHosting",
  shortener: "shortener",
  machineName: "machineName",
  brandHomograph: "looksLike",
  brandSplit: "brandSplit",
  bankCodeLure: "bankCodeLure",
  brandLure: "brandLure",
  brandDomainInHost: "looksLike",
  brandLookAlike: "looksLike",
  brandInDomain: "brandName",
  brandInSubdomain: "brandName",
  brandAmongWords: "brandName",
  lureInDomain: "words",
  lureInHost: "words",
  model: "model"
}

/**
 * The name of the text for a finding; undefined for a kind of a later version of the service.
 *
 * @param {Pick<ScanFinding, "kind" | "details">} finding
 * @returns {Name | undefined}
 */
const nameFor = ({ details, kind }) => {
  /** @type {Name | ((details: Details) => Name) | undefined} */
  const name = Object.entries(textOfKind).find(([known]) => known === kind)?.[1]
  return typeof name === "function" ? name(details) : name
}

/**
 * What the texts show of a finding.
 *
 * @param {Details} details
 * @param {ReadonlyMap<string, string>} labels those of hosts, as people read them
 * @param {Formatter} formatter
 * @returns {Values}
 */
const valuesOf = (details, labels, { enumeration }) => {
  const { brand, host = "", pieces = [], registrable = host, words = [], ...others } = details
  return {
    ...Object.fromEntries(
      Object.entries(others).filter(
        /** @returns {entry is [string, string]} */ (entry) => typeof entry[1] === "string"
      )
    ),
    host: registrable,
    brand: brand?.name ?? "",
    domain: brand?.domain ?? others.domain ?? "",
    words: enumeration(words),
    pieces: enumeration(pieces.map((piece) => labels.get(piece) ?? piece))
  }
}

/**
 * The labels of hosts in other letters: of `xn--l-7sba6dbr.com` the first is `раураl`.
 *
 * @param {Addresses} addresses
 */
const labelsIn = (addresses) =>
  new Map(
    addresses.flatMap(({ host, unicode = host }) => {
      const shown = unicode.split(".")
      return host.split(".").map((label, index) => /** @type {const} */ ([label, shown[index] ?? label]))
    })
  )

/** In this order: what people understand first is shown first. The service has ordered the rest. */
const LAST = "notHttps"

/**
 * Why, in sentences for people: lists that say the same once, words of host and path together, and last that the connection is not encrypted, which a link
 * without a scheme says nothing about, although the service reads it as `http`.
 *
 * @param {{ readonly url: string, readonly findings: ReadonlyArray<ScanFinding>, readonly addresses?: Addresses | undefined }} result
 * @param {NameOf} nameOf
 * @param {Formatter} formatter
 * @returns {ReadonlyArray<Reason>}
 */
export const reasonsOf = ({ addresses = [], findings, url }, nameOf, formatter) => {
  const { list, say } = formatter
  const labels = labelsIn(addresses)
  const inOrder = [
    ...findings.filter(({ kind }) => kind !== LAST),
    ...findings.filter(({ kind }) => kind === LAST && hasScheme(url))
  ]
  /** @type {Map<string, Reason>} */
  const reasons = new Map()
  for (const finding of inOrder) {
    const { checker, details, points, reason } = finding
    const name = nameFor(finding)
    const same = inOrder.filter((other) => nameFor(other) === name)
    const names = [...new Set(same.map(({ checker, source }) => source ?? nameOf(checker)))]
    const { innerHost } = details
    const words =
      name === "words"
        ? same
            .filter((other) => other.details.innerHost === innerHost)
            .flatMap(({ details }) => details.words ?? [])
        : details.words
    const shown = words === undefined ? details : { ...details, words: [...new Set(words)] }
    const values = { ...valuesOf(shown, labels, formatter), lists: list(names) }
    const sentence = name === undefined ? reason : say(name, values)
    const isGoogle = checker === "reputation_lookup"
    // The sentences about carried addresses name them.
    const text =
      innerHost === undefined || sentence.includes(innerHost)
        ? sentence
        : say("inside", { innerHost, sentence })
    reasons.set(text, { text, isGoogle, isModel: finding.kind === "model", points })
  }
  return [...reasons.values()]
}

/** More are not read in ten seconds. */
const MAX_REASONS = 3

/** From this many points on a reason needs no others that only explain. The model's does: people understand it least. */
const STRONG = 40

/**
 * The reasons that are shown at once.
 *
 * @param {ReadonlyArray<Reason>} reasons
 */
export const first = (reasons) => {
  const isStrong = reasons.some(({ isModel, points }) => points >= STRONG && !isModel)
  return reasons.filter(({ points }) => !isStrong || points > 0).slice(0, MAX_REASONS)
}

/**
 * The brand that an address pretends to belong to, which the reader may want to open.
 *
 * @param {ReadonlyArray<ScanFinding>} findings
 */
export const brandOf = (findings) =>
  findings.find(({ details }) => details.brand !== undefined)?.details.brand
