import { Option, Schema, SchemaAST } from "effect"
import { facts } from "../../Checkers/Kinds/Details.ts"
import { factsByKind, factsOfSome } from "../../Checkers/Kinds/KindNames.ts"

/** The same for a caller: later versions may add values. */
const open = <Values extends readonly [string, ...Array<string>]>(known: Schema.Literal<Values>) =>
  Schema.Union(Schema.Literal(...known.literals), Schema.String).annotations({
    description: Option.getOrThrow(SchemaAST.getDescriptionAnnotation(known.ast))
  })

const ofCallers = {
  ...facts,
  pattern: open(facts.pattern),
  problem: open(facts.problem),
  threat: open(facts.threat),
  unread: open(facts.unread)
} as const

type Fact = keyof typeof facts

/** What the sentence of a finding shows, by name. Which facts it has depends on its kind. */
export const FindingDetails = Schema.partialWith(Schema.Struct(ofCallers), { exact: true }).annotations({
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
