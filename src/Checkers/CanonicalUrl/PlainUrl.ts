/** Bits of `classes`: what a byte may be a part of. */
const OF_HOST = 1
const OF_PATH = 2
const OF_QUERY = 4

/**
 * Printable ASCII without what begins another part, and without what canonicalizing looks at: capitals in a host, escapes,
 * and backslashes in a path. Brackets are left out because defanged addresses are written with them.
 */
const classes = new Uint8Array(0x100)
for (let byte = 0x21; byte < 0x7f; byte++) {
  const character = String.fromCharCode(byte)
  if (/[a-z0-9_-]/.test(character)) classes[byte] = (classes[byte] ?? 0) | OF_HOST
  if (/[^#%?\\/[\]]/.test(character)) classes[byte] = (classes[byte] ?? 0) | OF_PATH
  if (/[^#%[\]]/.test(character)) classes[byte] = (classes[byte] ?? 0) | OF_QUERY
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
 * Finds the parts of a URL that is in its canonical form already, as most are, in lists and elsewhere: with the scheme
 * `http` or `https` or none, without user information and port, the last label of the host no number, and nothing that
 * resolving or escaping would change. What it refuses may be canonical too.
 *
 * The places of the parts are left in the instance: a result of its own would be an allocation for each of a million lines.
 */
export class PlainUrl {
  /** Where the scheme begins, and the host if there is no scheme. */
  start = 0
  hostStart = 0
  hostEnd = 0
  /** The same as `hostEnd` when there is no path, which then is `/`. */
  pathEnd = 0
  /** The same as `pathEnd` when there is no query, else that begins one byte after `pathEnd`. */
  end = 0

  /** Whether these bytes are such a URL. The time is linear in their number. */
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
    return skip(OF_QUERY, bytes, this.pathEnd + 1, end) === end
  }
}

const NOT_PLAIN = -1

const skipScheme = (bytes: Uint8Array, start: number): number => {
  if (!hasAt(bytes, start, HTTP)) return start
  const end = start + HTTP.length + (bytes[start + HTTP.length] === S ? 1 : 0)
  return hasAt(bytes, end, AFTER_SCHEME) ? end + AFTER_SCHEME.length : start
}

const S = 0x73

/** Past the bytes from `start` on that are of this part. */
const skip = (part: number, bytes: Uint8Array, start: number, end: number): number => {
  let at = start
  while (at < end && ((classes[bytes[at] ?? 0] ?? 0) & part) !== 0) at++
  return at
}

const skipHost = (bytes: Uint8Array, start: number, end: number): number => {
  let label = start
  for (;;) {
    const at = skip(OF_HOST, bytes, label, end)
    if (at === label) return NOT_PLAIN
    if (at === end || bytes[at] !== DOT) return isDigit(bytes[label]) ? NOT_PLAIN : at
    label = at + 1
  }
}

const skipPath = (bytes: Uint8Array, start: number, end: number): number => {
  let at = start
  while (at < end && bytes[at] === SLASH) {
    const name = skip(OF_PATH, bytes, at + 1, end)
    if (name === at + 1 ? name < end && bytes[name] === SLASH : bytes[at + 1] === DOT) return NOT_PLAIN
    at = name
  }
  return at
}
