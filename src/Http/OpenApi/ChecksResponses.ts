import type {
  BadChecksRequest,
  CheckedUrl,
  ChecksRequest,
  ChecksResult,
  PayloadTooLarge,
  RequestTimeout
} from "../Api.ts"
import { common, type Response, rateLimit, scoring, unavailable } from "./CommonResponses.ts"

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
      "All results in order. The connection is closed if the client has not read them 10 seconds after they were computed.",
    headers: rateLimit,
    examples: { one: { results: [result] } satisfies typeof ChecksResult.Encoded }
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
  408: {
    description:
      "The body did not arrive within 10 seconds. The connection is closed. Counts as one request.",
    headers: rateLimit,
    examples: {
      late: { error: "The body did not arrive within 10 seconds" } satisfies typeof RequestTimeout.Encoded
    }
  },
  413: {
    description:
      "The body is larger than 256 KiB, or one of its URLs is larger than 64 KiB, as a JSON string in UTF-8. Counts as one request.",
    headers: rateLimit,
    examples: {
      tooLarge: { error: "The body is larger than 262144 bytes" } satisfies typeof PayloadTooLarge.Encoded,
      urlTooLarge: { error: "A URL is larger than 65536 bytes" } satisfies typeof PayloadTooLarge.Encoded
    }
  },
  ...scoring,
  429: {
    description:
      "With these URLs, more than the rate limit allows in a window: none is checked, and only one request is counted. The URLs can be sent again in this window if `r` of `RateLimit` allows as many. If the window allows no request at all, the body is not read.",
    headers: [...rateLimit, "Retry-After"],
    examples: scoring[429]?.examples ?? {}
  },
  503: {
    ...unavailable,
    description: `The service is overloaded: the address sends 8 other bodies already, all addresses together send 64, or no place for the checks was free within 10 seconds. Does not count against the rate limit. Or: ${unavailable.description}`
  }
}
