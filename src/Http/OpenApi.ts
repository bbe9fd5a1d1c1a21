import { OpenApi } from "@effect/platform"
import { Effect, Record } from "effect"
import { checkerIds, checkerStatuses } from "../Checkers/Checker/CheckerNames.ts"
import * as Program from "../Layers/Program.ts"
import { AnyError, Api } from "./Api.ts"
import { json } from "./Response.ts"
import type { GetRoute } from "./Route.ts"

const description = `The submitted URL is never fetched. The addresses inside it are checked too.

\`safe\` only means that nothing was found: the header \`Checker-Status\` says which of the six checkers answered.

The HTTP server itself responds, without a body, to malformed HTTP (400), slow requests (408), an unknown \`Expect\` (417), large headers (431) and a \`Transfer-Encoding\` other than \`chunked\` (501).`

const checkerStatus = checkerIds.map((checker) => `${checker}=(${checkerStatuses.join("|")})`).join(", ")

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

const headersOf = (operationAndStatus: string) =>
  Record.map(
    Record.filter(headers, ({ of }) => of.test(operationAndStatus)),
    (_, name) => ({ $ref: `#/components/headers/${name}` })
  )

/** Adds the headers, and leaves out the titles that the generator makes of filters, such as `between(0, 100)`. */
const transform = (spec: Record<string, unknown>) => {
  const { components, paths, ...rest } = spec as unknown as OpenApi.OpenAPISpec
  return {
    ...rest,
    paths: Record.map(paths, (operations) =>
      Record.map(operations as Record<string, OpenApi.OpenAPISpecOperation>, (operation) => ({
        ...operation,
        responses: Record.map(operation.responses, (response, status) => ({
          ...response,
          headers: headersOf(`${operation.operationId} ${status}`)
        }))
      }))
    ),
    components: {
      schemas: JSON.parse(
        JSON.stringify(components.schemas, (key, value) => (key === "title" ? undefined : value))
      ),
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
export const document = () => {
  const api = Api.annotateContext(
    OpenApi.annotations({
      title: Program.name,
      version: Program.version,
      summary: "Scores URLs for phishing, so that people know before they click",
      description,
      // Relative to this document, so that it is right behind any proxy.
      servers: [{ url: ".", description: "The service that serves this document" }],
      transform
    })
  )
  // Without `HttpApiDecodeError`, which HttpApi declares for every endpoint: the service never sends it.
  Object.assign(api, { errorSchema: AnyError })
  return OpenApi.fromApi(api)
}

/** Serves the document, which is made at the first request for it. */
export const route = Effect.map(
  Effect.cached(Effect.sync(() => json(200, document()))),
  (response) =>
    ({ path: "/openapi.json", method: "GET", audience: "clients", handle: () => response }) satisfies GetRoute
)
