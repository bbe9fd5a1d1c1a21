import type { HostName } from "./HostName.ts"

const genericSuffixes: ReadonlySet<string> = new Set(["com", "net", "org", "gov"])
/** Under which countries register: `co.jp`, `com.br`. */
const secondLevels: ReadonlySet<string> = new Set("co com net ne or org go gov gob ac edu".split(" "))
const country = /^[a-z]{2}$/

/** Libraries serve the sites of publishers through a domain of their own: `www.example.com.proxy.example.edu`. */
const academic = /\.(?:edu|edu\.[a-z]{2}|ac\.[a-z]{2})$/

/**
 * Another domain that a host shows before its own, for readers who stop where an address usually ends:
 * `login.example.com.evil.net` shows `example.com`, `parcel.com-track.net` shows `parcel.com`. Nothing for others.
 */
export const shownBy = ({ subdomains, name, registrable }: HostName): string | undefined => {
  if (subdomains.length === 0 || academic.test(registrable)) return undefined
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
