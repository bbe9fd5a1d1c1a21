import type { CanonicalUrl } from "../../../Url/CanonicalUrl.ts"
import type { Signal } from "../../Kinds.ts"

/**
 * A page among the files of WordPress, or in the folder for certificate validation: visitors have no pages there, but an
 * intruder can write there. Uploads and the two programs that sites call themselves do not count.
 */
const AMONG_SOFTWARE =
  /\/(wp-content|wp-includes|wp-admin|\.well-known)\/(?!(?:uploads\/|admin-(?:ajax|post)\.php))(?:[^?]*\/)?(?:[^/.?]+\.(?:php\d?|html?|aspx?)\/?)?$/

/** `/index.html/` */
const PAGE_AS_FOLDER = /([^/]*\.(?:html?|php))\/$/

/** Content identifiers of version 0 and 1 (https://docs.ipfs.tech/concepts/content-addressing/). */
const CONTENT_IDENTIFIER = /\/(Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{40,})(?:$|\/)/

const MIN_IDENTIFIER_CHARS = 40

const MAIL_ADDRESS = /[\w.+-]{1,64}(?:@|%40)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.[a-z]{2,12}/i

/** The rest of a path or query is padding. */
const MAX_READ_CHARS = 1024

/** Adds the signals of path and query that do not depend on the host. */
export const addSignals = (url: CanonicalUrl, signals: Array<Signal>): void => {
  const path = url.path.slice(0, MAX_READ_CHARS)
  const query = url.query?.slice(0, MAX_READ_CHARS)
  if (path.length > 1) {
    const folder =
      path.includes("/wp-") || path.includes("/.well-known/") ? AMONG_SOFTWARE.exec(path)?.[1] : undefined
    if (folder !== undefined) signals.push({ kind: "pageAmongSoftware", folder })
    const page = endsInFolderWithDot(path) ? PAGE_AS_FOLDER.exec(path)?.[1] : undefined
    if (page !== undefined) signals.push({ kind: "pageAsFolder", page })
    const identifier = path.length > MIN_IDENTIFIER_CHARS ? CONTENT_IDENTIFIER.exec(path)?.[1] : undefined
    if (identifier !== undefined) signals.push({ kind: "contentIdentifier", identifier })
  }
  if (hasMailAddress(path) || (query !== undefined && hasMailAddress(query)))
    signals.push({ kind: "mailAddress" })
}

/** Spares most paths the regular expression. */
const endsInFolderWithDot = (path: string): boolean =>
  path.endsWith("/") && path.includes(".", path.lastIndexOf("/", path.length - 2))

const hasMailAddress = (text: string): boolean =>
  (text.includes("@") || text.includes("%40")) && MAIL_ADDRESS.test(text)
