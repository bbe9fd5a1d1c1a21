import type { Corpus } from "./CorpusFolder.ts"
import type { Learnable } from "./Learnable.ts"

const optional = (count: number, text: string): ReadonlyArray<string> =>
  count === 0 ? [] : [`${count} ${text}`]

/** What was read of a corpus, what was left out, and why: one line for each. */
export const readReport = (
  corpus: Corpus,
  { rows, capped, bareDomains }: Learnable
): ReadonlyArray<string> => [
  `${corpus.rows.length} rows read, ${rows.length} to learn from`,
  ...optional(corpus.damaged, "damaged lines"),
  ...corpus.cutOff.map((file) => `${file} is cut off or damaged: only its beginning was read`),
  ...optional(capped, "rows over the limit of their source and month"),
  ...optional(bareDomains, "rows of bare domains over their limit")
]
