import * as Scan from "./Scan.ts"

/**
 * What both clients send, and where. Without Effect.
 */

/** In UTF-8. */
export const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Where the requests of a client go. */
export interface Service {
  /** The base URL as messages show it: without user name and password, without a slash at the end. */
  readonly baseUrl: string
  /** The user name and the password of the base URL, for a proxy that asks for them: `fetch` rejects them in a URL. */
  readonly headers: Readonly<Record<string, string>>
}

/** `basic("user", "p%C3%A9")` is the header for the password `pé`. Throws for a `%` that encodes nothing. */
const basic = (username: string, password: string): string =>
  `Basic ${btoa(String.fromCharCode(...textBytes(decodeURIComponent(`${username}:${password}`))))}`

/** Returns undefined if the base URL is not http or https, or has a query or a fragment. */
export const serviceAt = (baseUrl: string | URL): Service | undefined => {
  try {
    const { hash, host, pathname, password, protocol, search, username } = new URL(baseUrl)
    if (!/^https?:$/.test(protocol) || search || hash) return undefined
    return {
      baseUrl: `${protocol}//${host}${pathname.replace(/\/+$/, "")}`,
      headers: username || password ? { authorization: basic(username, password) } : {}
    }
  } catch {
    return undefined
  }
}

/** A base URL for an error message, without what may be a secret: user name, password, query, fragment. */
export const redacted = (baseUrl: string | URL): string => `${baseUrl}`.replace(/^.*@|[?#].*/gs, "...")

/** A request of either client. */
export interface ScoringRequest<A> {
  /** After the base URL. */
  readonly path: string
  /** Empty if each URL is too long: the result is a `TooLarge`, without a request. */
  readonly body: string
  /** Reads the body of a response with status 200. Throws if it is outside the contract. */
  readonly read: (body: string, header: Scan.Header) => A
  /**
   * To be called with each answer. Reads the headers of the rate limit, which the answer of a proxy may lack. Returns whether
   * the URLs are to be sent again at once, in smaller requests.
   */
  readonly divide?: (status: number, header: Scan.Header) => boolean
}

export const checkOf = (url: string): ScoringRequest<Scan.Scan> => ({
  path: "/api/check?findings=true",
  body: JSON.stringify({ url }),
  read: Scan.read
})
