/** The words that the heuristics look for: the table `words.tsv`, whose columns and roles `words.schema.js` explains. */

import type { Role } from "./Words/words.schema.js"
import words from "./Words/words.tsv"

/** The words that have one of the roles. */
export const wordsWith = (...wanted: ReadonlyArray<Role>): ReadonlySet<string> =>
  new Set(words.filter(({ roles }) => roles.some((role) => wanted.includes(role))).map(({ word }) => word))
