import { Schema } from "effect"

export const row = Schema.Struct({
  /** One or two Latin letters. */
  latin: Schema.String.pipe(Schema.pattern(/^[a-z]{1,2}$/)),
  /** The characters that look like them. */
  characters: Schema.String.pipe(Schema.pattern(/^[^\0-\x7f]+$/u))
})

/** @typedef {typeof row.Type} Confusable */

/** What no other row may have, nor the same row twice.
 *
 * @param {Confusable} confusable
 */
export const keysOf = ({ latin, characters }) => [latin, ...characters]
