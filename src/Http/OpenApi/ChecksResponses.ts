import type {
  BadChecksRequest,
  CheckedLine,
  CheckedUrl,
  ChecksRequest,
  ChecksResult,
  PayloadTooLarge
} from "../Api.ts"
import { common, type Response, rateLimit, scoring } from "./CommonResponses.ts"

const result: typeof CheckedUrl.Encoded = {
  url: "http://example.com/",
  score: 10,
  verdict: "safe",
  reasons: ["URL is not HTTPS"],
  executionTimeMs: {
    heuristics: 0.112,
    feed_a: 0.021,
    reputation_lookup: 48.503,
    feed_b: 0.018,
    feed_c: 0.017,
    feed_d: 0.019
  },
  findings: [{ checker: "heuristics", kind: "notHttps", points: 10, reason: "URL is not HTTPS" }],
  checkers: {
    heuristics: "ok",
    feed_a: "ok",
    reputation_lookup: "ok",
    feed_b: "stale",
    feed_c: "ok",
    feed_d: "not-configured"
  }
}

export const requestExample: typeof ChecksRequest.Encoded = { urls: ["http://example.com/"] }

/** Of `POST /api/checks`, by status. */
export const checksResponses: Readonly<Record<string, Response>> = {
  ...common,
  200: {
    description:
      "All results in order; or, as `application/x-ndjson`, one a line in the order in which they ended, each with its `index` first. The schema of that is the schema of a line. A defect of one URL after the first line is a line with `error`, and the others go on.",
    headers: rateLimit,
    examples: { one: { results: [result] } satisfies typeof ChecksResult.Encoded },
    lines: {
      result: { index: 1, ...result },
      defect: { index: 0, error: "Server error" }
    } satisfies Record<string, typeof CheckedLine.Encoded>
  },
  400: {
    description:
      "The body is not JSON, or its `urls` is no list of strings that are not empty, or of too many. The message names the largest number, which is that of the rate limit if it is below 500. Or the header `Content-Type` is not `application/json`; then the response has `Accept-Post`. Counts as one request.",
    headers: ["Accept-Post", ...rateLimit],
    examples: {
      noList: {
        error: "'urls' must be a list of 1 to 500 strings"
      } satisfies typeof BadChecksRequest.Encoded
    }
  },
  413: {
    description: "The body is larger than 1 MiB. Counts as one request.",
    headers: rateLimit,
    examples: {
      tooLarge: { error: "The body is larger than 1048576 bytes" } satisfies typeof PayloadTooLarge.Encoded
    }
  },
  ...scoring,
  429: {
    description:
      "With these URLs, more than the rate limit allows in a window: none is checked, and only one request is counted. The URLs can be sent again in this window if `r` of `RateLimit` allows as many.",
    headers: [...rateLimit, "Retry-After"],
    examples: scoring[429]?.examples ?? {}
  }
}
