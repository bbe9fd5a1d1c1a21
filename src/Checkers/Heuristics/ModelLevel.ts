/** What the model's raw value means, and what it may not mean. */

import * as RawUrl from "../CanonicalUrl/RawUrl.ts"
import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as Model from "./Model.ts"
import * as Subject from "./Subject.ts"

/** Kinds of findings, weakest first. */
export type ModelLevel = "modelSuspicious" | "modelLikely" | "modelPhishing"

/**
 * How sure the model is of this URL, or nothing. Whoever sends a link can write what they like behind a host, so
 *
 * - the query only counts in the URL's favour: what is not suspicious without it, or without one of its parameters, is not
 *   with it;
 * - a URL is phishing only if its host is striking with nothing behind it: a page that somebody put on an honest site is
 *   suspicious at most.
 *
 * The model says nothing about a brand's own host, a private one, or what is no web URL.
 */
export const of = (model: Model.Model, subject: Subject.Subject): ModelLevel | undefined => {
  const { suspicious, likely, phishing, host } = model.thresholds
  if (!isForModel(subject)) return undefined
  const read = Model.readHost(model, subject.url, subject.host)
  let value = Model.value(model, read, subject.url, subject.signals)
  if (value < suspicious) return undefined
  const valueWith = (url: CanonicalUrl) => Model.value(model, read, url, Subject.signalsBehind(subject, url))
  for (const query of shorterQueries(subject.url.query ?? "")) {
    value = Math.min(value, valueWith({ ...subject.url, query }))
    if (value < suspicious) return undefined
  }
  if (value < likely) return "modelSuspicious"
  if (value < phishing) return "modelLikely"
  return valueWith({ ...subject.url, path: "/", query: undefined }) < host ? "modelLikely" : "modelPhishing"
}

/** Of a longer query only the last parameters, which are the ones that were added, are left out one by one. */
const MOST_PARAMETERS = 8

/** A query without any parameter, and without each one of several. */
const shorterQueries = (query: string): ReadonlyArray<string | undefined> => {
  if (query === "") return []
  const parameters = query.split("&")
  if (parameters.length === 1) return [undefined]
  return [
    undefined,
    ...parameters
      .slice(-MOST_PARAMETERS)
      .map((_, index, last) => parameters.toSpliced(parameters.length - last.length + index, 1).join("&"))
  ]
}

const isForModel = ({ url, host, signals }: Subject.Subject): boolean =>
  RawUrl.isWeb(url.scheme) &&
  (host.isAddress || (host.name !== undefined && !host.isBrandsOwn)) &&
  !signals.some(({ kind }) => kind === "privateHost")
