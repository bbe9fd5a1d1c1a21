import type { CanonicalUrl } from "../../CanonicalUrl.ts"
import type { Signal } from "./Signal.ts"

/**
 * A page among the files of WordPress, or where servers keep their certificates' proofs: visitors have no business there,
 * but an intruder can write there. Files that themes and upload folders hold for visitors do not count, nor the two
 * programs that sites call themselves.
 */
const AMONG_SOFTWARE =
  /\/(wp-content|wp-includes|wp-admin|\.well-known)\/(?!(?:uploads\/|admin-(?:ajax|post)\.php))(?:[^?]*\/)?(?:[^/.?]+\.(?:php\d?|html?|aspx?)\/?)?$/

/** `/index.html/`: a page where a folder would be. */
const PAGE_AS_FOLDER = /\.(?:html?|php)\/$/

/** Content identifiers of version 0 and 1 (https://docs.ipfs.tech/concepts/content-addressing/). */
const CONTENT_IDENTIFIER = /\/(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{40,})(?:$|\/)/

const SHORTEST_IDENTIFIER = 40

const MAIL_ADDRESS = /[\w.+-]{1,64}(?:@|%40)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.[a-z]{2,12}/i

/** More of a path or query is padding. */
const LONGEST_READ = 1024

/** Adds what is unusual about a path and a query, whoever the host is. */
export const addOfUrl = (url: CanonicalUrl, signals: Array<Signal>): void => {
  const path = url.path.slice(0, LONGEST_READ)
  const query = url.query?.slice(0, LONGEST_READ)
  if (path.length > 1) {
    const folder =
      path.includes("/wp-") || path.includes("/.well-known/") ? AMONG_SOFTWARE.exec(path)?.[1] : undefined
    if (folder !== undefined) signals.push({ kind: "pageAmongSoftware", folder })
    if (path.endsWith("/") && PAGE_AS_FOLDER.test(path)) signals.push({ kind: "pageAsFolder" })
    if (path.length > SHORTEST_IDENTIFIER && CONTENT_IDENTIFIER.test(path))
      signals.push({ kind: "contentIdentifier" })
  }
  if (holdsMailAddress(path) || (query !== undefined && holdsMailAddress(query)))
    signals.push({ kind: "mailAddress" })
}

const holdsMailAddress = (text: string): boolean =>
  (text.includes("@") || text.includes("%40")) && MAIL_ADDRESS.test(text)
