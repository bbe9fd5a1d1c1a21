import { ListError } from "../ListError.ts"
import type { HashWidth } from "./HashList.ts"

/**
 * Ascending numbers as Safe Browsing v5 sends them (`RiceDeltaEncoded32Bit` to `RiceDeltaEncoded256Bit` of
 * `google/security/safebrowsing/v5/safebrowsing.proto`): the first, then the differences in Golomb-Rice coding. A message
 * without any field is the one number 0.
 */
export interface RiceCoded {
  readonly width: HashWidth
  /** Big-endian, of the width. */
  readonly first: Uint8Array
  /** The number of low bits of a difference that are stored as they are. */
  readonly parameter: number
  /** Of differences: one less than of numbers. As it was sent, so perhaps negative. */
  readonly count: number
  readonly data: Uint8Array
}

/** The error of a change that cannot be read, or does not fit the list. Thrown where it would otherwise harm the thread. */
export const brokenChange = (): ListError => new ListError("ChecksumMismatch", "broken change")

/** Of four bytes read at any bit of the first, so many bits are certain. */
const READ_BITS = 24
const HALF_BITS = 16

/**
 * Reads numbers from bits: the bytes in order, each from its lowest bit up, as in DEFLATE (RFC 1951, section 3.1.1). Throws
 * `brokenChange` when the data ends inside a number. The data may have at most 256 MiB.
 */
export class BitReader {
  readonly #padded: DataView
  readonly #end: number
  #at = 0

  constructor(data: Uint8Array) {
    // Zeros after the data let every read take a whole word.
    const padded = new Uint8Array(data.length + Uint32Array.BYTES_PER_ELEMENT)
    padded.set(data)
    this.#padded = new DataView(padded.buffer)
    this.#end = data.length * 8
  }

  /** Reads ones up to the first zero, and returns their number. */
  ones(): number {
    let ones = 0
    while (this.number(1) === 1) ones++
    return ones
  }

  /** Reads a number of `bits` bits, at most 32; the first is its lowest. */
  number(bits: number): number {
    if (bits > READ_BITS) {
      const low = this.number(HALF_BITS)
      return low + this.number(bits - HALF_BITS) * 2 ** HALF_BITS
    }
    const word = this.#padded.getUint32(this.#at >>> 3, true) >>> (this.#at & 7)
    this.#at += bits
    if (this.#at > this.#end) throw brokenChange()
    return word & ((1 << bits) - 1)
  }
}

const WORD_BYTES = 4
const WORD_BITS = 32
const MAX_WORD = 0xffffffff

/** The legal parameters of four bytes. Those of a wider number differ by its further words: 35 to 62, 99 to 126, 227 to 254. */
const MIN_PARAMETER = 3
const MAX_PARAMETER = 30

/**
 * The distinct numbers of a message, big-endian and ascending, without separators. Throws `brokenChange` if they are not, or
 * `TooLarge` for more than `maxEntries`. Reserves no memory for numbers that the data is too short for.
 */
export const decode = (
  { width, first, parameter, count, data }: RiceCoded,
  maxEntries: number
): Uint8Array => {
  const words = width / WORD_BYTES
  // Of the highest word. All other words of a difference are stored as they are.
  const storedBits = parameter - WORD_BITS * (words - 1)
  // A difference has the bits of its parameter and at least one more.
  const isPossible =
    storedBits >= MIN_PARAMETER && storedBits <= MAX_PARAMETER && count * (parameter + 1) <= data.length * 8
  if (count < 0 || (count > 0 && !isPossible)) throw brokenChange()
  if (count >= maxEntries) throw new ListError("TooLarge", "more entries than a list may have")

  const bytes = new Uint8Array(new SharedArrayBuffer((count + 1) * width))
  bytes.set(first)
  const view = new DataView(bytes.buffer)
  const quotientUnit = 2 ** storedBits
  const maxQuotient = 2 ** (WORD_BITS - storedBits) - 1
  const reader = new BitReader(data)
  for (let at = width; at < bytes.length; at += width) {
    const quotient = reader.ones()
    if (quotient > maxQuotient) throw brokenChange()
    let carry = 0
    let isZero = true
    for (let offset = width - WORD_BYTES; offset >= 0; offset -= WORD_BYTES) {
      const difference =
        offset === 0 ? reader.number(storedBits) + quotient * quotientUnit : reader.number(WORD_BITS)
      if (difference !== 0) isZero = false
      const sum = view.getUint32(at - width + offset) + difference + carry
      carry = sum > MAX_WORD ? 1 : 0
      view.setUint32(at + offset, sum)
    }
    if (carry === 1 || isZero) throw brokenChange()
  }
  return bytes
}
