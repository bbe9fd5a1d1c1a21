import { Schema } from "effect"

/** The names are also everyday words, surnames or abbreviations: no evidence by themselves. */
const Everyday = Schema.Literal("everyday")

/**
 * The names of software that firms run below their own domains, `zimbra.firm.example`: everyday there, and in the path where it is
 * installed, `/roundcube/`. Not on free hosting, which does not run it.
 */
const SelfHosted = Schema.Literal("selfHosted")

/** What the owner does. It decides which lure words are meant for its customers. */
export const Sector = Schema.Literal(
  // Payment and identity too.
  "bank",
  // Customs too.
  "post",
  // Taxes, social security and other authorities.
  "state",
  // Trains, flights, taxis, tolls.
  "transport",
  // Power too.
  "telecom",
  // Social media, games and films too.
  "software",
  // Markets and travel too.
  "shop",
  "crypto"
)

/** A flag that only some names of a row may have. */
export const Flag = Schema.Literal(
  // Reports often contain the name misspelled, and it has few neighbours with another meaning. Not for names such as `openai`
  // (one edit from `openapi`) and `stripe` (one edit from `stride`), and for most names of two ordinary words.
  "misspelled",
  // Part of ordinary words and names: `interactive`, `cryptocompare`, `orangefruit`, `sunrisechurch`, `accounting`.
  "insideWords"
)

const Name = Schema.String.pipe(Schema.pattern(/^[a-z0-9]{3,}$/))

const Domain = Schema.String.pipe(
  Schema.pattern(/^(?:\+?(?:[\p{Ll}0-9-]+(?:\.[a-z0-9-]+)+|[\p{Ll}0-9-]+\.\*|\.[a-z]+)|\*\.[a-z]+)$/u)
)

const WHOLE_DOMAIN = /^\+?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/

const NOT_IN_NAMES = /[^a-z0-9]/g

/**
 * The name that a spelling shows: `bankofamerica` of `Bank of America`.
 *
 * @param {string} spelling
 */
const nameOf = (spelling) => spelling.toLowerCase().replace(NOT_IN_NAMES, "")

/** @param {{ names: ReadonlyArray<string>, domains: ReadonlyArray<string>, flags: ReadonlyArray<string>, spellings: ReadonlyArray<string> }} row */
const errorOf = ({ names, domains, flags, spellings }) => {
  if (!WHOLE_DOMAIN.test(domains[0] ?? "")) return "the first domain is not a whole one"
  const bare = domains.map((domain) => domain.replace("+", ""))
  const twice = bare.find((domain, at) => bare.indexOf(domain) < at)
  if (twice !== undefined) return `${twice} is there twice`
  const unknown = flags.find(
    (flag) => flag.includes(":") && !names.includes(flag.slice(flag.indexOf(":") + 1))
  )
  if (unknown !== undefined) return `${unknown} names no name of the row`
  const shown = spellings.map(nameOf)
  const strange = spellings.find(
    (_, at) => !names.includes(shown[at] ?? "") || shown.indexOf(shown[at] ?? "") < at
  )
  return strange === undefined || `${strange} spells no name of the row, or one that is spelled already`
}

export const row = Schema.Struct({
  /** Lower-case ASCII without spaces or hyphens, as in hosts. */
  names: Schema.compose(Schema.split(" "), Schema.NonEmptyArray(Name)),
  /**
   * Registrable domains or public suffixes, those of well-known namesakes included; the first is shown to users. `name.*`
   * is `name` under every country's suffix, for brands that own nearly all of them; `.name` is a top-level domain of the
   * brand; `*.de` is every domain under `de` that contains one of the names, where many firms have a right to the name.
   * Accents in a domain say that the brand's name is written with them, under any suffix. A firm may have several brands: a
   * plus says that another row, which has the domain without one, is of the same firm.
   */
  domains: Schema.compose(Schema.split(" "), Schema.NonEmptyArray(Domain)),
  sector: Sector,
  /** `flag` is for all names of the row, `flag:name` for this one. `everyday` and `selfHosted` are always for all. */
  flags: Schema.optionalWith(
    Schema.compose(
      Schema.split(" "),
      Schema.Array(Schema.Union(Everyday, SelfHosted, Flag, Schema.TemplateLiteral(Flag, ":", Schema.String)))
    ),
    { default: () => [] }
  ),
  /** How the owner writes the names, in ASCII, for reasons: the names with capitals, spaces and signs, separated by commas. */
  spellings: Schema.optionalWith(
    Schema.compose(
      Schema.split(", "),
      Schema.Array(Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9][\x20-\x7e]*$/)))
    ),
    { default: () => [] }
  )
}).pipe(Schema.filter(errorOf))

/** @typedef {typeof Flag.Type} Flag */
/** @typedef {typeof Sector.Type} Sector */
/** @typedef {typeof row.Type} BrandRow */

/** What no other row may have.
 *
 * @param {BrandRow} brand
 */
export const keysOf = ({ names, domains }) => [
  ...names,
  ...domains.filter((domain) => !domain.startsWith("+") && !domain.startsWith("*."))
]

/** What another row must have.
 *
 * @param {BrandRow} brand
 */
export const neededKeysOf = ({ domains }) =>
  domains.filter((domain) => domain.startsWith("+")).map((domain) => domain.slice(1))
