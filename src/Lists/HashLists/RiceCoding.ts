import type { ListErrorReason } from "../ListError.ts"
import { ThrownListError } from "../ListWorker/Messages.ts"
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

/** Of four bytes read at any bit of the first, so many bits are certain. */
const READ_BITS = 24
const READ_MASK = 0xffffff
const HALF_BITS = 16

/**
 * Reads numbers from bits: the bytes in order, each from its lowest bit up, as in DEFLATE (RFC 1951, section 3.1.1). Throws a
 * `ThrownListError` of `OutOfBits` when the data ends inside a number. The data may have at most 256 MiB.
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
    for (let ones = 0; ; ) {
      const zeros = ~(this.#word() & READ_MASK)
      const run = 31 - Math.clz32(zeros & -zeros)
      ones += run
      if (run < READ_BITS) {
        this.#advance(run + 1)
        return ones
      }
      this.#advance(READ_BITS)
    }
  }

  /** Reads a number of `bits` bits, at most 32; the first is its lowest. */
  number(bits: number): number {
    if (bits > READ_BITS) {
      const low = this.number(HALF_BITS)
      return low + this.number(bits - HALF_BITS) * 2 ** HALF_BITS
    }
    const number = this.#word() & ((1 << bits) - 1)
    this.#advance(bits)
    return number
  }

  #word(): number {
    return this.#padded.getUint32(this.#at >>> 3, true) >>> (this.#at & 7)
  }

  #advance(bits: number): void {
    this.#at += bits
    if (this.#at > this.#end) throw new ThrownListError("OutOfBits")
  }
}

const WORD_BYTES = 4
const WORD_BITS = 32
const MAX_WORD = 0xffffffff

/** The legal parameters of four bytes. Those of a wider number differ by its further words: 35 to 62, 99 to 126, 227 to 254. */
const MIN_PARAMETER = 3
const MAX_PARAMETER = 30

export interface Options {
  readonly maxEntries: number
  /** The error for a number that is there twice: a difference of zero. */
  readonly ifRepeated: ListErrorReason
}

/**
 * The numbers of a message, big-endian and ascending, without separators. Throws a `ThrownListError` of `NegativeCount`, `BadParameter`,
 * `OutOfBits`, `QuotientTooLarge`, `Overflow`, `ifRepeated`, or `TooLarge` for more than `maxEntries`. Reserves
 * no memory for numbers that the data is too short for.
 */
export const decode = (
  { width, first, parameter, count, data }: RiceCoded,
  { maxEntries, ifRepeated }: Options
): Uint8Array => {
  const words = width / WORD_BYTES
  // Of the highest word. All other words of a difference are stored as they are.
  const storedBits = parameter - WORD_BITS * (words - 1)
  if (count < 0) throw new ThrownListError("NegativeCount")
  if (count > 0 && (storedBits < MIN_PARAMETER || storedBits > MAX_PARAMETER))
    throw new ThrownListError("BadParameter")
  // Before memory is reserved: a difference has the bits of its parameter and at least one more.
  if (count > 0 && count * (parameter + 1) > data.length * 8) throw new ThrownListError("OutOfBits")
  if (count >= maxEntries) throw new ThrownListError("TooLarge", "more entries than a list may have")

  const bytes = new Uint8Array(new SharedArrayBuffer((count + 1) * width))
  bytes.set(first)
  const view = new DataView(bytes.buffer)
  const quotientUnit = 2 ** storedBits
  const maxQuotient = 2 ** (WORD_BITS - storedBits) - 1
  const reader = new BitReader(data)
  for (let at = width; at < bytes.length; at += width) {
    const quotient = reader.ones()
    if (quotient > maxQuotient) throw new ThrownListError("QuotientTooLarge")
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
    if (carry === 1) throw new ThrownListError("Overflow")
    if (isZero) throw new ThrownListError(ifRepeated)
  }
  return bytes
}
