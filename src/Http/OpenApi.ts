import { OpenApi } from "@effect/platform"
import { Effect, Record } from "effect"
import * as Program from "../Layers/Program.ts"
import { Api } from "./Api.ts"
import { json } from "./JsonResponse.ts"
import { headers } from "./OpenApi/Headers.ts"
import { requestExamples, responses } from "./OpenApi/Responses.ts"
import type { Route } from "./Route.ts"

const summary = "Scores URLs for phishing, so that people know before they click"

const description = `The submitted URL is never fetched. The addresses inside it are checked too.

\`safe\` only means that nothing was found: the header \`Checker-Status\` says which of the six checkers answered.

The HTTP server itself responds, without a body, to malformed HTTP (400), slow requests (408), an unknown \`Expect\` (417) and large headers (431).`

const tags: Readonly<Record<string, string>> = {
  check: "Scoring",
  health: "For operators of the service. With `ADMIN_PORT` they are served on that port only",
  contract: "This document"
}

/** The response that HttpApi declares for every endpoint, and the schemas it refers to. The service never sends it. */
const neverSent = ["HttpApiDecodeError", "Issue", "PropertyKey"]

type Schemas = OpenApi.OpenAPISpec["components"]["schemas"]

const isNeverSent = (schema: object): boolean =>
  "$ref" in schema && neverSent.some((name) => schema.$ref === `#/components/schemas/${name}`)

/** Returns the members of a union without those that are never sent. */
const sentMembers = (schema: object): ReadonlyArray<object> =>
  ("anyOf" in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [schema]).filter(
    (member) => !isNeverSent(member)
  )

/** `Record.map` for records with optional keys. */
const mapValues = <A, B>(record: { readonly [key: string]: A }, f: (value: A, key: string) => B) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value, key)]))

const examplesOf = (bodies: Readonly<Record<string, unknown>> | undefined) =>
  Record.map(bodies ?? {}, (value) => ({ value }))

const response = (operationId: string, status: string, generated: OpenApi.OpenApiSpecResponse) => {
  const schema = generated.content?.["application/json"]?.schema
  const members = schema === undefined ? [] : sentMembers(schema)
  const details = responses[operationId]?.[status]
  return {
    description: details?.description ?? generated.description,
    headers: Object.fromEntries(
      ["X-Request-Id", ...(details?.headers ?? [])].map((name) => [
        name,
        { $ref: `#/components/headers/${name}` }
      ])
    ),
    content: {
      "application/json": {
        schema: members.length === 1 ? members[0] : { anyOf: members },
        examples: examplesOf(details?.examples)
      }
    }
  }
}

const isSent = ({ content }: OpenApi.OpenApiSpecResponse): boolean => {
  const schema = content?.["application/json"]?.schema
  return schema === undefined || sentMembers(schema).length > 0
}

const operation = ({ responses, requestBody, ...generated }: OpenApi.OpenAPISpecOperation) => ({
  ...generated,
  ...(requestBody !== undefined && {
    requestBody: {
      ...requestBody,
      content: mapValues(requestBody.content, (media) => ({
        ...media,
        examples: examplesOf(requestExamples[generated.operationId])
      }))
    }
  }),
  responses: Record.map(Record.filter(responses, isSent), (generatedResponse, status) =>
    response(generated.operationId, status, generatedResponse)
  )
})

/** Removes the titles that the generator makes of filters, such as `between(0, 100)`: they repeat the schema. */
const withoutTitles = <A>(schemas: A): A =>
  JSON.parse(JSON.stringify(schemas, (key, value) => (key === "title" ? undefined : value)))

const schemas = (generated: Schemas) => {
  const { CheckRequest, DateTimeUtc, ...rest } = withoutTitles(
    Record.filter(generated, (_, name) => !neverSent.includes(name))
  )
  return {
    // Unknown fields are ignored.
    CheckRequest: { ...CheckRequest, additionalProperties: true },
    DateTimeUtc: { ...DateTimeUtc, description: "RFC 3339, in UTC", format: "date-time" },
    ...rest
  }
}

/** Returns the OpenAPI 3.1 document of the contract, with headers and examples, which HttpApi cannot declare. */
export const document = () => {
  const generated = OpenApi.fromApi(Api)
  return {
    openapi: generated.openapi,
    info: { title: Program.name, version: Program.version, summary, description },
    // Relative to this document, so that it is right behind any proxy.
    servers: [{ url: ".", description: "The service that serves this document" }],
    tags: generated.tags.map(({ name }) => ({ name, description: tags[name] })),
    security: generated.security,
    paths: Record.map(generated.paths, (operations) => mapValues(operations, operation)),
    components: { schemas: schemas(generated.components.schemas), headers }
  }
}

/** Serves the document, which is made at the first request for it. */
export const route = Effect.map(
  Effect.cached(Effect.sync(() => json(200, document()))),
  (response) => ({ path: "/openapi.json", method: "GET", handle: () => response }) satisfies Route
)
