/** The letter that a character looks like. */
const letters = { 0: "o", 1: "l", 2: "z", 3: "e", 4: "a", 5: "s", 6: "b", 7: "t", 8: "b", 9: "g", i: "l" }

/** The letter that two characters together look like. */
const pairs = { rn: "m", vv: "w", cl: "d", ci: "d", c1: "d" }

/** The number of characters in ASCII. All others stay as they are. */
const CODES = 128

/** By character code, the code of the letter that a character looks like. */
const letterCodes = Uint8Array.from({ length: CODES }, (_, code) => code)
for (const [character, letter] of Object.entries(letters))
  letterCodes[character.charCodeAt(0)] = letter.charCodeAt(0)

/** By the codes of two characters, the code of the letter that they look like together; 0 for all other pairs. */
const pairCodes = new Uint8Array(CODES * CODES)
for (const [pair, letter] of Object.entries(pairs))
  pairCodes[pair.charCodeAt(0) * CODES + pair.charCodeAt(1)] = letter.charCodeAt(0)

/** The code of the letter that the characters from `at` on look like together, else 0. */
const pairCodeAt = (word: string, at: number, code: number): number => {
  if (code >= CODES || at + 1 >= word.length) return 0
  const next = word.charCodeAt(at + 1)
  return next < CODES ? (pairCodes[code * CODES + next] ?? 0) : 0
}

/**
 * Words with equal skeletons look alike in most typefaces: a digit becomes the letter that it looks like, `rn` becomes `m`,
 * `vv` becomes `w`, `cl` becomes `d`, and `i` becomes `l`, which a capital `I` looks like.
 *
 * `skeleton("rnicr0soft")` is `"mlcrosoft"`.
 */
export const skeleton = (word: string): string => {
  let result = ""
  let copied = 0
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    const pair = pairCodeAt(word, at, code)
    const letter = pair === 0 && code < CODES ? (letterCodes[code] ?? code) : pair
    if (letter === 0 || letter === code) continue
    result += word.slice(copied, at) + String.fromCharCode(letter)
    if (pair !== 0) at++
    copied = at + 1
  }
  return copied === 0 ? word : result + word.slice(copied)
}

/** A number for `skeleton(word)`, equal for equal skeletons, without building the string. */
export const hashOfSkeleton = (word: string): number => {
  let hash = 0
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    const pair = pairCodeAt(word, at, code)
    const letter = pair === 0 ? (code < CODES ? (letterCodes[code] ?? code) : code) : pair
    if (pair !== 0) at++
    hash = (Math.imul(hash, 31) + letter) | 0
  }
  return hash
}
