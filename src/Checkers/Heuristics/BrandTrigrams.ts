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

/** Pieces of three letters or digits. Most words hold none that begins a name, and asking allocates nothing. */
export class BrandTrigrams {
  readonly #known = new Uint8Array(CODES ** 3)

  add(text: string, at: number): void {
    this.#known[indexAt(text, at)] = 1
  }

  has(text: string, at: number): boolean {
    return at >= 0 && at + 3 <= text.length && this.#known[indexAt(text, at)] === 1
  }
}
