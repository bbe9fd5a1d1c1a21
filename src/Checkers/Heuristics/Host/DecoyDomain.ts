import type { HostName } from "../Host.ts"

const genericSuffixes: ReadonlySet<string> = new Set(["com", "net", "org", "gov"])
/** Second levels for registrations in a country: `co.jp`, `com.br`. */
const secondLevels: ReadonlySet<string> = new Set("co com net ne or org go gov gob ac edu".split(" "))
const country = /^[a-z]{2}$/

/** Library proxies put a publisher's host before their own: `www.example.com.proxy.example.edu`. */
const academicSuffix = /\.(?:edu|edu\.[a-z]{2}|ac\.[a-z]{2})$/

/**
 * A different domain that a host shows before its own, for readers who stop where a host usually ends: `example.com` of
 * `login.example.com.evil.net`, `parcel.com` of `parcel.com-track.net`. Nothing for other hosts.
 */
export const decoyDomainOf = ({ subdomains, name, registrable }: HostName): string | undefined => {
  if (subdomains.length === 0 || academicSuffix.test(registrable)) return undefined
  for (const [at, before] of subdomains.entries()) {
    if (before === "www") continue
    const label = subdomains[at + 1]
    const first = (label ?? name).split("-", 1)[0] ?? ""
    if (first !== (label ?? name)) {
      if (genericSuffixes.has(first)) return `${before}.${first}`
    } else if (label !== undefined) {
      const next = subdomains[at + 2] ?? ""
      if (secondLevels.has(label) && country.test(next)) return `${before}.${label}.${next}`
      if (genericSuffixes.has(label)) return `${before}.${label}`
    }
  }
  return undefined
}
