// Without the sentences: the contract loads this file.
import { Schema } from "effect"

const text = (description: string) => Schema.String.annotations({ description })
const flag = (description: string) => Schema.Boolean.annotations({ description })
const host = (description: string) => Schema.String.annotations({ description, examples: ["shop.example"] })

/** All that sentences show, by name. Text of the URL is printable ASCII, with an ellipsis where it was cut. */
export const facts = {
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
  pattern: Schema.Literal("hexadecimal", "address", "digits", "consonants", "mixed", "generated").annotations(
    { description: "Why a name looks made by a program" }
  ),
  pieces: Schema.Array(Schema.String).annotations({
    description: "The parts of host and path that weighed most for the model, at most three"
  }),
  problem: Schema.Literal(
    "NoHost",
    "ForbiddenHostCharacter",
    "HostTooLong",
    "InvalidIpv4Address"
  ).annotations({
    description: "Why the text is not a web address"
  }),
  registrable: text("The registrable domain that the host belongs to"),
  scheme: text("Without the colon"),
  scripts: Schema.Array(Schema.String).annotations({ description: "Alphabets, such as `Cyrillic`" }),
  shown: text(
    "What the URL shows in place of its host; of a text that is not a URL, the text without secrets"
  ),
  suffix: text("The end of the host, such as `top` or `pages.dev`"),
  threat: Schema.Literal("phishing", "malware", "unwanted software", "harmful applications").annotations({
    description: "What Google suspects"
  }),
  unread: Schema.Literal("TooMany", "Unreadable").annotations({
    description: "Why not all addresses inside the URL were read"
  }),
  words: Schema.Array(Schema.String).annotations({ description: "Words that phishing often uses" })
} as const

export type Facts = Schema.Struct.Type<typeof facts>
