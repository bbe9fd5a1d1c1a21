import { Either } from "effect"
import * as CanonicalUrl from "../src/Checkers/CanonicalUrl.ts"
import * as Host from "../src/Checkers/Heuristics/Host.ts"
import * as ModelText from "../src/Checkers/Heuristics/Model/ModelText.ts"
import * as Model from "../src/Checkers/Heuristics/Model.ts"
import * as UrlFacts from "../src/Checkers/Heuristics/UrlFacts.ts"
import { findings } from "../src/Checkers/Heuristics.ts"
import * as SharedHost from "../src/Checkers/SharedHost.ts"
import { score } from "../src/Checkers/Verdict.ts"
import type { LabelledUrl } from "./LabelledUrls.ts"

/** A labelled URL and what the heuristics, alone, say about it. */
export interface Judged extends LabelledUrl {
  /** The model's raw value; of what is no URL, the least. */
  readonly value: number
  /** As on the wire. */
  readonly score: number
  /** Without the points for plain HTTP, which says where our benign rows come from. */
  readonly scoreWithoutScheme: number
  readonly reasons: ReadonlyArray<string>
  readonly category: string
}

const NOTHING_TO_READ = -100

export const judge = (model: Model.Model, row: LabelledUrl): Judged => {
  const url = CanonicalUrl.parse(row.url)
  const found = findings(model, url)
  return {
    ...row,
    value: Either.isRight(url) ? Model.rawValue(model, UrlFacts.factsOf(url.right)) : NOTHING_TO_READ,
    score: score(found),
    scoreWithoutScheme: score(found.filter(({ kind }) => kind !== "notHttps")),
    reasons: found.map(({ reason }) => reason),
    category: Either.isRight(url) ? categoryOf(url.right) : "no URL"
  }
}

/** Whose host, and whether anything stands behind it. */
const categoryOf = (url: CanonicalUrl.CanonicalUrl): string => {
  const isBare = url.path === "/" && url.query === undefined
  const host = Host.factsOf(url.host)
  const publisher = host.name?.publisher
  if (host.isAddress) return "IP address"
  if (SharedHost.isShortener(url.host)) return "shortener"
  if (SharedHost.isShared(url.host)) return "host of many parties"
  const rest = isBare ? "bare" : url.query === undefined ? "with path" : "with query"
  if (publisher !== undefined)
    return `${publisher.kind === "dynamicDns" ? "dynamic DNS" : "free hosting"}, ${rest}`
  return `${ModelText.hostTextOf(host).suffix === ModelText.HOSTED ? "other hosting" : "own domain"}, ${rest}`
}
