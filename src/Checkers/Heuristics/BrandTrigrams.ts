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
  readonly #names: Array<Array<Name> | undefined> = new Array(CODES ** 3).fill(undefined)

  /** `name` is found by the three characters of `text` from `at` on. */
  add(text: string, at: number, name: Name): void {
    const index = indexAt(text, at)
    const names = this.#names[index] ?? []
    names.push(name)
    this.#names[index] = names
  }

  /** The names with the three characters of `text` from `at` on. */
  find(text: string, at: number): ReadonlyArray<Name> | undefined {
    return at >= 0 && at + 3 <= text.length ? this.#names[indexAt(text, at)] : undefined
  }
}
