import type { CanonicalUrl } from "../../Url/CanonicalUrl.ts"
import type { Signal } from "../Kinds.ts"
import * as HostFacts from "./HostFacts.ts"
import * as Signals from "./Signals.ts"

/** What the heuristics know about a URL, computed once for reasons and model. */
export interface UrlFacts {
  readonly url: CanonicalUrl
  readonly host: HostFacts.HostFacts
  /** Signals of host and user info, which are the same for every path and query. */
  readonly hostSignals: ReadonlyArray<Signal>
  /** All signals of the URL. */
  readonly signals: ReadonlyArray<Signal>
}

export const factsOf = (url: CanonicalUrl): UrlFacts => {
  const host = HostFacts.factsOf(url.host)
  const hostSignals = Signals.signalsOfHost(url, host)
  return { url, host, hostSignals, signals: Signals.signalsOfUrl(url, host, hostSignals) }
}

/** The signals of a URL that differs from the URL of `facts` only in path and query. */
export const signalsWithPath = ({ host, hostSignals }: UrlFacts, url: CanonicalUrl): ReadonlyArray<Signal> =>
  Signals.signalsOfUrl(url, host, hostSignals)
