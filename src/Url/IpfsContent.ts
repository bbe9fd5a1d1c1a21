/**
 * Content on IPFS has the same name at all gateways, so that a page which is listed at one is phishing at each
 * (https://docs.ipfs.tech/how-to/address-ipfs-on-web/).
 */

import { Either } from "effect"
import { base36 } from "multiformats/bases/base36"
import { CID } from "multiformats/cid"
import type { CanonicalUrl } from "./CanonicalUrl.ts"

/** From a CID of version 0 to what a label of a host may have; a longer name in a path is not one that people pass on. */
const IN_PATH = /^\/(ip[fn]s)\/([A-Za-z0-9]{46,100})(?=\/|$)/
const IN_HOST = /^([a-z0-9]{46,63})\.(ip[fn]s)\./
/** What `contentOf` returns. Its path is its own: it names no other content. */
const IS_CONTENT = /\.ip[fn]s$/

const isOfIpfs = (scheme: string): boolean => scheme === "ipfs" || scheme === "ipns"

/** Whether a URL may have such a name. A search takes less time than the patterns, and nearly no URL has one. */
const mayHaveContent = ({ host, path, scheme }: CanonicalUrl): boolean =>
  path.startsWith("/ip") || host.includes(".ipfs.") || host.includes(".ipns.") || isOfIpfs(scheme)

/** The name in the one spelling that all others have; undefined if it is none. `k...` is one in base 36. */
const canonicalName = (name: string): string | undefined =>
  Either.getOrUndefined(
    Either.try(() => (name.startsWith("k") ? CID.parse(name, base36) : CID.parse(name)).toV1().toString())
  )

/**
 * Returns the address of what a gateway, or `ipfs:`, shows, as if its name were the host; undefined if the URL has no such name.
 *
 * `contentOf` of `https://ipfs.io/ipfs/bafybei.../a.html` and of `https://bafybei....ipfs.dweb.link/a.html` has the host
 * `bafybei....ipfs` and the path `/a.html`.
 */
export const contentOf = (url: CanonicalUrl): CanonicalUrl | undefined => {
  if (!mayHaveContent(url) || IS_CONTENT.test(url.host)) return undefined
  const { host, path, scheme } = url
  const [, nameInHost, spaceInHost] = IN_HOST.exec(isOfIpfs(scheme) ? `${host}.${scheme}.` : host) ?? []
  const [start = "", spaceInPath, nameInPath = ""] =
    nameInHost === undefined ? (IN_PATH.exec(path) ?? []) : []
  const name = canonicalName(nameInHost ?? nameInPath)
  if (name === undefined) return undefined
  return { ...url, host: `${name}.${spaceInHost ?? spaceInPath}`, path: path.slice(start.length) || "/" }
}
