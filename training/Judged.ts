import { Either } from "effect"
import * as CanonicalUrl from "../src/Checkers/CanonicalUrl.ts"
import * as HostName from "../src/Checkers/Heuristics/HostName.ts"
import * as Model from "../src/Checkers/Heuristics/Model.ts"
import * as ModelText from "../src/Checkers/Heuristics/ModelText.ts"
import * as Signals from "../src/Checkers/Heuristics/Signals.ts"
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
    value: Either.isRight(url) ? Model.value(model, url.right, Signals.extract(url)) : NOTHING_TO_READ,
    score: score(found),
    scoreWithoutScheme: score(found.filter(({ kind }) => kind !== "notHttps")),
    reasons: found.map(({ reason }) => reason),
    category: Either.isRight(url) ? categoryOf(url.right) : "no URL"
  }
}

/** Whose host, and whether anything stands behind it. */
const categoryOf = (url: CanonicalUrl.CanonicalUrl): string => {
  const isBare = url.path === "/" && url.query === undefined
  const name = HostName.parse(url.host)
  if (ModelText.of(url).host === "#") return "IP address"
  if (SharedHost.isShortener(url.host)) return "shortener"
  if (SharedHost.isShared(url.host)) return "host of many parties"
  const rest = isBare ? "bare" : url.query === undefined ? "with path" : "with query"
  if (name?.publisher !== undefined)
    return `${name.publisher.kind === "dynamicDns" ? "dynamic DNS" : "free hosting"}, ${rest}`
  return `${ModelText.of(url).suffix === ModelText.HOSTED ? "other hosting" : "own domain"}, ${rest}`
}
