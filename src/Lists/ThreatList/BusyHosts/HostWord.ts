/**
 * Words of 64 bits for hosts: the upper 61 bits of the host's keyed hash, and in the lowest three the category of its pages.
 * An array of words has two 32-bit halves for each. As numbers they sort by host, and those of one host by category, the one
 * that counts first.
 */

import { type Category, categories } from "../Category.ts"
import * as KeyMeta from "../KeyMeta.ts"

const CATEGORY_BITS = 3
const CATEGORY_MASK = (1 << CATEGORY_BITS) - 1

/** Elements of an array for each word. */
export const HALVES = 2

/** The order of the halves on this machine, so that `BigUint64Array` sorts by the whole word. */
const HIGH = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0
const LOW = 1 - HIGH

/** The lower half of the word of a host, by that of its hash and the meta of one of its pages. */
export const low = (hashLow: number, meta: KeyMeta.KeyMeta): number =>
  (hashLow & ~CATEGORY_MASK) | KeyMeta.categoryIndex(meta)

export const category = (low: number): Category => categories[low & CATEGORY_MASK] ?? "malicious"

export const highAt = (words: Uint32Array, at: number): number => words[HALVES * at + HIGH] ?? 0

export const lowAt = (words: Uint32Array, at: number): number => words[HALVES * at + LOW] ?? 0

export const set = (words: Uint32Array, at: number, high: number, low: number): void => {
  words[HALVES * at + HIGH] = high
  words[HALVES * at + LOW] = low
}

/** Compares the host of a word with another host, by the halves of its hash or word: negative, 0 or positive. */
export const compareAt = (words: Uint32Array, at: number, high: number, low: number): number =>
  highAt(words, at) - (high >>> 0) || (lowAt(words, at) >>> CATEGORY_BITS) - (low >>> CATEGORY_BITS)
