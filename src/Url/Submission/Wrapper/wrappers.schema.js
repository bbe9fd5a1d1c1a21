import { Schema } from "effect"

const Words = Schema.compose(Schema.split(" "), Schema.Array(Schema.NonEmptyString))

/** The functions of Wrapper.ts, which read the address in a link. */
const DestinationName = Schema.Literal(
  "parameters",
  "signedParameter",
  "base64Parameter",
  "scrambledParameter",
  "insideParameter",
  "wholeQuery",
  "inPath",
  "inPathOrAfter",
  "siteAfter",
  "between",
  "urlDefense2",
  "urlDefense3",
  "translatedSite"
)

/** @type {ReadonlyArray<typeof DestinationName.Type>} */
const withoutArguments = ["wholeQuery", "inPath", "urlDefense2", "urlDefense3", "translatedSite"]

/** @param {string} pattern */
const compiles = (pattern) => {
  try {
    return new RegExp(pattern) instanceof RegExp
  } catch {
    return false
  }
}

/** A service whose links lead to an address that they name. */
export const row = Schema.Struct({
  /** `*.name` is that host and all below it. `google.com` stands for Google in every country. */
  hosts: Schema.compose(
    Schema.split(" "),
    Schema.Array(Schema.String.pipe(Schema.pattern(/^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/)))
  ),
  /**
   * A canonical path. `/url` stands for itself, with or without a slash at its end; one that ends in a slash, such as `/amp/`,
   * for all paths that begin with it.
   */
  path: Schema.String.pipe(Schema.pattern(/^\/[\w./-]*$/)),
  destination: DestinationName,
  arguments: Schema.optionalWith(Words, { default: () => [] }),
  /**
   * `yes` if the wrapper serves the page itself. The connection to the site is then not the visitor's, and its plain HTTP does not
   * count. The address may lack its scheme.
   */
  servesPage: Schema.optional(Schema.Literal("yes"))
}).pipe(
  Schema.filter(({ destination, arguments: [first] }) => {
    if (first === undefined) return withoutArguments.includes(destination) || `${destination} needs arguments`
    const isPattern = destination === "siteAfter" || destination === "inPathOrAfter"
    return !isPattern || compiles(first) || `${first} is not a regular expression`
  })
)

/** @typedef {typeof DestinationName.Type} DestinationName */
/** @typedef {typeof row.Type} Wrapper */

/** @param {Wrapper} wrapper */
export const keysOf = ({ hosts, path }) => hosts.map((host) => `${host}${path}`)
