import { CheckerId, CheckerStatus } from "../../Checkers/Checker.ts"

/** What OpenAPI calls a header object: https://spec.openapis.org/oas/v3.1.1#header-object. */
export interface Header {
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

/** The headers of answers that mean something to a caller, by name. HttpApi has no words for them. */
export const headers = {
  "X-Request-Id": {
    description:
      "What the log calls this request: the `X-Request-Id` that it came with, if that is of 1 to 128 letters, digits and `_.-`, else a new one.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9_.-]{1,128}$" },
    example: "0b8e3a5c-6a4e-4d2c-9f5d-3f1f5e1b7c11"
  },
  "Checker-Status": {
    description:
      "What became of each checker, an RFC 9651 dictionary: `ok`, `stale` (an answer from an old list), or why it gave none. A checker without an answer adds nothing to the score.",
    required: true,
    schema: { type: "string", pattern: `^${checkerStatus}$` },
    example:
      "heuristics=ok, feed_a=ok, reputation_lookup=not-configured, feed_b=stale, feed_c=timeout, feed_d=unavailable"
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
    description: "In how many seconds to come back, at least 1.",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 42
  },
  Allow: {
    description: "The methods that this path answers.",
    required: true,
    schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
    example: "POST, OPTIONS"
  }
} as const satisfies Record<string, Header>

export type HeaderName = keyof typeof headers
