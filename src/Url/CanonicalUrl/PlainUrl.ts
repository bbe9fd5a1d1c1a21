/** Bits of `allowedParts`. */
const IN_HOST = 1
const IN_PATH = 2
const IN_QUERY = 4

/**
 * For each byte, the parts of a URL that may contain it: printable ASCII except delimiters and what canonicalization changes
 * (capitals in a host, escapes, backslashes in a path).
 */
const allowedParts = new Uint8Array(0x100)
for (let byte = 0x21; byte < 0x7f; byte++) {
  const character = String.fromCharCode(byte)
  if (/[a-z0-9_-]/.test(character)) allowedParts[byte] = (allowedParts[byte] ?? 0) | IN_HOST
  if (/[^#%?\\/]/.test(character)) allowedParts[byte] = (allowedParts[byte] ?? 0) | IN_PATH
  if (/[^#%]/.test(character)) allowedParts[byte] = (allowedParts[byte] ?? 0) | IN_QUERY
}

const DOT = 0x2e
const SLASH = 0x2f
const QUESTION_MARK = 0x3f

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

const ascii = (text: string): ReadonlyArray<number> =>
  Array.from(text, (character) => character.charCodeAt(0))
const HTTP = ascii("http")
const AFTER_SCHEME = ascii("://")

const hasAt = (bytes: Uint8Array, at: number, expected: ReadonlyArray<number>): boolean => {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false
  return true
}

/**
 * Finds the parts of a URL that is canonical already: scheme `http`, `https` or none, no user info, no port, a last host
 * label that does not start with a digit, and nothing that canonicalization would change. It may reject canonical URLs.
 *
 * The indexes of the parts are fields of the instance and are overwritten by the next `find`: one instance can read a
 * million lines without an allocation each.
 */
export class PlainUrl {
  /** Index of the scheme, or of the host if there is no scheme. */
  start = 0
  hostStart = 0
  hostEnd = 0
  /** Equal to `hostEnd` if there is no path; the path then is `/`. */
  pathEnd = 0
  /** Equal to `pathEnd` if there is no query; otherwise the query begins one byte after `pathEnd`. */
  end = 0

  /** Whether the bytes are such a URL. Takes linear time. */
  find(bytes: Uint8Array, start: number, end: number): boolean {
    this.start = start
    this.hostStart = skipScheme(bytes, start)
    this.hostEnd = skipHost(bytes, this.hostStart, end)
    if (this.hostEnd === NOT_PLAIN) return false
    this.pathEnd = skipPath(bytes, this.hostEnd, end)
    if (this.pathEnd === NOT_PLAIN) return false
    this.end = end
    if (this.pathEnd === end) return true
    if (bytes[this.pathEnd] !== QUESTION_MARK) return false
    return skip(IN_QUERY, bytes, this.pathEnd + 1, end) === end
  }
}

const NOT_PLAIN = -1

const skipScheme = (bytes: Uint8Array, start: number): number => {
  if (!hasAt(bytes, start, HTTP)) return start
  const end = start + HTTP.length + (bytes[start + HTTP.length] === S ? 1 : 0)
  return hasAt(bytes, end, AFTER_SCHEME) ? end + AFTER_SCHEME.length : start
}

const S = 0x73

/** Returns the index of the first byte from `start` that is not allowed in this part. */
const skip = (part: number, bytes: Uint8Array, start: number, end: number): number => {
  let at = start
  while (at < end && ((allowedParts[bytes[at] ?? 0] ?? 0) & part) !== 0) at++
  return at
}

const skipHost = (bytes: Uint8Array, start: number, end: number): number => {
  let label = start
  for (;;) {
    const at = skip(IN_HOST, bytes, label, end)
    if (at === label) return NOT_PLAIN
    if (at === end || bytes[at] !== DOT) return isDigit(bytes[label]) ? NOT_PLAIN : at
    label = at + 1
  }
}

const skipPath = (bytes: Uint8Array, start: number, end: number): number => {
  let at = start
  while (at < end && bytes[at] === SLASH) {
    const name = skip(IN_PATH, bytes, at + 1, end)
    if (name === at + 1 ? name < end && bytes[name] === SLASH : bytes[at + 1] === DOT) return NOT_PLAIN
    at = name
  }
  return at
}
