import { Schema } from "effect"

export const Role = Schema.Literal(
  // A lure word: what phishing pages say to ask for credentials, a wallet's seed phrase or a quick decision.
  "credential",
  // Lure words that honest firms have in their names: by what they are about, and others.
  "payment",
  "fee",
  "parcel",
  "refund",
  "reward",
  "business",
  // The codes that confirm an order at a bank.
  "code",
  // What firms call a customer's account, in languages in which honest firms have it in their names.
  "account",
  // What honest sites compute fees and refunds with: beside it neither is asked for.
  "calculator",
  // What phishing and brands put before or after a name in one word: `mynetflix`. All lure words are, too.
  "affix",
  // What banks themselves put beside a name that they share.
  "bank",
  // A name of its own although it resembles a brand's.
  "ordinary",
  // What clubs, shops, agencies, unions and makers of software put beside a brand's name, in any language. None of it asks for
  // credentials or money.
  "thirdParty"
)

export const row = Schema.Struct({
  word: Schema.String.pipe(Schema.pattern(/^[a-z0-9]+$/)),
  roles: Schema.compose(Schema.split(" "), Schema.NonEmptyArray(Role)),
  /** The languages (ISO 639-1) of a lure word. */
  languages: Schema.optional(Schema.String.pipe(Schema.pattern(/^[a-z]{2}(?: [a-z]{2})*$/)))
}).pipe(
  Schema.filter(
    ({ roles, languages }) =>
      languages !== undefined ||
      roles.every((role) => role === "affix" || role === "ordinary" || role === "thirdParty") ||
      "a lure word has a language"
  )
)

/** @typedef {typeof Role.Type} Role */
/** @typedef {typeof row.Type} Word */

/** What no other row may have.
 *
 * @param {Word} word
 */
export const keysOf = ({ word }) => [word]
