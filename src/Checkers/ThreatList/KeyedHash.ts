/** A 64-bit key as two 32-bit words. */
export type HashKey = readonly [number, number]

const ROUNDS_PER_WORD = 2
const ROUNDS_AT_THE_END = 4

/**
 * HalfSipHash-2-4 with 64 bits of output (https://github.com/veorq/SipHash): a pseudo-random function of a short text.
 * Who does not hold the key can find neither two texts with one hash nor a text with the hash of another, and that is
 * what a list needs when those who fill it and those who ask it may both be hostile. SipHash itself works on 64-bit
 * words, which JavaScript computes with slowly.
 *
 * A character is hashed as one byte: the text has to be ASCII, as canonical URLs are.
 *
 * The hash is left in `high` and `low` (signed 32-bit words), because a pair would be an allocation for each expression
 * of each check.
 */
export class KeyedHash {
  high = 0
  low = 0
  readonly #key: HashKey
  #v0 = 0
  #v1 = 0
  #v2 = 0
  #v3 = 0

  constructor(key: HashKey) {
    this.#key = key
  }

  /** Leaves the hash of `text` in `high` and `low`, until the next call. */
  update(text: string): void {
    const [k0, k1] = this.#key
    this.#v0 = k0 | 0
    this.#v1 = k1 ^ 0xee
    this.#v2 = 0x6c796765 ^ k0
    this.#v3 = 0x74656462 ^ k1

    const length = text.length
    const rest = length & ~3
    for (let at = 0; at < rest; at += 4)
      this.#mix(
        text.charCodeAt(at) |
          (text.charCodeAt(at + 1) << 8) |
          (text.charCodeAt(at + 2) << 16) |
          (text.charCodeAt(at + 3) << 24),
        ROUNDS_PER_WORD
      )
    let last = length << 24
    for (let at = rest; at < length; at++) last |= text.charCodeAt(at) << ((at - rest) << 3)
    this.#mix(last, ROUNDS_PER_WORD)

    this.#v2 ^= 0xee
    this.#mix(0, ROUNDS_AT_THE_END)
    this.low = this.#v1 ^ this.#v3
    this.#v1 ^= 0xdd
    this.#mix(0, ROUNDS_AT_THE_END)
    this.high = this.#v1 ^ this.#v3
  }

  #mix(word: number, rounds: number): void {
    let v0 = this.#v0
    let v1 = this.#v1
    let v2 = this.#v2
    let v3 = this.#v3 ^ word
    for (let round = 0; round < rounds; round++) {
      v0 = (v0 + v1) | 0
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
      v0 = (v0 << 16) | (v0 >>> 16)
      v2 = (v2 + v3) | 0
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
      v0 = (v0 + v3) | 0
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
      v2 = (v2 + v1) | 0
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
      v2 = (v2 << 16) | (v2 >>> 16)
    }
    this.#v0 = v0 ^ word
    this.#v1 = v1
    this.#v2 = v2
    this.#v3 = v3
  }
}
