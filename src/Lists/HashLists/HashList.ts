/** Bytes of each hash of a list: the whole SHA-256, or its beginning. */
export type HashWidth = 4 | 32

/** Distinct hashes, or beginnings of hashes, of one width: big-endian, ascending, without separators. */
export interface HashList {
  readonly width: HashWidth
  readonly bytes: Uint8Array
}

export const empty = (width: HashWidth): HashList => ({ width, bytes: new Uint8Array() })

/** The number of entries. */
export const size = ({ bytes, width }: HashList): number => bytes.length / width

/** The list of likely safe expressions, the "global cache" (https://developers.google.com/safe-browsing/reference/Real.Time.Mode). */
export const GLOBAL_CACHE = "gc-32b"

/** The suffix of a name is the width of the list's hashes in bytes. */
const widths: ReadonlyArray<readonly [suffix: string, width: HashWidth]> = [
  ["-4b", 4],
  ["-32b", 32]
]

/** `widthOf("se-4b")` is 4; undefined for a name without a width. */
export const widthOf = (name: string): HashWidth | undefined =>
  widths.find(([suffix]) => name.endsWith(suffix))?.[1]
