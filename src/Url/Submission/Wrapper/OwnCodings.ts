/** The links of services that code the address in a way of their own. */

import { Buffer } from "node:buffer"
import * as InnerAddress from "../InnerAddress.ts"
import { type Destination, parameters, withQuery } from "./Destination.ts"

/**
 * Version 2 of Proofpoint's URL Defense, as in the decoder that Proofpoint publishes: in the parameter `u`, `-` stands for `%`
 * and `_` for `/`.
 *
 * Of `/v2/url?u=https-3A__example.com_a-2Db&d=x` it is `https%3A//example.com/a%2Db`.
 */
export const urlDefense2: Destination = (link) =>
  parameters("u")(link).map((value) => value.replaceAll("-", "%").replaceAll("_", "/"))

const END_OF_ADDRESS = "__;"

/**
 * Version 3: the address stands between `/v3/__` and `__;`. Each `*` in it stands for the next character of those that
 * follow in base64, before a `!`; `**` and a letter for several of them.
 *
 * Of `/v3/__https://example.com/*x__;Iw!!token$` it is `https://example.com/#x`.
 */
export const urlDefense3: Destination = ({ path, query }) => {
  const text = withQuery(path, query)
  const start = text.indexOf("__") + 2
  const end = text.indexOf(END_OF_ADDRESS, start)
  if (start === 1 || end === -1) return []
  const from = end + END_OF_ADDRESS.length
  const mark = text.indexOf("!", from)
  const replaced = Buffer.from(text.slice(from, mark === -1 ? from : mark), "base64").toString()
  return [filled(text.slice(start, end), Array.from(replaced))]
}

/** `*`, or `**` and a letter for the number of characters. */
const GAP = /\*(?:\*([\w-]))?/g

/** `A` is two characters, the shortest run; `_` is 65. */
const RUN_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
const MIN_RUN = 2

const filled = (text: string, characters: ReadonlyArray<string>): string => {
  let next = 0
  return text.replace(GAP, (_, letter: string | undefined) => {
    const from = next
    next += letter === undefined ? 1 : RUN_LETTERS.indexOf(letter) + MIN_RUN
    return characters.slice(from, next).join("")
  })
}

const TRANSLATED_SUFFIX = ".translate.goog"
const OWN_PARAMETER = "_x_tr_"

/** In the label, `-` stands for a dot and `--` for a hyphen. */
const DOT = /\b-\b/g

/** The label of a name that is too long for it holds hashes and only a part of the name: 26 digits of base 32, then 15 more. */
const HASHED = /^[a-z2-7]{26}-(?:[a-z0-9]{15})?-/

/**
 * Google's translation of a site, under a host that names it. `_x_tr_enc` lists the codings of that name: `1` is dropped in
 * front of it, `0` is an international name, whose `xn--` was cut. `_x_tr_hp` is the beginning of a name too long for a label
 * (Google Search Central, "Translated results"). What a hash names cannot be read.
 *
 * Of `www-my--shop-example.translate.goog/a?id=1&_x_tr_sl=auto` it is `https://www.my-shop.example/a?id=1`.
 */
export const translatedSite: Destination = ({ host, path, query }) => {
  if (!host.endsWith(TRANSLATED_SUFFIX) || HASHED.test(host)) return []
  const parameters = InnerAddress.parametersOf(query)
  const own = (wanted: string): string =>
    InnerAddress.unescapeAscii(parameters.find(([written]) => written === wanted)?.[1] ?? "")
  const codings = own("_x_tr_enc").split(",")
  let name = own("_x_tr_hp") + host.slice(0, -TRANSLATED_SUFFIX.length)
  if (codings.includes("1") && name.startsWith("1-")) name = name.slice(2)
  const isInternational = codings.includes("0") && name.startsWith("0-")
  if (isInternational) name = name.slice(2)
  const site = `${isInternational ? "xn--" : ""}${name.replace(DOT, ".").replaceAll("--", "-")}`
  const rest = query
    .split("&")
    .filter(
      (parameter) => parameter !== "" && !InnerAddress.unescapeAscii(parameter).startsWith(OWN_PARAMETER)
    )
  return [`https://${site}${withQuery(path, rest.join("&"))}`]
}
