import { Either } from "effect"
import * as HostFacts from "../../src/Checkers/Heuristics/HostFacts.ts"
import * as ModelText from "../../src/Checkers/Heuristics/Model/ModelText.ts"
import * as Model from "../../src/Checkers/Heuristics/Model.ts"
import * as UrlFacts from "../../src/Checkers/Heuristics/UrlFacts.ts"
import { findings } from "../../src/Checkers/Heuristics.ts"
import { judge } from "../../src/Checkers/Verdict.ts"
import type { CanonicalUrl } from "../../src/Url/CanonicalUrl.ts"
import * as Hosts from "../../src/Url/Hosts.ts"
import * as Submission from "../../src/Url/Submission.ts"
import type { LabelledUrl } from "../Corpus/LabelledUrl.ts"

/** A labelled URL and the result of the heuristics alone. */
export interface EvaluatedUrl extends LabelledUrl {
  /** The raw value of the model; the lowest for a string that is no URL. */
  readonly value: number
  /** The score that callers get. */
  readonly score: number
  readonly reasons: ReadonlyArray<string>
  readonly category: string
}

const RAW_VALUE_OF_NO_URL = -100

/** `isSite` is that of `PopularSites`. */
export const evaluateUrl = (
  model: Model.Model,
  row: LabelledUrl,
  isSite = (_host: string): boolean => false
): EvaluatedUrl => {
  const submission = Submission.read(row.url, 0)
  const { url } = submission
  const judged = judge(findings(model, submission, isSite))
  return {
    ...row,
    value: Either.isRight(url) ? Model.rawValue(model, UrlFacts.factsOf(url.right)) : RAW_VALUE_OF_NO_URL,
    score: judged.score,
    reasons: judged.findings.map(({ reason }) => reason),
    category: Either.isRight(url) ? categoryOf(url.right) : "no URL"
  }
}

/** The kind of host, and whether the URL has a path or query. */
const categoryOf = (url: CanonicalUrl): string => {
  const isBare = url.path === "/" && url.query === undefined
  const host = HostFacts.factsOf(url.host)
  const hostingFirm = host.name?.hostingFirm
  if (host.isAddress) return "IP address"
  if (Hosts.isShortener(url.host)) return "shortener"
  if (Hosts.isShared(url.host)) return "shared host"
  const urlKind = isBare ? "bare" : url.query === undefined ? "with path" : "with query"
  if (hostingFirm !== undefined)
    return `${hostingFirm.kind === "dynamicDns" ? "dynamic DNS" : "free hosting"}, ${urlKind}`
  return `${ModelText.hostTextOf(host).suffix === ModelText.HOSTED ? "other hosting" : "own domain"}, ${urlKind}`
}
