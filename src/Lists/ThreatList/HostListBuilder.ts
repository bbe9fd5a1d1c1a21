import * as Digest from "../../Url/Digest.ts"
import { ThreatList } from "../ThreatList.ts"
import * as ThreatListBytes from "./ThreatListBytes.ts"

const FIRST_HOSTS = 16_384

/**
 * Builds a `ThreatList` of hosts without records, so that only `hasHost` can find them: 12 bytes a host. `add` every host, then
 * `build`.
 */
export class HostListBuilder {
  #digests = new BigUint64Array(FIRST_HOSTS)
  #count = 0

  /** How many hosts were added, including duplicates. Each takes 8 bytes until `build`. */
  get records(): number {
    return this.#count
  }

  add(host: string): void {
    if (this.#count === this.#digests.length) {
      const larger = new BigUint64Array(2 * this.#count)
      larger.set(this.#digests)
      this.#digests = larger
    }
    const { high, low } = Digest.digestOf(host)
    this.#digests[this.#count++] = (BigInt(high) << 32n) | BigInt(low)
  }

  build(): ThreatList {
    const sorted = this.#digests.subarray(0, this.#count).sort()
    let hosts = 0
    for (let at = 0; at < sorted.length; at++)
      if (at === 0 || sorted[at] !== sorted[at - 1]) sorted[hosts++] = sorted[at] ?? 0n
    const list = ThreatListBytes.allocate({
      hosts,
      records: 0,
      entries: hosts,
      entriesInDocument: hosts,
      isDated: false
    })
    for (let host = 0; host < hosts; host++) {
      const digest = sorted[host] ?? 0n
      list.sections.hosts[2 * host] = Number(digest >> 32n)
      list.sections.hosts[2 * host + 1] = Number(digest & 0xffffffffn)
    }
    return new ThreatList(list)
  }
}
