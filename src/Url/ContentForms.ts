/**
 * Normal forms of paths on shared hosts, under which an entry of a list covers other spellings of the same content. A list
 * holds a form with `Coverage.CONTENT`, so that a form is never taken for a listed URL.
 */

import type { CanonicalUrl } from "./CanonicalUrl.ts"
import { contentPath } from "./SharedHost/ContentPaths.ts"
import * as ContentQuery from "./SharedHost/ContentQuery.ts"

/**
 * The form of a listed URL; undefined for one that covers only itself. Where the path names the content, the query does not
 * matter unless the entry has one. Elsewhere an entry covers nothing without its query.
 *
 * That of `https://drive.google.com/file/d/1/view` is `/file/d/1`, that of `https://drive.google.com/open?usp=x&id=1` is
 * `/open?id=1`, and `https://drive.google.com/open` has none.
 */
export const ofEntry = ({ host, path, query }: CanonicalUrl): string | undefined => {
  const content = contentPath(host, path)
  const parameters = ContentQuery.normalized(query)
  if (parameters === undefined) return undefined
  return parameters === "" ? content : `${content ?? path}?${parameters}`
}

/** The forms under which a URL on a shared host may be listed: two at most. */
export const ofUrl = ({ host, path, query }: CanonicalUrl): ReadonlyArray<string> => {
  const content = contentPath(host, path)
  const parameters = ContentQuery.normalized(query)
  const forms = content === undefined ? [] : [content]
  if (parameters !== undefined && parameters !== "") forms.push(`${content ?? path}?${parameters}`)
  return forms
}
