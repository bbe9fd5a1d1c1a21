import { isNetwork } from "./Networks.ts"

/** Plain data, which the thread of the lists gets too. */
export interface ProxySettings {
  /** The proxy for `https:` addresses. May contain a password: never log it. */
  readonly https: string | undefined
  /** The proxy for `http:` addresses. */
  readonly http: string | undefined
  /** The entries of NO_PROXY. */
  readonly except: ReadonlyArray<string>
}

/** `example.com`, `.example.com`, `*.example.com:8080`, `192.0.2.7:80` or `[2001:db8::1]:8080`. */
const ENTRY = /^(?:\[([^\]]*)\]|(?:\*?\.)?([^:*[\]]*))(?::(\d{1,5}))?$/

/**
 * Whether addresses have the host as it is written. They have `xn--` for letters of other scripts, and `192.0.0.168` for
 * `192.168.`, which other programs read as the beginning of an address.
 */
const isHost = (text: string): boolean =>
  URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text

const MAX_PORT = 65_535

/** Reads an entry of NO_PROXY; undefined: it cannot be read. `*` is none of these. */
export const exceptionOf = (
  entry: string
): { readonly host: string; readonly port: string | undefined } | undefined => {
  if (isNetwork(entry)) return { host: entry, port: undefined }
  const [, bracketed, plain = "", port] = ENTRY.exec(entry) ?? []
  const host = (bracketed ?? plain).toLowerCase()
  if (!isNetwork(host) && !isHost(host)) return undefined
  if (port === undefined) return { host: host.replace(/\.$/, ""), port }
  return Number(port) <= MAX_PORT ? { host: host.replace(/\.$/, ""), port: String(Number(port)) } : undefined
}

/** Whether an entry of NO_PROXY can be read: `*`, a host, a domain, an address or a network, each with or without a port. */
export const isException = (entry: string): boolean => entry === "*" || exceptionOf(entry) !== undefined
