import { Schema } from "effect"

/** An environment variable. What a text must be is beside the code that decodes it: AppConfig.ts and TracingConfig.ts. */
export const row = Schema.Struct({
  name: Schema.String.pipe(Schema.pattern(/^[A-Z][A-Z_]+$/)),
  /** The text that an unset or empty variable counts as. Absent: the meaning says what then happens. */
  default: Schema.optional(Schema.String),
  /** For docs/configuration.md. The feeds B to D have none: theirs is that of feed A. */
  meaning: Schema.optional(Schema.String)
}).pipe(
  Schema.filter(
    ({ meaning, name }) => (meaning === undefined) === /^FEED_[B-D]_/.test(name) || "the meaning is missing"
  )
)

/** @typedef {typeof row.Type} Variable */

/** What no other row may have.
 *
 * @param {Variable} variable
 */
export const keysOf = ({ name }) => [name]
