/** Asks the service to check links. */

/** @import { Formatter } from "./Languages/message.browser.js" */
import * as Texts from "./texts.browser.js"

/** Relative to the page, so that it also works below a path of a proxy. */
const ENDPOINT = "api/checks"

/** Links of a text in one request: a message rarely has more, and each counts against the visitor's rate limit. */
const MAX_LINKS = 10

/** Of a request that the service is too busy for. */
const MAX_RETRIES = 2

/** A visitor does not wait longer. The service asks for one second. */
const MAX_RETRY_AFTER_SECONDS = 5

const MS_PER_SECOND = 1000

/** Fewer than `MAX_LINKS` if the rate limit is lower. */
let maxLinks = MAX_LINKS

/**
 * How many of these links the next request checks.
 *
 * @param {number} links
 */
export const nextCount = (links) => Math.min(links, maxLinks)

/**
 * A parameter of `RateLimit` or `RateLimit-Policy`, such as `q` of `"default";q=100;w=900`.
 *
 * @param {string | null} header
 * @param {string} name
 */
const parameter = (header, name) => {
  const fields = (header ?? "").split(";").map((field) => field.trim())
  const digits = fields.find((field) => field.startsWith(`${name}=`))?.slice(name.length + 1)
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Waits. Rejects when the signal aborts.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 */
const pause = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds)
    signal.addEventListener("abort", reject, { once: true })
  })

/**
 * Checks the first of the links: up to ten, or as many as the rate limit leaves. Tries again when the service is too busy.
 *
 * @param {ReadonlyArray<string>} links
 * @param {AbortSignal} signal
 * @param {Pick<Formatter, "when">} formatter
 * @returns {Promise<ReadonlyArray<Texts.Result> | Texts.Message>} a message: why there are no results
 */
export const checkFirst = async (links, signal, { when }) => {
  let urls = links.slice(0, maxLinks)
  try {
    for (let retries = 0; ; ) {
      const response = await fetch(ENDPOINT, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ urls }),
        signal
      })
      const { headers, ok, status } = response
      maxLinks = Math.min(MAX_LINKS, parameter(headers.get("ratelimit-policy"), "q") ?? MAX_LINKS)
      if (ok) return Texts.resultsOf(await response.json(), urls) ?? Texts.FOREIGN_RESPONSE
      const left = parameter(headers.get("ratelimit"), "r") ?? 0
      const seconds = Number(headers.get("retry-after") ?? Number.NaN)
      // Above the limit 400, and 429 if only this window has too few: no link was checked.
      if ((status === 400 || status === 429) && left > 0 && left < urls.length) urls = urls.slice(0, left)
      else if (status === 503 && seconds <= MAX_RETRY_AFTER_SECONDS && retries < MAX_RETRIES) {
        retries++
        await pause(seconds * MS_PER_SECOND, signal)
      } else return Texts.errorOf(status, when(seconds), urls.length)
    }
  } catch (error) {
    return error instanceof SyntaxError ? Texts.FOREIGN_RESPONSE : Texts.UNREACHABLE
  }
}
