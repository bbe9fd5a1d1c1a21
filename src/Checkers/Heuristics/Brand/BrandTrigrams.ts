/** Letters, digits and one code for every other character. */
const CODES = 37
const LOWER_A = 0x61
const ZERO = 0x30

const codeOf = (charCode: number): number =>
  charCode >= LOWER_A && charCode < LOWER_A + 26
    ? charCode - LOWER_A
    : charCode >= ZERO && charCode < ZERO + 10
      ? charCode - ZERO + 26
      : CODES - 1

const indexAt = (text: string, at: number): number =>
  (codeOf(text.charCodeAt(at)) * CODES + codeOf(text.charCodeAt(at + 1))) * CODES +
  codeOf(text.charCodeAt(at + 2))

/**
 * Names by three letters or digits of theirs. Most words hold none that begins a name, and asking allocates nothing.
 */
export class BrandTrigrams<Name> {
  /** Of each three characters the place in `#names`: two bytes, where a pointer takes eight. 0 holds nothing. */
  readonly #places = new Uint16Array(CODES ** 3)
  readonly #names: Array<Array<Name> | undefined> = [undefined]

  /** `name` is found by the three characters of `text` from `at` on. */
  add(text: string, at: number, name: Name): void {
    const index = indexAt(text, at)
    const names = this.#names[this.#places[index] ?? 0]
    if (names !== undefined) names.push(name)
    else this.#places[index] = this.#names.push([name]) - 1
  }

  /** The names with the three characters of `text` from `at` on. */
  find(text: string, at: number): ReadonlyArray<Name> | undefined {
    return at >= 0 && at + 3 <= text.length ? this.#names[this.#places[indexAt(text, at)] ?? 0] : undefined
  }
}
