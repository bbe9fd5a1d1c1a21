import { OpenApi } from "@effect/platform"
import { Effect, Record } from "effect"
import { CheckerId, CheckerStatus } from "../Checkers/Checker/CheckerStatus.ts"
import * as Program from "../Layers/Program.ts"
import { Api } from "./Api.ts"
import { json } from "./Response.ts"
import type { GetRoute } from "./Route.ts"

const summary = "Scores URLs for phishing, so that people know before they click"

const description = `The submitted URL is never fetched. The addresses inside it are checked too.

\`safe\` only means that nothing was found: the header \`Checker-Status\` says which of the six checkers answered.

The HTTP server itself responds, without a body, to malformed HTTP (400), slow requests (408), an unknown \`Expect\` (417) and large headers (431).`

const checkerStatus = CheckerId.literals
  .map((checker) => `${checker}=(${CheckerStatus.literals.join("|")})`)
  .join(", ")

const counted = /^checks? (?:200|400|408|413|415|429)$/

interface Header {
  /** Which responses have it: the operation and the status, as `check 200`. */
  readonly of: RegExp
  readonly description: string
  /** True by default. */
  readonly required?: false
  /** Of a text; a number is at least 1. */
  readonly pattern?: string
  readonly example: string | number
}

/** The response headers that callers use, which HttpApi cannot declare. */
const headers: Readonly<Record<string, Header>> = {
  "X-Request-Id": {
    of: /./,
    description:
      "The id of this request in the log: the request's own `X-Request-Id` if that consists of 1 to 128 letters, digits and `_.-`, otherwise a new one.",
    pattern: "^[A-Za-z0-9_.-]{1,128}$",
    example: "0b8e3a5c-6a4e-4d2c-9f5d-3f1f5e1b7c11"
  },
  "Checker-Status": {
    of: /^check 200$/,
    description:
      "The status of each checker, an RFC 9651 dictionary: `ok`, `stale` (it used older data), or why it did not answer. A checker that did not answer adds nothing to the score.",
    pattern: `^${checkerStatus}$`,
    example:
      "heuristics=ok, feed_a=ok, reputation_lookup=not-configured, feed_b=stale, feed_c=timeout, feed_d=unavailable"
  },
  "List-Override": {
    of: /^check 200$/,
    description:
      "The operator's own lists decided: `block` gives a score of 100, `allow` drops every finding about the submitted address except plain HTTP. Absent if they did not.",
    required: false,
    pattern: "^(allow|block)$",
    example: "block"
  },
  "Accept-Post": {
    of: / 400$/,
    description:
      "The `Content-Type` that a request needs (https://www.w3.org/TR/ldp/#header-accept-post). Absent if the request had it.",
    required: false,
    pattern: "^application/json$",
    example: "application/json"
  },
  "Accept-Encoding": {
    of: / 415$/,
    description: "The `Content-Encoding` that a request may have.",
    pattern: "^identity$",
    example: "identity"
  },
  "RateLimit-Policy": {
    of: counted,
    description: "How many requests (`q`) one address may send in a window of `w` seconds.",
    pattern: '^"default";q=\\d+;w=\\d+$',
    example: '"default";q=100;w=900'
  },
  RateLimit: {
    of: counted,
    description: "How many requests remain (`r`) in this window, which ends in `t` seconds.",
    pattern: '^"default";r=\\d+;t=\\d+$',
    example: '"default";r=99;t=900'
  },
  "Retry-After": {
    of: /(?<!^ready) (?:429|503)$/,
    description: "Seconds to wait before the next request, at least 1.",
    example: 42
  },
  Allow: {
    of: / 405$/,
    description: "The methods of this path.",
    pattern: "^[A-Z]+(, [A-Z]+)*$",
    example: "POST, OPTIONS"
  }
}

/** The response that HttpApi declares for every endpoint, and the schemas it refers to. The service never sends it. */
const neverSent = ["HttpApiDecodeError", "Issue", "PropertyKey"]

const SCHEMAS = "#/components/schemas/"

type Schemas = OpenApi.OpenAPISpec["components"]["schemas"]

/** The names of the schemas of a body. */
const namesOf = (content: OpenApi.OpenApiSpecContent = {}): ReadonlyArray<string> => {
  const schema = content["application/json"]?.schema
  const members: ReadonlyArray<object> =
    schema === undefined ? [] : "anyOf" in schema ? schema.anyOf : [schema]
  return members
    .map((member) => ("$ref" in member ? String(member.$ref).slice(SCHEMAS.length) : ""))
    .filter((name) => !neverSent.includes(name))
}

/** A body with the examples of its schemas, which tools offer by name. */
const contentOf = (names: ReadonlyArray<string>, schemas: Schemas) => {
  const refs = names.map((name) => ({ $ref: `${SCHEMAS}${name}` }))
  const examples = names.flatMap((name) =>
    (schemas[name]?.examples ?? []).map((value, index) => [
      `${name}${index === 0 ? "" : index + 1}`,
      { value }
    ])
  )
  return {
    "application/json": {
      schema: refs.length === 1 ? refs[0] : { anyOf: refs },
      examples: Object.fromEntries(examples)
    }
  }
}

const headersOf = (operationAndStatus: string) =>
  Record.map(
    Record.filter(headers, ({ of }) => of.test(operationAndStatus)),
    (_, name) => ({ $ref: `#/components/headers/${name}` })
  )

const operation = (generated: OpenApi.OpenAPISpecOperation, schemas: Schemas) => ({
  ...generated,
  ...(generated.requestBody && {
    requestBody: {
      ...generated.requestBody,
      content: contentOf(namesOf(generated.requestBody.content), schemas)
    }
  }),
  responses: Object.fromEntries(
    Object.entries(generated.responses).flatMap(([status, { content, description }]) => {
      const names = namesOf(content)
      const response = {
        // For 400 the generated one is that of the response that is never sent.
        description: status === "400" ? names.map((name) => schemas[name]?.description).join() : description,
        headers: headersOf(`${generated.operationId} ${status}`),
        content: contentOf(names, schemas)
      }
      return names.length === 0 ? [] : [[status, response]]
    })
  )
})

/** Adds headers, and moves the descriptions and examples of bodies from their schemas to the responses. */
const transform = (spec: Record<string, unknown>) => {
  const { components, paths, ...rest } = spec as unknown as OpenApi.OpenAPISpec
  const { schemas } = components
  const sentSchemas = Record.filter(schemas, (_, name) => !neverSent.includes(name))
  return {
    ...rest,
    paths: Record.map(paths, (operations) =>
      Object.fromEntries(
        Object.entries(operations).map(([method, generated]) => [method, operation(generated, schemas)])
      )
    ),
    components: {
      schemas: Record.map(sentSchemas, ({ description, examples, ...schema }) => ({
        // The titles that the generator makes of filters, such as `between(0, 100)`, repeat the schema.
        ...JSON.parse(JSON.stringify(schema, (key, value) => (key === "title" ? undefined : value))),
        ...(examples === undefined && { description })
      })),
      headers: Record.map(headers, ({ description, example, pattern, required = true }) => ({
        description,
        required,
        schema: pattern === undefined ? { type: "integer", minimum: 1 } : { type: "string", pattern },
        example
      }))
    }
  }
}

/** The API as OpenAPI 3.1. */
export const document = () =>
  OpenApi.fromApi(
    Api.annotateContext(
      OpenApi.annotations({
        title: Program.name,
        version: Program.version,
        summary,
        description,
        // Relative to this document, so that it is right behind any proxy.
        servers: [{ url: ".", description: "The service that serves this document" }],
        transform
      })
    )
  )

/** Serves the document, which is made at the first request for it. */
export const route = Effect.map(
  Effect.cached(Effect.sync(() => json(200, document()))),
  (response) =>
    ({ path: "/openapi.json", method: "GET", audience: "clients", handle: () => response }) satisfies GetRoute
)
