import type {
  BadRequest,
  CheckRequest,
  Degraded,
  Live,
  NotReady,
  PayloadTooLarge,
  Ready,
  ScanResult
} from "../Api.ts"
import { checksResponses, requestExample } from "./ChecksResponses.ts"
import { common, type Response, rateLimit, scoring, unavailable } from "./CommonResponses.ts"

const executionTimeMs = {
  heuristics: 0.112,
  feed_a: 0.021,
  reputation_lookup: 48.503,
  feed_b: 0.018,
  feed_c: 0.017,
  feed_d: 0.019
}

const feed = {
  enabled: true as const,
  source: "PhishTank",
  entries: 56_214,
  ignored: 3_120,
  skipped: 2,
  unconfirmed: 4,
  fetchedAt: "2026-11-21T09:00:00.000Z",
  stale: false,
  lastError: null,
  saveError: null,
  nextAttemptAt: "2026-11-21T15:12:40.000Z"
}

const popular = {
  enabled: true as const,
  source: "Majestic Million",
  entries: 93_460,
  ignored: 4_127,
  skipped: 0,
  fetchedAt: "2026-11-19T02:00:00.000Z",
  stale: false,
  lastError: null,
  saveError: null,
  nextAttemptAt: "2026-11-26T05:31:08.000Z"
}

const withoutList = {
  ...feed,
  entries: 0,
  ignored: 0,
  skipped: 0,
  unconfirmed: null,
  fetchedAt: null,
  lastError: { message: "Status (429)", at: "2026-11-21T09:00:00.000Z" },
  nextAttemptAt: "2026-11-21T09:01:04.000Z"
}

const localList = {
  fetchedAt: "2026-11-21T09:10:00.000Z",
  stale: false,
  nextUpdate: "2026-11-21T09:40:00.000Z",
  lastError: null
}

const health = {
  feeds: { feed_a: feed, feed_b: feed, feed_c: feed, feed_d: { enabled: false } },
  popular,
  overrides: {
    allow: {
      enabled: true as const,
      entries: 12,
      skipped: 0,
      readAt: "2026-11-21T09:00:00.000Z",
      lastError: null
    },
    block: { enabled: false as const }
  },
  heuristics: { learnedUpTo: "2026-06-30" },
  cache: "in-process",
  reputationLookup: {
    enabled: true,
    mode: "real-time",
    lists: [
      { name: "se-4b", entries: 4_310_277, ...localList },
      { name: "mw-4b", entries: 241_873, ...localList },
      { name: "uws-4b", entries: 187_540, ...localList },
      { name: "gc-32b", entries: 9_214, ...localList }
    ],
    saveError: null,
    search: { breaker: "closed", lastError: null }
  },
  checkers: { heuristics: "ok", feed_a: "ok", reputation_lookup: "ok" }
} as const

/** By operation and status. */
export const responses: Readonly<Record<string, Readonly<Record<string, Response>>>> = {
  check: {
    ...common,
    200: {
      description: "The score, the verdict and the reasons.",
      headers: ["Checker-Status", "List-Override", ...rateLimit],
      examples: {
        phishing: {
          url: "http://paypa1-secure.example/login",
          score: 90,
          verdict: "phishing",
          reasons: [
            'Parts of the address are typical of reported phishing ("paypa1-secure", "login")',
            "URL is not HTTPS",
            "The address paypa1-secure.example imitates PayPal; the real one is paypal.com",
            'The address of the site has a word that phishing often uses ("secure")',
            'The address of the page has a word that phishing often uses ("login")'
          ],
          executionTimeMs
        } satisfies typeof ScanResult.Encoded,
        withFindings: {
          url: "http://files.example/dir/a.html",
          score: 90,
          verdict: "phishing",
          reasons: [
            "The page on files.example is in a folder that is listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)",
            "URL is not HTTPS"
          ],
          executionTimeMs,
          findings: [
            {
              checker: "feed_c",
              kind: "listedDirectory",
              points: 80,
              source: "PhishTank",
              reason:
                "The page on files.example is in a folder that is listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)"
            },
            { checker: "heuristics", kind: "notHttps", points: 10, reason: "URL is not HTTPS" }
          ]
        } satisfies typeof ScanResult.Encoded,
        clean: {
          url: "https://example.com/",
          score: 0,
          verdict: "safe",
          reasons: [],
          executionTimeMs
        } satisfies typeof ScanResult.Encoded
      }
    },
    400: {
      description:
        "The body is not JSON, or its `url` is missing, empty or not a string. Or the header `Content-Type` is not `application/json`; then the response has `Accept-Post`.",
      headers: ["Accept-Post", ...rateLimit],
      examples: { missing: { error: "Missing 'url' in body" } satisfies typeof BadRequest.Encoded }
    },
    413: {
      description: "The body is larger than 64 KiB.",
      headers: rateLimit,
      examples: {
        tooLarge: { error: "The body is larger than 65536 bytes" } satisfies typeof PayloadTooLarge.Encoded
      }
    },
    ...scoring
  },
  checks: checksResponses,
  live: {
    ...common,
    200: {
      description: "The process is running.",
      headers: [],
      examples: { live: { status: "live" } satisfies typeof Live.Encoded }
    }
  },
  ready: {
    ...common,
    200: {
      description:
        "`ready`: every enabled feed has a list. `degraded`: some have none and have failed at least once, and another has one.",
      headers: [],
      examples: {
        ready: { status: "ready", ...health } satisfies typeof Ready.Encoded,
        degraded: {
          status: "degraded",
          missing: ["feed_c"],
          ...health,
          feeds: { ...health.feeds, feed_c: withoutList }
        } satisfies typeof Degraded.Encoded
      }
    },
    503: {
      description: `An enabled feed has no list and has not failed yet, or no enabled feed has a list, or \`strict\` is asked for and one has none; this response has no \`Retry-After\`. Or: ${unavailable.description}`,
      headers: [],
      examples: {
        notReady: {
          status: "not-ready",
          missing: ["feed_c"],
          ...health,
          feeds: { ...health.feeds, feed_c: { ...withoutList, lastError: null, nextAttemptAt: null } }
        } satisfies typeof NotReady.Encoded,
        ...unavailable.examples
      }
    }
  },
  openapi: {
    ...common,
    200: {
      description: "An OpenAPI 3.1 document.",
      headers: [],
      examples: { document: { openapi: "3.1.0" } }
    }
  }
}

/** Request bodies, by operation. */
export const requestExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  check: {
    url: { url: "http://paypa1-secure.example/login" } satisfies typeof CheckRequest.Encoded,
    bareHost: { url: "example.com" } satisfies typeof CheckRequest.Encoded
  },
  checks: { one: requestExample }
}
