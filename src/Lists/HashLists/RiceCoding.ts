import type { Either } from "effect"
import type { ListErrorReason } from "../ListError.ts"
import { reasonOr, ThrownListError } from "../ListWorker/ThrownListError.ts"
import type { HashWidth } from "./HashList.ts"
import { BitReader } from "./RiceCoding/BitReader.ts"

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

const decodeOrThrow = (
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

/**
 * The numbers of a message, big-endian and ascending, without separators. Fails with `NegativeCount`, `BadParameter`,
 * `OutOfBits`, `QuotientTooLarge` or `Overflow`, with `ifRepeated`, and with `TooLarge` for more than `maxEntries`. Reserves
 * no memory for numbers that the data is too short for.
 */
export const decode = (coded: RiceCoded, options: Options): Either.Either<Uint8Array, ListErrorReason> =>
  reasonOr(() => decodeOrThrow(coded, options))
