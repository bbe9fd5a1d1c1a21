import type { CanonicalUrl } from "../../CanonicalUrl.ts"
import type { UrlHost } from "../Host.ts"
import * as NestedUrl from "./NestedUrl.ts"
import * as FileKind from "./RiskyFile.ts"
import type { Signal } from "./Signal.ts"

/** `www.shop.example.co.uk` has five. Six are ten times likelier in reported URLs of our development data. */
const MANY_LABELS = 6

/** In characters. Names that people choose are shorter; longer ones are generated or carry a sentence. */
const LONG_HOST = 50

/** Of path and query, in characters; tracking parameters of ordinary links seldom add up to it. */
const LONG_PATH_AND_QUERY = 500

/** A URL in a parameter of another is decoded twice, and honest redirects rarely go further. */
const REPEATED_ENCODING = 3

/** Ports at which honest sites are reached, beside the scheme's own. */
const usualPorts: ReadonlySet<number> = new Set([80, 443, 8080, 8443])

/** Shorteners that lead nowhere but to their owner's own pages. */
const leadingHome: ReadonlySet<string> = new Set(
  [
    "youtu.be t.me wa.me amzn.to amzn.eu aka.ms forms.gle 1drv.ms g.co fb.me",
    "photos.app.goo.gl maps.app.goo.gl"
  ].flatMap((row) => row.split(" "))
)

/** Adds what is unusual about the build of a URL, whoever its host is. */
export const addOfUrl = (
  { host, path, query, port, unescapeRounds }: CanonicalUrl,
  { isShortener }: UrlHost,
  signals: Array<Signal>
): void => {
  if (isShortener && !leadingHome.has(host)) signals.push({ kind: "shortener", host })
  const labels = labelsOf(host)
  if (labels >= MANY_LABELS) signals.push({ kind: "manyLabels", count: labels })
  if (host.length >= LONG_HOST) signals.push({ kind: "longHost", length: host.length })
  const length = path.length + (query?.length ?? 0)
  if (length >= LONG_PATH_AND_QUERY) signals.push({ kind: "longUrl", length })
  if (port !== undefined && !usualPorts.has(port)) signals.push({ kind: "unusualPort", port })
  const nested = nestedUrl(host, "path", path) ?? nestedUrl(host, "query", query ?? "")
  if (nested !== undefined) signals.push(nested)
  if (unescapeRounds >= REPEATED_ENCODING) signals.push({ kind: "repeatedEncoding", rounds: unescapeRounds })
  const file = FileKind.atEnd(path)
  if (file !== undefined) signals.push(file)
}

const labelsOf = (host: string): number => {
  let labels = 1
  for (let dot = host.indexOf("."); dot !== -1; dot = host.indexOf(".", dot + 1)) labels++
  return labels
}

const nestedUrl = (host: string, place: "path" | "query", text: string): Signal | undefined => {
  const nestedHost = NestedUrl.foreignHost(host, text)
  return nestedHost === undefined ? undefined : { kind: "nestedUrl", nestedHost, place }
}
