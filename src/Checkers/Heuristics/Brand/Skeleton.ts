/** The letter that a character looks like, by character code; `""` for all others. */
const lookAlikes: ReadonlyArray<string> = Array.from(
  { length: 128 },
  (_, code) =>
    ({ 0: "o", 1: "l", 2: "z", 3: "e", 4: "a", 5: "s", 6: "b", 7: "t", 8: "b", 9: "g", i: "l" })[
      String.fromCharCode(code)
    ] ?? ""
)

/**
 * Words with equal skeletons look alike in most typefaces: a digit becomes the letter that it looks like, `rn` becomes `m`,
 * `vv` becomes `w`, `cl` becomes `d`, and `i` becomes `l`, which a capital `I` looks like. `skeleton("rnicr0soft")` is
 * `"mlcrosoft"`.
 */
export const skeleton = (word: string): string => {
  let result = ""
  let copied = 0
  for (let at = 0; at < word.length; at++) {
    const pair = lookAlikePair(word, at)
    const letter = pair ?? lookAlikes[word.charCodeAt(at)] ?? ""
    if (letter === "") continue
    result += word.slice(copied, at) + letter
    if (pair !== undefined) at++
    copied = at + 1
  }
  return copied === 0 ? word : result + word.slice(copied)
}

const lookAlikePair = (word: string, at: number): string | undefined => {
  const second = word[at + 1] ?? ""
  if (word[at] === "r") return second === "n" ? "m" : undefined
  if (word[at] === "v") return second === "v" ? "w" : undefined
  return word[at] === "c" && L_LIKE.includes(second) && second !== "" ? "d" : undefined
}

const L_LIKE = "l1i"
