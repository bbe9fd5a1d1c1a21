/** A 64-bit key as two 32-bit words. */
export type HashKey = readonly [number, number]

const ROUNDS_PER_WORD = 2
const ROUNDS_AT_THE_END = 4

/** Of two more words, of the last word, and of the end of each half. */
const ROUNDS_OF_WORDS = 2 * ROUNDS_PER_WORD
const ROUNDS_OF_DIGEST = ROUNDS_OF_WORDS + ROUNDS_PER_WORD + 2 * ROUNDS_AT_THE_END
const AFTER_FIRST = ROUNDS_PER_WORD - 1
const AFTER_SECOND = 2 * ROUNDS_PER_WORD - 1
const AFTER_LAST = 3 * ROUNDS_PER_WORD - 1
const AFTER_LOW = AFTER_LAST + ROUNDS_AT_THE_END

/**
 * HalfSipHash-2-4 with 64 bits of output (https://github.com/veorq/SipHash): a pseudo-random function of a short text.
 * Without the key an attacker can construct no collision, neither as the publisher of a list nor as a client. SipHash
 * itself needs 64-bit words, which are slow in JavaScript.
 *
 * Use: `reset`, `absorb` any number of times, and `digest` after each prefix whose hash is wanted. More can be absorbed
 * after a digest, so that all prefixes of a text cost one pass over it.
 *
 * The result is in `high` and `low` (signed 32-bit words), which saves an allocation for each expression of each check.
 */
export class KeyedHash {
  high = 0
  low = 0
  readonly #start: Int32Array
  readonly #state: Int32Array
  /** The bytes of an incomplete word. */
  #word = 0
  #length = 0

  constructor([k0, k1]: HashKey) {
    this.#start = Int32Array.of(k0, k1 ^ 0xee, 0x6c796765 ^ k0, 0x74656462 ^ k1)
    this.#state = this.#start.slice()
  }

  /** Starts a new text. */
  reset(): void {
    copy(this.#start, this.#state)
    this.#word = 0
    this.#length = 0
  }

  /** Absorbs the bytes from `first` to the one before `end`; backwards when `end` is less than `first`. */
  absorb(bytes: Uint8Array, first: number, end: number): void {
    const step = end < first ? -1 : 1
    let rest = (end - first) * step
    let at = first
    let word = this.#word
    let length = this.#length
    while (rest > 0) {
      if (rest >= 4 && (length & 3) === 0) {
        word =
          (bytes[at] ?? 0) |
          ((bytes[at + step] ?? 0) << 8) |
          ((bytes[at + 2 * step] ?? 0) << 16) |
          ((bytes[at + 3 * step] ?? 0) << 24)
        at += 4 * step
        length += 4
        rest -= 4
      } else {
        word |= (bytes[at] ?? 0) << ((length & 3) << 3)
        at += step
        length++
        rest--
        if ((length & 3) !== 0) continue
      }
      mix(this.#state, word, ROUNDS_PER_WORD)
      word = 0
    }
    this.#word = word
    this.#length = length
  }

  /** Absorbs the four bytes of a word, least significant first; only after a multiple of four bytes. */
  absorbWord(word: number): void {
    mix(this.#state, word, ROUNDS_PER_WORD)
    this.#length += 4
  }

  /** Computes the hash of the bytes absorbed since `reset` into `high` and `low`. */
  digest(): void {
    this.#end(ROUNDS_OF_WORDS, 0, 0, this.#word | (this.#length << 24))
  }

  /** The same with eight more bytes, which are not absorbed; only after a multiple of four bytes. */
  digestWith(first: number, second: number): void {
    this.#end(0, first, second, (this.#length + 8) << 24)
  }

  /**
   * Runs the rounds from `from` on: of two more words, of the last word, and of the end of each half. Works on a copy of the
   * state, so that more can be absorbed, in local variables, which is faster than `mix`.
   */
  #end(from: number, first: number, second: number, last: number): void {
    const state = this.#state
    let v0 = state[0] ?? 0
    let v1 = state[1] ?? 0
    let v2 = state[2] ?? 0
    let v3 = (state[3] ?? 0) ^ (from === 0 ? first : last)
    for (let round = from; round < ROUNDS_OF_DIGEST; round++) {
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
      switch (round) {
        case AFTER_FIRST:
          v0 ^= first
          v3 ^= second
          break
        case AFTER_SECOND:
          v0 ^= second
          v3 ^= last
          break
        case AFTER_LAST:
          v0 ^= last
          v2 ^= 0xee
          break
        case AFTER_LOW:
          this.low = v1 ^ v3
          v1 ^= 0xdd
      }
    }
    this.high = v1 ^ v3
  }
}

const copy = (from: Int32Array, to: Int32Array): void => {
  for (let i = 0; i < 4; i++) to[i] = from[i] ?? 0
}

const mix = (state: Int32Array, word: number, rounds: number): void => {
  let v0 = state[0] ?? 0
  let v1 = state[1] ?? 0
  let v2 = state[2] ?? 0
  let v3 = (state[3] ?? 0) ^ word
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
  state[0] = v0 ^ word
  state[1] = v1
  state[2] = v2
  state[3] = v3
}
