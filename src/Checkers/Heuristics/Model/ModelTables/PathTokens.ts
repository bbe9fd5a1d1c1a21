import type { RestText } from "../ModelText.ts"
import { mix, type Places, put } from "./Buckets.ts"
import type { HostKeys } from "./HostTokens.ts"
import { begin, hashOf, putWords, seed, shapeOf } from "./TokenHash.ts"

const SLASH = 47

/** From here on it does not matter how deep a page lies. */
const DEEP_SEGMENT = 5
const DEEP_PATH = 6

/** Adds words, segments and shapes of the path and keys of the query, some of them paired with what the host is like. */
export const putAll = (text: RestText, host: HostKeys, mask: number, places: Places): void => {
  putSegments(text, host, mask, places)
  putQuery(text, mask, places)
}

const putSegments = ({ rest, pathEnd }: RestText, host: HostKeys, mask: number, places: Places): void => {
  let depth = 0
  let lastStart = 1
  for (let start = 1; start < pathEnd; depth++) {
    const slash = rest.indexOf("/", start)
    const end = slash === -1 || slash > pathEnd ? pathEnd : slash
    const segment = hashOf(seed.segment, rest, start, end)
    put(places, segment, mask)
    put(places, shapeOf(mix(seed.segmentShape, Math.min(depth, DEEP_SEGMENT)), rest, start, end, true), mask)
    if (depth === 0) put(places, mix(mix(begin(seed.suffixAndSegment), segment), host.suffix), mask)
    lastStart = start
    start = end + 1
  }
  if (lastStart < pathEnd) put(places, hashOf(seed.lastSegment, rest, lastStart, pathEnd), mask)
  const dot = rest.lastIndexOf(".", pathEnd - 1)
  if (dot > lastStart) put(places, hashOf(seed.extension, rest, dot, pathEnd), mask)
  putWords(rest, 0, pathEnd, seed.pathWord, seed.pathPair, mask, places)
  const endsInSlash = rest.charCodeAt(pathEnd - 1) === SLASH ? 1 : 0
  const depthCode = Math.min(depth, DEEP_PATH) * 4 + endsInSlash * 2 + (pathEnd < rest.length ? 1 : 0)
  put(places, mix(mix(begin(seed.suffixAndDepth), depthCode), host.suffix), mask)
  const pathShape = shapeOf(seed.pathShape, rest, 0, pathEnd, true)
  put(places, pathShape, mask)
  put(places, mix(pathShape, host.suffix), mask)
  put(places, mix(pathShape, host.nameShape), mask)
  put(places, shapeOf(seed.wholeShape, rest, 0, rest.length, false), mask)
}

const putQuery = ({ rest, pathEnd }: RestText, mask: number, places: Places): void => {
  for (let start = pathEnd + 1; start < rest.length; ) {
    const ampersand = rest.indexOf("&", start)
    const end = ampersand === -1 ? rest.length : ampersand
    const equals = rest.indexOf("=", start)
    const keyEnd = equals === -1 || equals > end ? end : equals
    const key = hashOf(seed.queryKey, rest, start, keyEnd)
    put(places, key, mask)
    if (keyEnd < end) put(places, mix(shapeOf(seed.queryKey, rest, keyEnd, end, true), key), mask)
    start = end + 1
  }
}
