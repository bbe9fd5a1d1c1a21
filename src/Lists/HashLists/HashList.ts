/** Bytes of each hash of a list: the whole SHA-256, or its beginning. */
export type HashWidth = 4 | 8 | 16 | 32

/** Distinct hashes, or beginnings of hashes, of one width: big-endian, ascending, without separators. */
export interface HashList {
  readonly width: HashWidth
  readonly bytes: Uint8Array
}

export const empty = (width: HashWidth): HashList => ({ width, bytes: new Uint8Array() })

/** The number of entries. */
export const size = ({ bytes, width }: HashList): number => bytes.length / width
