import type { HostText } from "../ModelText.ts"
import { mix, type Places, put } from "./Buckets.ts"
import { hashOf, putWords, seed, shapeOf } from "./TokenHash.ts"

/** What tokens of the path are paired with. */
export interface HostKeys {
  readonly suffix: number
  readonly nameShape: number
}

/** Adds words, labels and shapes of a host. */
export const putAll = ({ chosen, suffix }: HostText, mask: number, places: Places): HostKeys => {
  const suffixHash = hashOf(seed.suffix, suffix, 0, suffix.length)
  put(places, suffixHash, mask)
  const nameStart = chosen.lastIndexOf(".") + 1
  putWords(chosen, 0, nameStart, seed.hostWord, seed.hostPair, mask, places)
  putWords(chosen, nameStart, chosen.length, seed.nameWord, seed.hostPair, mask, places)
  for (let start = 0; start <= chosen.length; ) {
    const dot = chosen.indexOf(".", start)
    const end = dot === -1 ? chosen.length : dot
    put(places, hashOf(seed.label, chosen, start, end), mask)
    start = end + 1
  }
  const hostShape = shapeOf(seed.hostShape, chosen, 0, chosen.length, true)
  const nameShape = shapeOf(seed.nameShape, chosen, nameStart, chosen.length, true)
  put(places, hostShape, mask)
  put(places, nameShape, mask)
  put(places, mix(hostShape, suffixHash), mask)
  put(places, mix(nameShape, suffixHash), mask)
  put(places, mix(hashOf(seed.nameAndSuffix, chosen, nameStart, chosen.length), suffixHash), mask)
  return { suffix: suffixHash, nameShape }
}
