import * as Idna from "../../../Url/CanonicalUrl/Idna.ts"
import * as PrivateHost from "../../../Url/PrivateHost.ts"
import type { NamedBrand, Signal } from "../../Kinds.ts"
import * as BrandOwner from "../Brand/BrandOwner.ts"
import type { BrandEvidence } from "../Brand.ts"
import * as Brand from "../Brand.ts"
import * as DecoyDomain from "../Host/DecoyDomain.ts"
import * as Hosting from "../Host/Hosting.ts"
import * as MachineName from "../Host/MachineName.ts"
import * as Scripts from "../Host/Scripts.ts"
import type * as Host from "../Host.ts"
import type { HostFacts } from "../HostFacts.ts"
import * as LureWords from "../LureWords.ts"

/** The signals of a host that is not a brand's own. */
export const signalsOf = ({ host, isAddress, name }: HostFacts): ReadonlyArray<Signal> => {
  if (PrivateHost.isPrivate(host)) return [{ kind: "privateHost", host }]
  if (name === undefined) return isAddress ? [{ kind: "ipHost", host }] : []
  return signalsOfName(name)
}

const signalsOfName = (name: Host.HostName): ReadonlyArray<Signal> => {
  const { host, hostingFirm, registrable } = name
  const signals: Array<Signal> = []
  const script = host.includes("xn--") ? alphabetSignal(host) : undefined
  if (script !== undefined) signals.push(script)
  // The tenant of a hosting firm did not choose the suffix.
  const abusedSuffix = hostingFirm === undefined ? Hosting.abusedSuffix(host) : undefined
  if (abusedSuffix !== undefined) signals.push({ kind: "abusedSuffix", suffix: abusedSuffix })
  if (hostingFirm?.kind === "dynamicDns") signals.push({ kind: "dynamicDns", suffix: hostingFirm.suffix })
  const pattern = Hosting.hasGeneratedNames(name.suffix) ? undefined : MachineName.patternOf(name.name)
  if (pattern !== undefined) signals.push({ kind: "machineName", label: name.name, pattern })
  // Under a free name a page for signing in is what developers make every day.
  const lures = hostingFirm?.kind === "freeHosting" ? [] : LureWords.find(name.name)
  if (lures.length > 1) signals.push({ kind: "lureInDomain", words: lures })
  const brand = Brand.findInHost(name, signals.length > 0 || hostingFirm !== undefined)
  const decoy = brand?.kind === "brandDomainInHost" ? undefined : DecoyDomain.decoyDomainOf(name)
  if (decoy !== undefined) signals.push({ kind: "decoyDomain", shown: decoy, registrable })
  if (brand !== undefined) signals.push({ kind: brand.kind, brand: named(brand), host })
  return signals
}

/** The brand as sentences show it. `name` is the one of its names that was found. */
export const named = ({ brand, name }: Pick<BrandEvidence, "brand" | "name">): NamedBrand => {
  const domain = BrandOwner.domainToShow(brand, name)
  return {
    shown: BrandOwner.shownName(name, domain),
    domain,
    isBank: brand.sector === "bank",
    isEveryday: brand.everyday
  }
}

/** Mixed alphabets in one label are stronger evidence than one alphabet that is not Latin. */
const alphabetSignal = (host: string): Signal | undefined => {
  let international: Signal | undefined
  for (const label of host.split(".")) {
    if (!label.startsWith("xn--")) continue
    const scripts = Scripts.mixedAlphabets(Idna.toUnicode(label))
    if (scripts !== undefined) return { kind: "mixedScripts", label, scripts }
    international ??= { kind: "internationalHost", label }
  }
  return international
}
