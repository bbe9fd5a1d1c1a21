import { Schema } from "effect"
import { factsByKind, factsOfSome } from "../../Checkers/Kinds/KindNames.ts"
import { flag, text } from "./Body.ts"

/** Later versions may add values. */
const open = (...values: readonly [string, ...ReadonlyArray<string>]) =>
  Schema.Union(Schema.Literal(...values), Schema.String)

const host = (description: string) => Schema.String.annotations({ description, examples: ["shop.example"] })

/** All that sentences show, by name. Text of the URL is printable ASCII, with an ellipsis where it was cut. */
const facts = {
  address: text("An address inside the URL: host and path, at most 61 characters"),
  brand: Schema.Struct({
    name: text("As people know it, such as `PayPal`"),
    domain: text("Its own domain, such as `paypal.com`")
  }),
  days: Schema.NonNegativeInt.annotations({ description: "How many days back the list of new domains goes" }),
  domain: host("The domain that is new"),
  extension: text("In lower case, without the dot"),
  file: text("The name of a file, at most 61 characters"),
  folder: text("A technical folder, such as `wp-includes`"),
  host: host("The host that the finding is about"),
  innerHost: host("Only in a finding about an address inside the URL: the host of that address"),
  isOtherSpelling: flag("The list has the same content under another address"),
  isReversed: flag("The name of the file contains a character that reverses the text after it"),
  label: text("One label of the host"),
  list: Schema.Struct({
    publisher: text("Such as `PhishTank`"),
    category: text("What the list says: `phishing`, `malware`, `malicious` ..."),
    date: text("When the list was downloaded: `2026-11-21 09:00 UTC`")
  }),
  pages: Schema.NonNegativeInt.annotations({ description: "How many other pages of the host the list has" }),
  pattern: open("hexadecimal", "address", "digits", "consonants", "mixed", "generated").annotations({
    description: "Why a name looks made by a program"
  }),
  pieces: Schema.Array(Schema.String).annotations({
    description: "The parts of host and path that weighed most for the model, at most three"
  }),
  problem: open("NoHost", "ForbiddenHostCharacter", "HostTooLong").annotations({
    description: "Why the text is not a web address"
  }),
  registrable: text("The registrable domain that the host belongs to"),
  scheme: text("Without the colon"),
  scripts: Schema.Array(Schema.String).annotations({ description: "Alphabets, such as `Cyrillic`" }),
  shown: text(
    "What the URL shows in place of its host; of a text that is not a URL, the text without secrets"
  ),
  suffix: text("The end of the host, such as `top` or `pages.dev`"),
  threat: open("phishing", "malware", "unwanted software", "harmful applications").annotations({
    description: "What Google suspects"
  }),
  unread: open("TooMany", "Unreadable").annotations({
    description: "Why not all addresses inside the URL were read"
  }),
  words: Schema.Array(Schema.String).annotations({ description: "Words that phishing often uses" })
} as const

type Fact = keyof typeof facts

/** What the sentence of a finding shows, by name. Which facts it has depends on its kind. */
export const FindingDetails = Schema.partialWith(Schema.Struct(facts), { exact: true }).annotations({
  identifier: "FindingDetails",
  description: "What the sentence shows, by name: which facts there are depends on the kind",
  // Those of kinds that a later version adds.
  jsonSchema: { additionalProperties: true }
})
export type FindingDetails = typeof FindingDetails.Type

const requiredFacts: ReadonlyMap<string, ReadonlyArray<Fact>> = new Map(Object.entries(factsByKind))
const optionalFacts: ReadonlyMap<string, ReadonlyArray<Fact>> = new Map(Object.entries(factsOfSome))

/** Whether a finding has all facts of its kind. One of a kind of a later version may have any. */
export const hasItsFacts = ({
  details,
  kind
}: {
  readonly details: FindingDetails
  readonly kind: string
}): boolean => requiredFacts.get(kind)?.every((fact) => details[fact] !== undefined) ?? true

/** The same for tools, and that a finding has no others. */
export const factsForTools = Array.from(requiredFacts, ([kind, required]) => {
  const all = [...required, ...(optionalFacts.get(kind) ?? []), "innerHost"]
  const properties = Object.fromEntries(all.map((fact) => [fact, {}]))
  return {
    if: { properties: { kind: { const: kind } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { details: { required, properties, additionalProperties: false } } }
  }
})
