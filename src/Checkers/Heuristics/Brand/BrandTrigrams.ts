/** Letters, digits, and one code for all other characters. */
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

/** An index of names by three of their characters. Most words contain no such three, and a lookup allocates nothing. */
export class BrandTrigrams<Name> {
  /** For each three characters an index into `#names`, which takes two bytes where a pointer takes eight. 0: no name. */
  readonly #indices = new Uint16Array(CODES ** 3)
  readonly #names: Array<Array<Name> | undefined> = [undefined]

  /** Adds a name under the three characters of `text` from `at` on. */
  add(text: string, at: number, name: Name): void {
    const index = indexAt(text, at)
    const names = this.#names[this.#indices[index] ?? 0]
    if (names !== undefined) names.push(name)
    else this.#indices[index] = this.#names.push([name]) - 1
  }

  /** The names under the three characters of `text` from `at` on. */
  find(text: string, at: number): ReadonlyArray<Name> | undefined {
    return at >= 0 && at + 3 <= text.length ? this.#names[this.#indices[indexAt(text, at)] ?? 0] : undefined
  }
}
