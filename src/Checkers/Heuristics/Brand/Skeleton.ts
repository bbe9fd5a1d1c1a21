/** The letter that a character, or two together, look like. */
const letters: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ rn: "m", vv: "w", cl: "d", ci: "d", c1: "d" },
    ...{ 0: "o", 1: "l", 2: "z", 3: "e", 4: "a", 5: "s", 6: "b", 7: "t", 8: "b", 9: "g", i: "l" }
  })
)

const LOOK_ALIKES = /rn|vv|c[li1]|[0-9i]/g

/**
 * Words with equal skeletons look alike in most typefaces: a digit becomes the letter that it looks like, `rn` becomes `m`,
 * `vv` becomes `w`, `cl` becomes `d`, and `i` becomes `l`, which a capital `I` looks like.
 *
 * `skeleton("rnicr0soft")` is `"mlcrosoft"`.
 */
export const skeleton = (word: string): string =>
  word.replace(LOOK_ALIKES, (found) => letters.get(found) ?? found)
