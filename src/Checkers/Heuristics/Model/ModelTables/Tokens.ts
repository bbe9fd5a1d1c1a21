/** Tokens of a URL: words, pairs of words, labels, segments, query keys, and the shapes of its parts. */

import type { HostText, PathText } from "../ModelText.ts"
import { add, type Buckets, mix } from "./Buckets.ts"
import { addWords, hashOf, seeds, shapeOf, start } from "./TokenHash.ts"

const SLASH = 47

/** Deeper segments and paths have the same token as these. */
const MAX_SEGMENT_DEPTH = 5
const MAX_PATH_DEPTH = 6

/** Hashes of the host that tokens of the path are paired with. */
export interface HostHashes {
  readonly suffix: number
  readonly nameShape: number
}

/** Adds the tokens of a host. */
export const addHostTokens = ({ chosen, suffix }: HostText, mask: number, buckets: Buckets): HostHashes => {
  const suffixHash = hashOf(seeds.suffix, suffix, 0, suffix.length)
  add(buckets, suffixHash, mask)
  const nameStart = chosen.lastIndexOf(".") + 1
  addWords(chosen, 0, nameStart, seeds.hostWord, seeds.hostPair, mask, buckets)
  addWords(chosen, nameStart, chosen.length, seeds.nameWord, seeds.hostPair, mask, buckets)
  for (let from = 0; from <= chosen.length; ) {
    const dot = chosen.indexOf(".", from)
    const end = dot === -1 ? chosen.length : dot
    add(buckets, hashOf(seeds.label, chosen, from, end), mask)
    from = end + 1
  }
  const hostShape = shapeOf(seeds.hostShape, chosen, 0, chosen.length, true)
  const nameShape = shapeOf(seeds.nameShape, chosen, nameStart, chosen.length, true)
  add(buckets, hostShape, mask)
  add(buckets, nameShape, mask)
  add(buckets, mix(hostShape, suffixHash), mask)
  add(buckets, mix(nameShape, suffixHash), mask)
  add(buckets, mix(hashOf(seeds.nameAndSuffix, chosen, nameStart, chosen.length), suffixHash), mask)
  return { suffix: suffixHash, nameShape }
}

/** Adds the tokens of path and query, some of them paired with a hash of the host. */
export const addPathTokens = (text: PathText, host: HostHashes, mask: number, buckets: Buckets): void => {
  addSegments(text, host, mask, buckets)
  addQuery(text, mask, buckets)
}

const addSegments = ({ text, pathEnd }: PathText, host: HostHashes, mask: number, buckets: Buckets): void => {
  let depth = 0
  let lastStart = 1
  for (let from = 1; from < pathEnd; depth++) {
    const slash = text.indexOf("/", from)
    const end = slash === -1 || slash > pathEnd ? pathEnd : slash
    const segment = hashOf(seeds.segment, text, from, end)
    add(buckets, segment, mask)
    const shapeSeed = mix(seeds.segmentShape, Math.min(depth, MAX_SEGMENT_DEPTH))
    add(buckets, shapeOf(shapeSeed, text, from, end, true), mask)
    if (depth === 0) add(buckets, mix(mix(start(seeds.suffixAndSegment), segment), host.suffix), mask)
    lastStart = from
    from = end + 1
  }
  if (lastStart < pathEnd) add(buckets, hashOf(seeds.lastSegment, text, lastStart, pathEnd), mask)
  const dot = text.lastIndexOf(".", pathEnd - 1)
  if (dot > lastStart) add(buckets, hashOf(seeds.extension, text, dot, pathEnd), mask)
  addWords(text, 0, pathEnd, seeds.pathWord, seeds.pathPair, mask, buckets)
  const endsInSlash = text.charCodeAt(pathEnd - 1) === SLASH ? 1 : 0
  const depthCode = Math.min(depth, MAX_PATH_DEPTH) * 4 + endsInSlash * 2 + (pathEnd < text.length ? 1 : 0)
  add(buckets, mix(mix(start(seeds.suffixAndDepth), depthCode), host.suffix), mask)
  const pathShape = shapeOf(seeds.pathShape, text, 0, pathEnd, true)
  add(buckets, pathShape, mask)
  add(buckets, mix(pathShape, host.suffix), mask)
  add(buckets, mix(pathShape, host.nameShape), mask)
  add(buckets, shapeOf(seeds.wholeShape, text, 0, text.length, false), mask)
}

const addQuery = ({ text, pathEnd }: PathText, mask: number, buckets: Buckets): void => {
  for (let from = pathEnd + 1; from < text.length; ) {
    const ampersand = text.indexOf("&", from)
    const end = ampersand === -1 ? text.length : ampersand
    const equals = text.indexOf("=", from)
    const keyEnd = equals === -1 || equals > end ? end : equals
    const key = hashOf(seeds.queryKey, text, from, keyEnd)
    add(buckets, key, mask)
    if (keyEnd < end) add(buckets, mix(shapeOf(seeds.queryKey, text, keyEnd, end, true), key), mask)
    from = end + 1
  }
}
