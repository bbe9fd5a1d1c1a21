/** The letter that a character looks like, by character code; `""` for all others. */
const lookAlikes: ReadonlyArray<string> = Array.from(
  { length: 128 },
  (_, code) =>
    ({ 0: "o", 1: "l", 2: "z", 3: "e", 4: "a", 5: "s", 6: "b", 7: "t", 8: "b", 9: "g", i: "l" })[
      String.fromCharCode(code)
    ] ?? ""
)

const [C, L, I, ONE, N, R, V] = Array.from("cli1nrv", (letter) => letter.charCodeAt(0))

/** The letter that two characters together look like; `""` for all others. */
const pairOf = (first: number, second: number): string => {
  if (first === R) return second === N ? "m" : ""
  if (first === C) return second === L || second === I || second === ONE ? "d" : ""
  return first === V && second === V ? "w" : ""
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
    const pair = pairOf(code, word.charCodeAt(at + 1))
    const letter = pair === "" ? (lookAlikes[code] ?? "") : pair
    if (letter === "") continue
    result += word.slice(copied, at) + letter
    if (pair !== "") at++
    copied = at + 1
  }
  return copied === 0 ? word : result + word.slice(copied)
}
