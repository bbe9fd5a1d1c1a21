import { Effect } from "effect"
import * as Address from "./Address.ts"
import { type Corpus, CorpusError } from "./CorpusFolder.ts"
import type { LabelledUrl } from "./LabelledUrl.ts"
import * as RowLimits from "./RowLimits.ts"

/** What a training may learn from. */
export interface Learnable extends RowLimits.Limited {
  /** The login pages that synthetic rows are made from. */
  readonly logins: ReadonlyArray<LabelledUrl>
}

/** The split of the login pages that may be learned from. All others are for tests. */
const TRAIN = "train"

/** The login pages that no training may see: those of another split, and no page that one may see. */
export const heldOutLogins = ({ logins }: Pick<Corpus, "logins">): ReadonlyArray<LabelledUrl> =>
  logins.filter(({ split }) => split !== TRAIN)

/**
 * The rows of a corpus within the limits, without pages that are held out. Fails if a class has none, or if all phishing is
 * without dates: weights say up to which day they have learned.
 */
export const learnable = (
  corpus: Pick<Corpus, "rows" | "logins">,
  folder: string
): Effect.Effect<Learnable, CorpusError> => {
  const heldOut = new Set(heldOutLogins(corpus).map(({ url }) => Address.parse(url)?.page))
  const limited = RowLimits.limit(corpus.rows.filter(({ url }) => !heldOut.has(Address.parse(url)?.page)))
  const { rows } = limited
  if (!rows.some(({ isPhishing }) => isPhishing) || !rows.some(({ isPhishing }) => !isPhishing))
    return new CorpusError({ reason: "NoRows", path: folder, code: "" })
  if (!rows.some(({ isPhishing, firstSeen }) => isPhishing && firstSeen !== ""))
    return new CorpusError({ reason: "NoDates", path: folder, code: "" })
  return Effect.succeed({ ...limited, logins: corpus.logins.filter(({ split }) => split === TRAIN) })
}

const optional = (count: number, text: string): ReadonlyArray<string> =>
  count === 0 ? [] : [`${count} ${text}`]

/** What was read of a corpus, what was left out, and why: one line for each. */
export const readReport = (
  corpus: Pick<Corpus, "rows" | "damaged" | "cutOff">,
  { rows, capped, bareDomains }: Learnable
): ReadonlyArray<string> => [
  `${corpus.rows.length} rows read, ${rows.length} to learn from`,
  ...optional(corpus.damaged, "damaged lines"),
  ...corpus.cutOff.map((file) => `${file} is cut off or damaged: only its beginning was read`),
  ...optional(capped, "rows over the limit of their source and month"),
  ...optional(bareDomains, "rows of bare domains over their limit")
]
