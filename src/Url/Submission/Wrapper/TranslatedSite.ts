import * as Unescape from "../Unescape.ts"
import { type Destination, withQuery } from "./Destination.ts"

const SUFFIX = ".translate.goog"
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
  if (!host.endsWith(SUFFIX) || HASHED.test(host)) return []
  const parameters = query.split("&")
  // Servers decode names too.
  const decoded = parameters.map(Unescape.unescapeAscii)
  const own = (name: string): string => {
    const start = `${OWN_PARAMETER}${name}=`
    return decoded.find((parameter) => parameter.startsWith(start))?.slice(start.length) ?? ""
  }
  const codings = own("enc").split(",")
  let name = own("hp") + host.slice(0, -SUFFIX.length)
  if (codings.includes("1") && name.startsWith("1-")) name = name.slice(2)
  const isInternational = codings.includes("0") && name.startsWith("0-")
  if (isInternational) name = name.slice(2)
  const site = `${isInternational ? "xn--" : ""}${name.replace(DOT, ".").replaceAll("--", "-")}`
  const rest = parameters.filter(
    (parameter, index) => parameter !== "" && decoded[index]?.startsWith(OWN_PARAMETER) === false
  )
  return [`https://${site}${withQuery(path, rest.join("&"))}`]
}
