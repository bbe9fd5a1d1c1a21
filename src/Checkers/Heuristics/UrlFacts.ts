import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as UrlHost from "./Host.ts"
import type { Signal } from "./Signals/Signal.ts"
import * as Signals from "./Signals.ts"

/** A URL that is judged, with all that signals and model want to know of it, found once. */
export interface Subject {
  readonly url: CanonicalUrl
  readonly host: UrlHost.UrlHost
  /** Of the host alone: they stay whatever stands behind it. */
  readonly hostSignals: ReadonlyArray<Signal>
  /** All. */
  readonly signals: ReadonlyArray<Signal>
}

export const of = (url: CanonicalUrl): Subject => {
  const host = UrlHost.of(url.host)
  const hostSignals = Signals.ofHost(url, host)
  return { url, host, hostSignals, signals: Signals.ofUrl(url, host, hostSignals) }
}

/** The signals of another URL on the same host. */
export const signalsBehind = ({ host, hostSignals }: Subject, url: CanonicalUrl): ReadonlyArray<Signal> =>
  Signals.ofUrl(url, host, hostSignals)
