import { textBytes } from "./TextBytes.ts"

/** Where the requests of a client go. */
export interface Service {
  /** The base URL as messages show it: without user name and password, without a slash at the end. */
  readonly baseUrl: string
  /** The address of a check. */
  readonly address: string
  /** The user name and the password of the base URL, for a proxy that asks for them: `fetch` rejects them in a URL. */
  readonly headers: Readonly<Record<string, string>>
}

/** `basic("user", "p%C3%A9")` is the header for the password `pé`. Throws for a `%` that encodes nothing. */
const basic = (username: string, password: string): string => {
  const bytes = textBytes(decodeURIComponent(`${username}:${password}`))
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/** Returns undefined if the base URL is not http or https, or has a query or a fragment. */
export const parse = (baseUrl: string | URL): Service | undefined => {
  try {
    const { hash, host, pathname, password, protocol, search, username } = new URL(baseUrl)
    if (!/^https?:$/.test(protocol) || `${search}${hash}` !== "") return undefined
    const shown = `${protocol}//${host}${pathname.replace(/\/+$/, "")}`
    return {
      baseUrl: shown,
      address: `${shown}/api/check`,
      headers: username || password ? { authorization: basic(username, password) } : {}
    }
  } catch {
    return undefined
  }
}

/** A base URL for an error message, without what may be a secret: user name, password, query, fragment. */
export const redacted = (baseUrl: string | URL): string => `${baseUrl}`.replace(/^.*@|[?#].*/gs, "...")
