import * as PrivateHost from "../../PrivateHost.ts"
import * as BrandEvidence from "../Brand.ts"
import * as DecoyDomain from "../Host/DecoyDomain.ts"
import * as Hosting from "../Host/Hosting.ts"
import * as HostName from "../Host/HostName.ts"
import * as MachineName from "../Host/MachineName.ts"
import * as Scripts from "../Host/Scripts.ts"
import type { UrlHost } from "../Host.ts"
import * as LureWords from "../LureWords.ts"
import type { Signal } from "./Signal.ts"

/** What draws attention to a host by itself, that is no brand's own. */
export const of = ({ host, isAddress, name }: UrlHost): ReadonlyArray<Signal> => {
  if (PrivateHost.isPrivate(host)) return [{ kind: "privateHost", host }]
  if (name === undefined) return isAddress ? [{ kind: "ipHost", host }] : []
  return ofName(name)
}

const ofName = (name: HostName.HostName): ReadonlyArray<Signal> => {
  const { host, publisher, registrable } = name
  const signals: Array<Signal> = []
  const script = host.includes("xn--") ? ofScripts(host) : undefined
  if (script !== undefined) signals.push(script)
  // The suffix of a publisher's customer was chosen by the publisher.
  const abusedSuffix = publisher === undefined ? Hosting.abusedSuffix(host) : undefined
  if (abusedSuffix !== undefined) signals.push({ kind: "abusedSuffix", suffix: abusedSuffix })
  if (publisher?.kind === "dynamicDns") signals.push({ kind: "dynamicDns", suffix: publisher.suffix })
  const pattern = Hosting.hasGeneratedNames(name.suffix) ? undefined : MachineName.pattern(name.name)
  if (pattern !== undefined) signals.push({ kind: "machineName", label: name.name, pattern })
  const lures = LureWords.find(name.name)
  if (lures.length > 1) signals.push({ kind: "lureInDomain", words: lures })
  const brand = BrandEvidence.inHost(name, signals.length > 0 || publisher !== undefined)
  const decoy = brand?.kind === "brandDomainInHost" ? undefined : DecoyDomain.shownBy(name)
  if (decoy !== undefined) signals.push({ kind: "decoyDomain", shown: decoy, registrable })
  if (brand !== undefined) signals.push({ ...brand, host })
  return signals
}

/** Letters of two alphabets in one label say more than letters of one that is not Latin. */
const ofScripts = (host: string): Signal | undefined => {
  let international: Signal | undefined
  for (const label of host.split(".")) {
    if (!label.startsWith("xn--")) continue
    const scripts = Scripts.mixed(HostName.unicode(label))
    if (scripts !== undefined) return { kind: "mixedScripts", label, scripts }
    international ??= { kind: "internationalHost", label }
  }
  return international
}
