import { Schema } from "effect"

/** The detail that a sentence shows under another name. */
const details = new Map([
  ["harm", "threat"],
  ["on", "host"],
  ["partOrParts", "pieces"],
  ["realSite", "brand"],
  ["wordOrWords", "words"]
])

/** Not details of a kind: of every finding about an inner address, and of the listing that is not confirmed. */
const others = ["innerHost", "sentence"]

/** Alternatives of a sentence, the first that its details fill. */
const Sentences = Schema.compose(Schema.split(" | "), Schema.NonEmptyArray(Schema.String))

/**
 * A kind of finding, in the order of the contract.
 *
 * A kind has one of three strengths:
 *
 * - it decides: a number, its own score. From 40 on only for listings, and for what honest sites have no use for;
 * - it weighs: the model, whose log-odds a curve turns into a score;
 * - it explains: no score of its own. It is shown only beside a score that it explains.
 *
 * The contract fixes the scores of `malformed`, `notHttps`, the feeds and the reputation lookup.
 */
export const row = Schema.Struct({
  kind: Schema.String.pipe(Schema.pattern(/^[a-z][a-zA-Z]+$/)),
  /** `lists` are the feeds, the reputation lookup and the operator's. */
  checker: Schema.Literal("feeds", "heuristics", "lists", "operator_lists", "reputation_lookup"),
  strength: Schema.Union(
    Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 100)),
    Schema.Literal("weighs", "explains")
  ),
  /**
   * The names of what was found, which the contract has as `details`: facts, not parts of sentences. `name?` is one that not
   * every finding of the kind has.
   */
  details: Schema.optionalWith(Schema.split(" "), { default: () => [] }),
  /**
   * One sentence for people who are not engineers, with a capital and without a period. `{name}` shows what was found: see
   * `views` in Kinds.ts. `{name:value}` shows nothing: it stands for "only if it is this value", or, without a value, "only if
   * there is none". A sentence about the host begins with `The address {host}`: see `inReason` in Kinds.ts.
   */
  sentence: Sentences,
  /** For docs/reasons.md. */
  meaning: Schema.String
}).pipe(
  Schema.filter((row) => {
    const known = [...row.details.map((name) => name.replace("?", "")), ...others]
    const names = Array.from(row.sentence.join("").matchAll(/\{(\w+)(?::\w*)?\}/g), ([, name = ""]) => name)
    const unknown = names.find((name) => !known.includes(details.get(name) ?? name))
    return unknown === undefined || `${unknown} is not one of its details`
  })
)

/** @typedef {typeof row.Type} Kind */

/** What no other row may have.
 *
 * @param {Kind} kind
 */
export const keysOf = ({ kind }) => [kind]
