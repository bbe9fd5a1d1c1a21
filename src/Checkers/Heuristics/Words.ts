/** The words that the heuristics look for: the table `words.tsv`, whose columns and roles `words.schema.js` explains. */

import type { Role } from "./Words/words.schema.js"
import words from "./Words/words.tsv"

/** The words that have a role. */
export const wordsWith = (role: Role): ReadonlySet<string> =>
  new Set(words.filter(({ roles }) => roles.includes(role)).map(({ word }) => word))
