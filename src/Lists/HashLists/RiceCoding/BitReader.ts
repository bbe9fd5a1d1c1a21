import { ThrownListError } from "../../ListWorker/ThrownListError.ts"

/** Of a word read at any bit of a byte, so many bits are certain. */
const WORD_BITS = 24
const WORD_MASK = 0xffffff
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
      const zeros = ~(this.#word() & WORD_MASK)
      const run = 31 - Math.clz32(zeros & -zeros)
      ones += run
      if (run < WORD_BITS) {
        this.#advance(run + 1)
        return ones
      }
      this.#advance(WORD_BITS)
    }
  }

  /** Reads a number of `bits` bits, at most 32; the first is its lowest. */
  number(bits: number): number {
    if (bits > WORD_BITS) {
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
