/** The codings of Proofpoint's URL Defense, as in the decoder that Proofpoint publishes. */

import { Buffer } from "node:buffer"
import { MAX_ADDRESS_CHARS } from "../InnerAddress.ts"
import * as Destination from "./Destination.ts"

/**
 * Version 2: in the parameter `u`, `-` stands for `%` and `_` for `/`.
 *
 * Of `/v2/url?u=https-3A__example.com_a-2Db&d=x` it is `https%3A//example.com/a%2Db`.
 */
export const version2: Destination.Destination = (link) =>
  Destination.parameters("u")(link).map((value) => value.replaceAll("-", "%").replaceAll("_", "/"))

const END_OF_ADDRESS = "__;"

/**
 * Version 3: the address stands between `/v3/__` and `__;`. Each `*` in it stands for the next character of those that
 * follow in base64, before a `!`; `**` and a letter for several of them.
 *
 * Of `/v3/__https://example.com/*x__;Iw!!token$` it is `https://example.com/#x`.
 */
export const version3: Destination.Destination = ({ path, query }) => {
  const text = Destination.withQuery(path, query)
  const start = text.indexOf("__") + 2
  const end = text.indexOf(END_OF_ADDRESS, start)
  if (start === 1 || end === -1) return []
  const from = end + END_OF_ADDRESS.length
  const mark = text.indexOf("!", from)
  const replaced = Buffer.from(text.slice(from, mark === -1 ? from : mark), "base64").toString()
  const read = text.slice(start, Math.min(end, start + MAX_ADDRESS_CHARS))
  return [filled(read, Array.from(replaced.slice(0, MAX_ADDRESS_CHARS)))]
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
