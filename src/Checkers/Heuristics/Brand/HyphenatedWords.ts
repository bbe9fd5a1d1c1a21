const HYPHENS = /[-_]+/

/** The first words of a label or path segment, between hyphens and underscores. Most have one word: that takes no search. */
export const split = (text: string, maxWords: number): ReadonlyArray<string> =>
  text.includes("-") || text.includes("_") ? text.split(HYPHENS, maxWords) : [text]
