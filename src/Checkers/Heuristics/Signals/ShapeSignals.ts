import type { CanonicalUrl } from "../../../Url/CanonicalUrl.ts"
import * as Hosts from "../../../Url/Hosts.ts"
import type { Signal } from "../../Kinds.ts"
import type { HostFacts } from "../Host.ts"
import * as NestedUrl from "./NestedUrl.ts"
import * as RiskyFile from "./RiskyFile.ts"

/** `www.shop.example.co.uk` has five. Six are ten times as frequent in reported URLs of the development data. */
const MANY_LABELS = 6

/** Names that people choose are shorter; longer ones are generated or contain a sentence. */
const LONG_HOST_CHARS = 50

/** Longer than most ordinary links with tracking parameters. */
const LONG_PATH_AND_QUERY_CHARS = 500

/** A URL in a parameter of another takes two rounds; honest redirects rarely take more. */
const REPEATED_ENCODING_ROUNDS = 3

/** Ports of honest sites. */
const usualPorts: ReadonlySet<number> = new Set([80, 443, 8080, 8443])

const ownPagesOnly = Hosts.namesWith("ownPages")

/**
 * Adds the signals of a URL's lengths, counts, port, nested URL and file extension, for every host. `signals` has those of the
 * host and what counts beside them.
 */
export const addSignals = (
  { host, path, query, port, unescapeRounds }: CanonicalUrl,
  { isShortener }: HostFacts,
  signals: Array<Signal>
): void => {
  const isSuspicious = signals.length > 0
  if (isShortener && !ownPagesOnly.has(host)) signals.push({ kind: "shortener", host })
  const labels = countLabels(host)
  if (labels >= MANY_LABELS) signals.push({ kind: "manyLabels", host, count: labels })
  if (host.length >= LONG_HOST_CHARS) signals.push({ kind: "longHost", host, length: host.length })
  const length = path.length + (query?.length ?? 0)
  if (length >= LONG_PATH_AND_QUERY_CHARS) signals.push({ kind: "longUrl", length })
  if (port !== undefined && !usualPorts.has(port)) signals.push({ kind: "unusualPort", port })
  const nestedHost = NestedUrl.foreignHost(host, path) ?? NestedUrl.foreignHost(host, query ?? "")
  if (nestedHost !== undefined) signals.push({ kind: "nestedUrl", nestedHost })
  if (unescapeRounds >= REPEATED_ENCODING_ROUNDS)
    signals.push({ kind: "repeatedEncoding", rounds: unescapeRounds })
  const file =
    RiskyFile.parse(path, isSuspicious) ?? (query === undefined ? undefined : RiskyFile.parseQuery(query))
  if (file !== undefined) signals.push(file)
}

const countLabels = (host: string): number => {
  let labels = 1
  for (let dot = host.indexOf("."); dot !== -1; dot = host.indexOf(".", dot + 1)) labels++
  return labels
}
