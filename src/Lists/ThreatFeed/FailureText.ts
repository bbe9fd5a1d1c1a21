import { fileURLToPath } from "node:url"
import { Duration, Option } from "effect"
import { CONNECT_TIMED_OUT } from "../../Layers/Outbound/HttpRequest.ts"
import { adviceFor } from "../../Layers/Outbound/Proxies.ts"
import type { ListError } from "../ListError.ts"
import { inWords } from "../RefreshedList/ListLog.ts"
import { type Feed, hostOf } from "./Feed.ts"

export const isFile = ({ url }: Feed): boolean => url.protocol === "file:"

/** Returns the path of a file in quotes, or the host of an address, which may contain a key. */
export const placeOf = (feed: Feed): string =>
  isFile(feed) ? JSON.stringify(fileURLToPath(feed.url)) : hostOf(feed.url)

/** Whether a publisher cannot be reached, as without a network, and the proxy is not the reason. */
export const isUnreachable = (feed: Feed, { detail, reason }: ListError): boolean =>
  !isFile(feed) &&
  (reason === "Unreachable" || detail === CONNECT_TIMED_OUT) &&
  adviceFor(detail, feed.url.protocol) === undefined

const statusAdvice = ({ slot }: Feed, status: string | undefined): string | undefined => {
  const setting = slot.toUpperCase()
  if (status === "404" || status === "410") return `Is ${setting}_URL right?`
  return (status === "401" || status === "403") && slot !== "popular" && slot !== "new_domains"
    ? `Does it need a key in ${setting}_AUTH_HEADER?`
    : undefined
}

/** Returns what happened, and what the operator can check if that may help. */
const explanation = (feed: Feed, error: ListError): readonly [what: string, advice?: string | undefined] => {
  const { reason, detail, message } = error
  const setting = feed.slot.toUpperCase()
  const place = placeOf(feed)
  const isFormatRight = `Is ${setting}_FORMAT right?`
  const because = detail === undefined ? "" : ` (${detail})`
  switch (reason) {
    case "Unreachable":
      return isFile(feed)
        ? [`${place} cannot be read${because}`, `Is ${setting}_URL right?`]
        : [`${place} cannot be reached${because}`, adviceFor(detail, feed.url.protocol)]
    case "Timeout":
      return [
        detail === CONNECT_TIMED_OUT
          ? `${place} cannot be reached${because}`
          : `${place} is too slow${because}`
      ]
    case "Status":
      return [`${place} responded with status ${detail}`, statusAdvice(feed, detail)]
    case "TooManyRedirects":
      return [`${place} redirects too often`, `Is ${setting}_URL right?`]
    case "ForbiddenRedirect":
      return [`${place} redirects to plain HTTP or into a private network, which is not followed`]
    case "TooLarge":
      return [`the document is too large${because}`]
    case "NotAFeed":
      return [`the document is not a list in the format ${feed.format}${because}`, isFormatRight]
    case "Columns":
      if (feed.format === "csv")
        return [
          `it is not clear which column has the URLs${because}`,
          `Name it in ${setting}_COLUMN, if ${setting}_FORMAT is right`
        ]
      return [`the columns are not those of ${feed.format}${because}`, isFormatRight]
    case "Empty":
      return ["the document has no usable entry", isFormatRight]
    case "Corrupt":
      // A quote that is never closed has no detail.
      return [`the document is damaged${because}`, detail === undefined ? isFormatRight : undefined]
    case "Shrunken":
      return [`the new document is much smaller${because} and is not used`]
    default:
      return [`refreshing the list failed: ${message}`]
  }
}

/**
 * Returns why a list was not refreshed, with advice or else the time until the next attempt:
 * `feed_a: the columns are not those of phishunt-csv. Is FEED_A_FORMAT right?` Contains at most the host of an address.
 */
export const failureText = (feed: Feed, error: ListError, wait: Option.Option<Duration.Duration>): string => {
  const [what, advice] = explanation(feed, error)
  if (advice !== undefined) return `${feed.slot}: ${what}. ${advice}`
  const next = Option.map(wait, (wait) => `; next try in ${inWords(Duration.toMillis(wait))}`)
  return `${feed.slot}: ${what}${Option.getOrElse(next, () => "")}`
}
