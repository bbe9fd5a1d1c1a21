import type { HeaderName } from "./Headers.ts"

/** What the contract's schemas do not say about the answer of one status. */
export interface Response {
  readonly description: string
  readonly headers: ReadonlyArray<HeaderName>
  /** Bodies by a name that says what they show. */
  readonly examples: Readonly<Record<string, unknown>>
}

const rateLimit = ["RateLimit-Policy", "RateLimit"] as const

const unavailable: Response = {
  description: "The service is about to serve, or about to end; another replica may answer.",
  headers: ["Retry-After"],
  examples: { unavailable: { error: "The service is not available at the moment" } }
}

/** What every operation may answer. */
const everywhere: Readonly<Record<string, Response>> = {
  404: {
    description: "Nothing has this path: the base address is wrong.",
    headers: [],
    examples: { notFound: { error: "Not found" } }
  },
  405: {
    description: "The path does not answer this method.",
    headers: ["Allow"],
    examples: { methodNotAllowed: { error: "Method not allowed" } }
  },
  500: {
    description: "A bug of the service, whose log tells more.",
    headers: [],
    examples: {
      serverError: { error: "Server error", detail: "TypeError while answering; the log tells more" }
    }
  },
  503: unavailable
}

const executionTimeMs = {
  heuristics: 0.112,
  feed_a: 0.021,
  reputation_lookup: 48.503,
  feed_b: 0.018,
  feed_c: 0.017,
  feed_d: 0.019
}

const feed = {
  enabled: true,
  source: "PhishTank",
  entries: 56_214,
  ignored: 3_120,
  skipped: 2,
  fetchedAt: "2026-11-21T09:00:00.000Z",
  stale: false,
  lastError: null,
  saveError: null
}

const health = {
  feeds: { feed_a: feed, feed_b: feed, feed_c: feed, feed_d: { enabled: false } },
  cache: "in-process",
  reputationLookup: "not-configured",
  checkers: { heuristics: "ok", feed_a: "ok", reputation_lookup: "not-configured" }
}

/** By operation and status. */
export const responses: Readonly<Record<string, Readonly<Record<string, Response>>>> = {
  check: {
    ...everywhere,
    200: {
      description: "The score, the verdict and why.",
      headers: ["Checker-Status", ...rateLimit],
      examples: {
        phishing: {
          url: "http://paypa1-secure.example/login",
          score: 90,
          verdict: "phishing",
          reasons: [
            'Host imitates "paypal" (paypa1-secure.example), which belongs to paypal.com',
            'Host speaks of credentials, payments or urgency ("secure")',
            'Path speaks of credentials, payments or urgency ("login")',
            'Address resembles those of reported phishing: "paypa1-secure", "login"',
            "URL is not HTTPS"
          ],
          executionTimeMs
        },
        clean: {
          url: "https://example.com/",
          score: 0,
          verdict: "safe",
          reasons: [],
          executionTimeMs
        }
      }
    },
    400: {
      description: "No `url`, one that is empty or no string, or a body that is not JSON.",
      headers: rateLimit,
      examples: { missing: { error: "Missing 'url' in body" } }
    },
    413: {
      description: "A body of more than 64 KiB.",
      headers: rateLimit,
      examples: { tooLarge: { error: "The body is larger than 65536 bytes" } }
    },
    429: {
      description: "More requests from one IPv4 address, or one IPv6 /64, than the window allows.",
      headers: [...rateLimit, "Retry-After"],
      examples: {
        exceeded: {
          error: "Too many requests from this IP, please try again later.",
          limit: 100,
          current: 101
        }
      }
    },
    503: {
      ...unavailable,
      description: `More requests than the process can answer; those that are refused are not counted against the limit. Or: ${unavailable.description}`
    }
  },
  live: {
    ...everywhere,
    200: { description: "The process serves.", headers: [], examples: { live: { status: "live" } } }
  },
  ready: {
    ...everywhere,
    200: {
      description: "Every enabled feed holds a list.",
      headers: [],
      examples: { ready: { status: "ready", ...health } }
    },
    503: {
      description: `An enabled feed has no list yet. Or: ${unavailable.description}`,
      headers: [],
      examples: {
        notReady: {
          status: "not-ready",
          ...health,
          feeds: {
            ...health.feeds,
            feed_c: {
              ...feed,
              entries: 0,
              ignored: 0,
              skipped: 0,
              fetchedAt: null,
              lastError: { message: "HTTP status 429", at: "2026-11-21T09:00:00.000Z" }
            }
          }
        },
        ...unavailable.examples
      }
    }
  },
  openapi: {
    ...everywhere,
    200: {
      description: "An OpenAPI 3.1 document.",
      headers: [],
      examples: { document: { openapi: "3.1.0" } }
    }
  }
}

/** Bodies of requests, by operation. */
export const requestExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  check: {
    url: { url: "http://paypa1-secure.example/login" },
    bareHost: { url: "example.com" }
  }
}
