import { DateTime, Schema } from "effect"
import { body, flag, int, text } from "./Body.ts"
import { CheckerId, CheckerStatus } from "./ScanResult.ts"

export class Live extends Schema.Class<Live>("Live")(
  ...body(
    { status: Schema.Literal("live") },
    { description: "The process is running.", examples: [{ status: "live" }] }
  )
) {}

const Time = Schema.DateTimeUtc.annotations({
  identifier: "DateTimeUtc",
  description: "RFC 3339, in UTC",
  jsonSchema: { format: "date-time" }
})

const LastError = Schema.Struct({
  message: text("The cause, without any address or key"),
  at: Time
}).annotations({ identifier: "LastError" })

const timeOrNull = (description: string) => Schema.NullOr(Time).annotations({ description })
const errorOrNull = (description: string) => Schema.NullOr(LastError).annotations({ description })

const Off = Schema.Struct({ enabled: Schema.Literal(false) })

const FirstSkipped = Schema.Array(
  Schema.Struct({
    line: int("The number of the line, from 1"),
    reason: text("Why no URL can match it, such as `Wildcard in a path`")
  })
).annotations({ description: "The first three skipped rows, without their text" })

/** Of a feed's list, of the ranking, and of new domains. */
const Feed = Schema.Union(
  Off,
  Schema.Struct({
    enabled: Schema.Literal(true),
    source: text("The publisher of the list"),
    entries: int("Distinct URLs and hosts on the list; 0 without a list"),
    ignored: int(
      "Rows that are not used: they name a whole host that many parties share, or through which links of a redirector lead; of new domains also a host below a domain"
    ),
    skipped: int("Rows that could not be read, or that no URL can match"),
    firstSkipped: FirstSkipped,
    fetchedAt: timeOrNull("When the publisher last served this list; null without a list"),
    stale: flag("Older than three refresh intervals"),
    lastError: errorOrNull("Why the last refresh failed"),
    saveError: errorOrNull("Why the list could not be saved: a restart would begin without it"),
    nextAttemptAt: timeOrNull("When the list is refreshed next; null during a refresh")
  })
).annotations({ identifier: "Feed" })

const OperatorList = Schema.Union(
  Off,
  Schema.Struct({
    enabled: Schema.Literal(true),
    entries: int("Distinct URLs, directories and hosts in the file"),
    skipped: int("Lines that are not entries"),
    firstSkipped: FirstSkipped,
    readAt: Time.annotations({ description: "When the file was last read" }),
    lastError: errorOrNull("Why the file could not be read again; the entries stay in use")
  })
).annotations({ identifier: "OperatorList" })

const LocalList = Schema.Struct({
  name: text("Google's name of the list"),
  entries: int("Hashes on the list; 0 without a list"),
  fetchedAt: timeOrNull("When Google last answered about this list; null without a list"),
  stale: flag("Older than twice the time that Google asked to wait"),
  nextUpdate: Time.annotations({ description: "The next update begins no sooner" }),
  lastError: errorOrNull("Why the last update failed")
}).annotations({ identifier: "LocalList" })

const ReputationLookup = Schema.Union(
  Off,
  Schema.Struct({
    enabled: Schema.Literal(true),
    mode: Schema.Literal("real-time", "local-list", "no-storage").annotations({
      description: "When Google is asked about a URL: docs/reputation.md"
    }),
    lists: Schema.Array(LocalList).annotations({
      description: "The local lists of Safe Browsing; none with no-storage"
    }),
    saveError: errorOrNull("Why the lists could not be saved: a restart would begin without them"),
    search: Schema.Struct({
      breaker: Schema.Literal("closed", "open", "half-open").annotations({
        description:
          "closed: searches are sent. open: none is, because the last ones failed. half-open: one is under way to find out whether Google answers again"
      }),
      lastError: errorOrNull("Why the last search failed; null after one that succeeded")
    })
  })
).annotations({
  identifier: "ReputationLookup",
  description: "The service is ready without the lists"
})

const missing = Schema.Array(Schema.Literal("feed_a", "feed_b", "feed_c", "feed_d")).annotations({
  description: "The enabled feeds without a list"
})

const health = {
  feeds: Schema.Struct({ feed_a: Feed, feed_b: Feed, feed_c: Feed, feed_d: Feed }),
  popular: Feed.annotations({
    identifier: "Popular",
    description: "The ranking of popular sites. The service is ready without it"
  }),
  newDomains: Feed.annotations({
    identifier: "NewDomains",
    description: "The list of newly registered domains. The service is ready without it"
  }),
  overrides: Schema.Struct({ allow: OperatorList, block: OperatorList }).annotations({
    description: "The operator's lists, ALLOW_LIST and BLOCK_LIST"
  }),
  heuristics: Schema.Struct({
    learnedUpTo: Schema.String.pipe(
      Schema.pattern(/^\d{4}-\d{2}-\d{2}$/, {
        description: "The newest day of phishing that the weights of the heuristics learned from",
        jsonSchema: { format: "date" }
      })
    )
  }),
  cache: Schema.Literal("in-process", "shared", "shared (unreachable, in-process meanwhile)"),
  reputationLookup: ReputationLookup,
  checkers: Schema.partial(Schema.Record({ key: CheckerId, value: CheckerStatus })).annotations({
    description: "The last status of each checker"
  })
}

const at = DateTime.unsafeMake

const listExample = {
  enabled: true,
  source: "PhishTank",
  entries: 56_214,
  ignored: 3_120,
  skipped: 2,
  firstSkipped: [
    { line: 7, reason: "Not a URL or host" },
    { line: 19, reason: "Wildcard in a path" }
  ],
  fetchedAt: at("2026-11-21T09:00:00.000Z"),
  stale: false,
  lastError: null,
  saveError: null,
  nextAttemptAt: at("2026-11-21T15:12:40.000Z")
} as const

const off = { enabled: false } as const

export class Ready extends Schema.Class<Ready>("Ready")(
  ...body(
    { status: Schema.Literal("ready"), ...health },
    {
      description:
        "`ready`: every enabled feed has a list. `degraded`: some have none and have failed at least once, and another has one.",
      examples: [
        {
          status: "ready",
          feeds: { feed_a: off, feed_b: off, feed_c: listExample, feed_d: off },
          popular: { ...listExample, source: "Majestic Million" },
          newDomains: off,
          overrides: { allow: off, block: off },
          heuristics: { learnedUpTo: "2026-06-30" },
          cache: "in-process",
          reputationLookup: {
            enabled: true,
            mode: "real-time",
            lists: [
              {
                name: "se-4b",
                entries: 4_310_277,
                fetchedAt: at("2026-11-21T09:10:00.000Z"),
                stale: false,
                nextUpdate: at("2026-11-21T09:40:00.000Z"),
                lastError: null
              }
            ],
            saveError: null,
            search: { breaker: "closed", lastError: null }
          },
          checkers: { heuristics: "ok", feed_c: "ok", reputation_lookup: "ok" }
        }
      ]
    }
  )
) {}

/** Some feeds have no list, and each of these has failed at least once. */
export class Degraded extends Schema.Class<Degraded>("Degraded")({
  status: Schema.Literal("degraded"),
  missing,
  ...health
}) {}

export class NotReady extends Schema.Class<NotReady>("NotReady")(
  ...body(
    { status: Schema.Literal("not-ready"), missing, ...health },
    {
      status: 503,
      description:
        "An enabled feed has no list and has not failed yet, or no enabled feed has a list, or `strict` is asked for and one has none; this response has no `Retry-After`. Or: The service is shutting down; another replica may answer."
    }
  )
) {}

/** The body of `/health/ready`. */
export type Readiness = typeof Ready.Encoded | typeof Degraded.Encoded | typeof NotReady.Encoded
