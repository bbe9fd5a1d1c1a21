import { CheckerId, CheckerStatus } from "../../Checkers/Checker.ts"

/** A header object of OpenAPI: https://spec.openapis.org/oas/v3.1.1#header-object. */
interface Header {
  readonly description: string
  readonly required: boolean
  readonly schema:
    | { readonly type: "string"; readonly pattern: string }
    | { readonly type: "integer"; readonly minimum: number }
  readonly example: string | number
}

const checkerStatus = CheckerId.literals
  .map((checker) => `${checker}=(${CheckerStatus.literals.join("|")})`)
  .join(", ")

/** The response headers that callers use, by name. HttpApi cannot declare them. */
export const headers = {
  "X-Request-Id": {
    description:
      "The id of this request in the log: the request's own `X-Request-Id` if that consists of 1 to 128 letters, digits and `_.-`, otherwise a new one.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9_.-]{1,128}$" },
    example: "0b8e3a5c-6a4e-4d2c-9f5d-3f1f5e1b7c11"
  },
  "Checker-Status": {
    description:
      "The status of each checker, an RFC 9651 dictionary: `ok`, `stale` (it used older data), or why it did not answer. A checker that did not answer adds nothing to the score.",
    required: true,
    schema: { type: "string", pattern: `^${checkerStatus}$` },
    example:
      "heuristics=ok, feed_a=ok, reputation_lookup=not-configured, feed_b=stale, feed_c=timeout, feed_d=unavailable"
  },
  "List-Override": {
    description:
      "The operator's own lists decided: `block` gives a score of 100, `allow` drops every finding about the submitted address except plain HTTP. Absent if they did not.",
    required: false,
    schema: { type: "string", pattern: "^(allow|block)$" },
    example: "block"
  },
  "Accept-Post": {
    description:
      "The `Content-Type` that a request needs (https://www.w3.org/TR/ldp/#header-accept-post). Absent if the request had it.",
    required: false,
    schema: { type: "string", pattern: "^application/json$" },
    example: "application/json"
  },
  "Accept-Encoding": {
    description: "The `Content-Encoding` that a request may have.",
    required: true,
    schema: { type: "string", pattern: "^identity$" },
    example: "identity"
  },
  "RateLimit-Policy": {
    description: "How many requests (`q`) one address may send in a window of `w` seconds.",
    required: true,
    schema: { type: "string", pattern: '^"default";q=\\d+;w=\\d+$' },
    example: '"default";q=100;w=900'
  },
  RateLimit: {
    description: "How many requests remain (`r`) in this window, which ends in `t` seconds.",
    required: true,
    schema: { type: "string", pattern: '^"default";r=\\d+;t=\\d+$' },
    example: '"default";r=99;t=900'
  },
  "Retry-After": {
    description: "Seconds to wait before the next request, at least 1.",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 42
  },
  Allow: {
    description: "The methods of this path.",
    required: true,
    schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
    example: "POST, OPTIONS"
  }
} as const satisfies Record<string, Header>

export type HeaderName = keyof typeof headers
