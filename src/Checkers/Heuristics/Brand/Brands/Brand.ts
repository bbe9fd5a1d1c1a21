/** A name that phishing pages imitate, and the domains of its owner. */
export interface Brand {
  /** Lower-case ASCII without spaces or hyphens, as they stand in hosts. */
  readonly names: readonly [string, ...ReadonlyArray<string>]
  /**
   * Registrable domains or public suffixes; the first is shown to people, the others may include namesakes that are
   * known well. `name.*` stands for `name` under every country's suffix, for brands that hold nearly all of them;
   * `.name` for a top-level domain of the brand's own; `*.de` for every domain under `de` with one of the names in it,
   * where many firms share a name by right.
   */
  readonly domains: readonly [string, ...ReadonlyArray<string>]
  /** The name is also an everyday word, a surname or an abbreviation: by itself it is no evidence. */
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
