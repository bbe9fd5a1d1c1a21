/** A name that phishing pages imitate, and the domains of its owner. */
export interface Brand {
  /** Lower-case ASCII without spaces or hyphens, as in hosts. */
  readonly names: readonly [string, ...ReadonlyArray<string>]
  /**
   * Registrable domains or public suffixes, those of well-known namesakes included; the first is shown to users. `name.*`
   * is `name` under every country's suffix, for brands that own nearly all of them; `.name` is a top-level domain of the
   * brand; `*.de` is every domain under `de` that contains one of the names, where many firms have a right to the name.
   * Accents in a domain say that the brand's name is written with them, under any suffix.
   */
  readonly domains: readonly [string, ...ReadonlyArray<string>]
  /** The name is also an everyday word, a surname or an abbreviation: no evidence by itself. */
  readonly everyday?: true
}

export const brand = (names: string, domains: string): Brand => ({
  names: nonEmpty(names),
  domains: nonEmpty(domains)
})

export const everyday = (names: string, domains: string): Brand => ({
  ...brand(names, domains),
  everyday: true
})

const nonEmpty = (spaced: string): readonly [string, ...ReadonlyArray<string>] => {
  const [first = "", ...others] = spaced.split(" ")
  return [first, ...others]
}
