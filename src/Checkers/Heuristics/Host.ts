import * as PublicSuffix from "../../Url/PublicSuffix.ts"
import * as Hosting from "./Host/Hosting.ts"

/** The parts of a host that is a name. */
export interface HostName {
  readonly host: string
  /** The part that one party registered: `example.co.uk` of `shop.example.co.uk`, `someone.github.io` of `www.someone.github.io`. */
  readonly registrable: string
  /** The first label of `registrable`, chosen by the registrant. */
  readonly name: string
  /** The rest of `registrable`: `co.uk`, `github.io`. */
  readonly suffix: string
  /** All before the suffix, which is what the registrant chose. */
  readonly chosen: string
  /** The labels before `registrable`, from left to right. */
  readonly subdomains: ReadonlyArray<string>
  /** The hosting firm whose tenant this host is, if any. */
  readonly hostingFirm: Hosting.HostingFirm | undefined
}

/** Nothing for a host without a registrable domain: a name without a dot, a public suffix. Not for IP addresses. */
export const parse = (host: string, domain = PublicSuffix.registrableDomain(host)): HostName | undefined => {
  const hostingFirm = Hosting.hostingFirmOf(host)
  const registrable = hostingFirm?.tenant ?? domain
  if (registrable === undefined) return undefined
  const dot = registrable.indexOf(".")
  const inFront = host.length - registrable.length - 1
  const suffix = registrable.slice(dot + 1)
  return {
    host,
    registrable,
    name: registrable.slice(0, dot),
    suffix,
    chosen: host.slice(0, -(suffix.length + 1)),
    subdomains: inFront > 0 ? host.slice(0, inFront).split(".") : [],
    hostingFirm
  }
}
