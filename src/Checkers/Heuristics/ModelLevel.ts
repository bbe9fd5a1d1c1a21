/** What the model's raw value means, and what it may not mean. */

import { Either } from "effect"
import * as CanonicalHost from "../CanonicalUrl/CanonicalHost.ts"
import * as RawUrl from "../CanonicalUrl/RawUrl.ts"
import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as BrandOwner from "./BrandOwner.ts"
import * as HostName from "./HostName.ts"
import * as Model from "./Model.ts"
import type { Signal } from "./Signal.ts"
import * as Signals from "./Signals.ts"

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
export const of = (
  model: Model.Model,
  url: CanonicalUrl,
  signals: ReadonlyArray<Signal>
): ModelLevel | undefined => {
  const { suspicious, likely, phishing, host } = model.thresholds
  let value = Model.value(model, url, signals)
  if (value < suspicious || !isForModel(url, signals)) return undefined
  for (const query of shorterQueries(url.query ?? "")) {
    value = Math.min(value, rawValue(model, { ...url, query }))
    if (value < suspicious) return undefined
  }
  if (value < likely) return "modelSuspicious"
  if (value < phishing) return "modelLikely"
  return rawValue(model, { ...url, path: "/", query: undefined }) < host ? "modelLikely" : "modelPhishing"
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

/** The level of a URL whose signals are not known yet. */
export const ofUrl = (model: Model.Model, url: CanonicalUrl): ModelLevel | undefined =>
  of(model, url, Signals.extract(Either.right(url)))

/** The raw value of such a URL. */
export const rawValue = (model: Model.Model, url: CanonicalUrl): number =>
  Model.value(model, url, Signals.extract(Either.right(url)))

const isForModel = ({ scheme, host }: CanonicalUrl, signals: ReadonlyArray<Signal>): boolean => {
  if (!RawUrl.isWeb(scheme) || signals.some(({ kind }) => kind === "privateHost")) return false
  if (CanonicalHost.isIpAddress(host)) return true
  const name = HostName.parse(host)
  return name !== undefined && !BrandOwner.belongsToBrand(name)
}
