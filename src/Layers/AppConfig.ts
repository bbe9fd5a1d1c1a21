import {
  Config,
  type ConfigError,
  Context,
  Data,
  Duration,
  Effect,
  Either,
  Layer,
  LogLevel,
  Option,
  Record,
  Redacted,
  String as Text
} from "effect"
import * as TracingConfig from "./AppConfig/TracingConfig.ts"
import * as UnknownVariables from "./AppConfig/UnknownVariables.ts"
import {
  contactAddress,
  documentAddress,
  durationThat,
  invalid,
  matching,
  oneOf,
  optional,
  text,
  variable,
  webAddress,
  wholeNumber,
  withoutCredentials
} from "./AppConfig/Variable.ts"
import { MAX_CONNECTIONS } from "./Server/Connections.ts"
import { jsonOnly } from "./Telemetry/LogLine.ts"

export type FeedSlot = "feed_a" | "feed_b" | "feed_c" | "feed_d"

/** The lists that the service downloads: of the feeds, and the ranking of popular sites. */
export type ListSlot = FeedSlot | "popular"

const feedFormats = [
  "lines",
  "hosts",
  "phishunt-csv",
  "tweetfeed-csv",
  "phishtank-csv",
  "urlhaus-csv"
] as const
const rankingFormats = ["majestic-csv", "ranked-csv"] as const
const reputationModes = ["real-time", "local-list", "no-storage"] as const
const logLevels = ["trace", "debug", "info", "warning", "error", "fatal", "none"] as const

/** The supported feed formats: `lines` has one URL, host or adblock rule per line, `hosts` an address and its names. */
export type FeedFormatName = (typeof feedFormats)[number]

/** The supported formats of a ranking of domains; `ranked-csv` has rows of `rank,domain`. */
export type RankingFormatName = (typeof rankingFormats)[number]

/**
 * How the reputation lookup asks: about every URL that the global cache does not know as likely safe, only about a URL that a
 * local list has, or about every URL without any list. Answers are cached in each.
 */
export type ReputationMode = (typeof reputationModes)[number]

export interface FeedConfig {
  readonly slot: ListSlot
  /** The operator's name for the publisher. None: the name by which the service knows it. */
  readonly name: Option.Option<string>
  /** `http`, `https` or `file`. None: the slot is off. The query may contain a key: never log the address. */
  readonly address: Option.Option<URL>
  readonly format: FeedFormatName | RankingFormatName
  /** Sent to the feed's own origin only. */
  readonly authHeader: Option.Option<{ readonly name: string; readonly value: Redacted.Redacted }>
  readonly refresh: Duration.Duration
  /** How long an entry stays after it was last in the feed. Zero: each refresh replaces the list. */
  readonly retention: Duration.Duration
}

/** The environment is invalid. `message` is one line that names each invalid variable and contains no secret. */
export class InvalidConfig extends Data.TaggedError("InvalidConfig")<{ readonly message: string }> {}

const headerValue = matching(/^[\x21-\x7e]+$/, "must be of printable ASCII characters without spaces")

/** Sent in a header, where other characters are not allowed. */
const secret = (raw: string) => Either.map(headerValue(raw), (value) => Redacted.make(value))

const databaseAddress = withoutCredentials("the token belongs into CACHE_REST_TOKEN")

const feedAddress = (raw: string): Either.Either<Option.Option<URL>, string> =>
  raw === "off"
    ? Either.right(Option.none())
    : Either.mapBoth(documentAddress(raw), {
        onLeft: (problem) => `${problem}, or off`,
        onRight: Option.some
      })

const MIN_DURATION = Duration.seconds(1)
/** In milliseconds it fits into the expiry of Redis and, added to the time, into a date. */
const MAX_DURATION = Duration.days(3650)

const interval = durationThat(
  Duration.between({ minimum: MIN_DURATION, maximum: MAX_DURATION }),
  '15m or "15 minutes", from 1s to 3650d'
)

const retention = (raw: string) =>
  raw === "0" ? Either.right(Duration.zero) : Either.mapLeft(interval(raw), (problem) => `${problem}, or 0`)

const timeout = durationThat(
  (duration) => Duration.isFinite(duration) && Duration.greaterThan(duration, Duration.zero),
  '2s or "2 seconds", longer than 0'
)

/** Shorter timeouts would fail at a database in another region, longer ones would keep callers waiting in an outage. */
const MIN_CACHE_TIMEOUT = Duration.millis(50)
const MAX_CACHE_TIMEOUT = Duration.seconds(5)

const cacheTimeout = durationThat(
  Duration.between({ minimum: MIN_CACHE_TIMEOUT, maximum: MAX_CACHE_TIMEOUT }),
  '500ms or "500 millis", from 50ms to 5s'
)

/** Part of reasons, which are ASCII only. */
const feedName = matching(/^[ -~]{1,60}$/, "must be a name of 1 to 60 printable ASCII characters")

/** LOG_LEVEL in any case; `warn` is the same as `warning`. */
const logLevel = (raw: string) =>
  Either.map(oneOf(logLevels)(raw.toLowerCase().replace(/^warn$/, "warning")), (name) =>
    LogLevel.fromLiteral(Text.capitalize(name))
  )

/** `Name: value`, with the characters that RFC 9110 allows. */
const header = (raw: string) => {
  const parts = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e][\x20-\x7e]*)$/.exec(raw)
  const [, name, value] = parts ?? []
  return name !== undefined && value !== undefined
    ? Either.right({ name: name.toLowerCase(), value: Redacted.make(value) })
    : Either.left('must be one header, "Name: value"')
}

const origins = (raw: string): Either.Either<"*" | ReadonlyArray<string>, string> => {
  if (raw === "*") return Either.right("*")
  const list = raw.split(",").map((origin) => origin.trim())
  return list.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin)
    ? Either.right(list)
    : Either.left('must be * or origins such as "https://app.example.com", separated by commas')
}

/** The default sources; why these, and their terms, stand in the README. */
const defaultFeeds = {
  feed_a: {
    address: "https://phishunt.io/feed.csv",
    format: "phishunt-csv",
    refresh: Duration.hours(1),
    retention: Duration.days(7)
  },
  feed_b: {
    address: "https://raw.githubusercontent.com/0xDanielLopez/TweetFeed/master/month.csv",
    format: "tweetfeed-csv",
    refresh: Duration.hours(1),
    retention: Duration.zero
  },
  feed_c: {
    address: "https://data.phishtank.com/data/online-valid.csv.gz",
    format: "phishtank-csv",
    refresh: Duration.hours(6),
    retention: Duration.zero
  },
  feed_d: {
    address: "https://phish.co.za/latest/phishing-links-ACTIVE.txt",
    format: "lines",
    refresh: Duration.hours(6),
    retention: Duration.zero
  }
} as const satisfies Record<FeedSlot, unknown>

const feed = (defaults: (typeof defaultFeeds)[FeedSlot], slot: FeedSlot): Config.Config<FeedConfig> => {
  const prefix = slot.toUpperCase()
  return Config.all({
    slot: Config.succeed(slot),
    name: optional(`${prefix}_NAME`, feedName),
    address: variable(`${prefix}_URL`, feedAddress, Option.some(new URL(defaults.address))),
    format: variable(`${prefix}_FORMAT`, oneOf(feedFormats), defaults.format),
    authHeader: optional(`${prefix}_AUTH_HEADER`, header),
    refresh: variable(`${prefix}_REFRESH`, interval, defaults.refresh),
    retention: variable(`${prefix}_RETENTION`, retention, defaults.retention)
  }).pipe(
    Config.mapOrFail((feed) =>
      Option.isSome(feed.authHeader) && Option.exists(feed.address, ({ protocol }) => protocol === "file:")
        ? invalid(`${prefix}_AUTH_HEADER`, `must not be set when ${prefix}_URL is a file`)
        : Either.right(feed)
    )
  )
}

const defaultRanking = new URL("https://downloads.majestic.com/majestic_million.csv")

/** The ranking of popular domains; why the default is this one, and its terms, stand in the README. */
const popular: Config.Config<FeedConfig> = Config.all({
  slot: Config.succeed("popular" as const),
  name: Config.succeed(Option.none()),
  address: variable("POPULAR_URL", feedAddress, Option.some(defaultRanking)),
  format: variable("POPULAR_FORMAT", oneOf(rankingFormats), "majestic-csv"),
  authHeader: Config.succeed(Option.none()),
  refresh: variable("POPULAR_REFRESH", interval, Duration.days(7)),
  retention: Config.succeed(Duration.zero)
})

/** The database's address and token, both or neither, and the timeout of a command of the cache or the rate limit. */
const cache = Config.all({
  url: optional("CACHE_REST_URL", databaseAddress),
  token: optional("CACHE_REST_TOKEN", secret),
  timeout: variable("CACHE_TIMEOUT", cacheTimeout, Duration.millis(500))
}).pipe(
  Config.mapOrFail(({ url, token, timeout }) => {
    if (Option.isSome(url) && Option.isNone(token))
      return invalid("CACHE_REST_TOKEN", "must be set when CACHE_REST_URL is set")
    if (Option.isNone(url) && Option.isSome(token))
      return invalid("CACHE_REST_URL", "must be set when CACHE_REST_TOKEN is set")
    return Either.right(Option.map(Option.all({ url, token }), (database) => ({ ...database, timeout })))
  })
)

/** `se-4b,mw-4b`: lists of four-byte prefixes, the only ones that Safe Browsing publishes of threats. */
const hashLists = (raw: string): Either.Either<ReadonlyArray<string>, string> => {
  const names = raw.split(",").map((name) => name.trim())
  return names.every((name) => /^[a-z0-9]{1,32}-4b$/.test(name))
    ? Either.right([...new Set(names)])
    : Either.left('must be names of lists with four-byte prefixes, such as "se-4b,mw-4b"')
}

const DEFAULT_HASH_LISTS: ReadonlyArray<string> = ["se-4b", "mw-4b", "uws-4b"]

const reputation = Config.all({
  key: optional("REPUTATION_API_KEY", secret),
  baseUrl: variable("REPUTATION_API_URL", webAddress, new URL("https://safebrowsing.googleapis.com")),
  mode: optional("REPUTATION_MODE", oneOf(reputationModes)),
  lists: optional("REPUTATION_LISTS", hashLists)
}).pipe(
  Config.mapOrFail(({ key, baseUrl, ...read }) => {
    if (Option.isNone(key) && Option.isSome(read.mode))
      return invalid("REPUTATION_API_KEY", "must be set when REPUTATION_MODE is set")
    if (Option.isNone(key) && Option.isSome(read.lists))
      return invalid("REPUTATION_API_KEY", "must be set when REPUTATION_LISTS is set")
    const mode = Option.getOrElse(read.mode, (): ReputationMode => "real-time")
    return Either.right(
      Option.map(key, (key) => ({
        key,
        baseUrl,
        mode,
        /**
         * Names of threat lists, distinct, at least one; empty with `no-storage`. The global cache of `real-time` is not among
         * them.
         */
        lists: mode === "no-storage" ? [] : Option.getOrElse(read.lists, () => DEFAULT_HASH_LISTS)
      }))
    )
  })
)

export type ReputationConfig = Option.Option.Value<Config.Config.Success<typeof reputation>>

const MAX_PROXIES = 32

const defaultLogFormat = () => (process.stdout.isTTY ? "pretty" : "json")

const logFormat = optional("LOG_FORMAT", oneOf(["pretty", "json"])).pipe(
  Config.map(Option.getOrElse(defaultLogFormat))
)

const environment = Config.all({
  /** 0: a free port that the system chooses. */
  port: variable("PORT", wholeNumber(0, 65_535), 4000),
  /** The port of health, metrics and the page of state. 0: a free port. None: `port` serves health and metrics too. */
  adminPort: optional("ADMIN_PORT", wholeNumber(0, 65_535)),
  /** None: all interfaces. */
  host: optional("HOST", text),
  /** None: every process works alone. */
  cache,
  /** None: the reputation lookup is off. */
  reputation,
  feeds: Config.all(Record.map(defaultFeeds, feed)),
  popular,
  /** The paths of the operator's files. None: there is no such list. */
  operatorLists: Config.all({
    allow: optional("ALLOW_LIST", text),
    block: optional("BLOCK_LIST", text)
  }),
  /** The path of the weights of the heuristics. None: those that the service comes with. */
  modelFile: optional("MODEL_FILE", text),
  checkerTimeout: variable("CHECKER_TIMEOUT", timeout, Duration.seconds(2)),
  rateLimit: variable("RATE_LIMIT", wholeNumber(1, 1_000_000_000), 100),
  rateLimitWindow: variable("RATE_LIMIT_WINDOW", interval, Duration.minutes(15)),
  trustedProxies: variable("TRUSTED_PROXIES", wholeNumber(0, MAX_PROXIES), 0),
  /** 0: no limit. With trusted proxies there is none either. */
  maxConnectionsPerAddress: variable("MAX_CONNECTIONS_PER_ADDRESS", wholeNumber(0, MAX_CONNECTIONS), 256),
  corsOrigins: variable("CORS_ORIGINS", origins, "*"),
  /** `http`, `https` or `mailto`: where people report wrong results. None: the pages have no such link. */
  contactUrl: optional("CONTACT_URL", contactAddress),
  dataDir: variable("DATA_DIR", text, "./data"),
  logLevel: variable("LOG_LEVEL", logLevel, LogLevel.Info),
  logFormat,
  /** None: traces are off. */
  tracing: TracingConfig.environment
}).pipe(
  Config.mapOrFail((config) =>
    config.port > 0 && Option.contains(config.adminPort, config.port)
      ? invalid("ADMIN_PORT", `must be another port than PORT (both are ${config.port})`)
      : Either.right(config)
  )
)

export type AppConfigShape = Config.Config.Success<typeof environment>

/** `PORT must be a whole number from 0 to 65535; HOST ...`: all invalid variables in one line. */
const explain = (error: ConfigError.ConfigError): string =>
  error._op === "And" || error._op === "Or"
    ? `${explain(error.left)}; ${explain(error.right)}`
    : `${error.path.join(".")} ${error.message}`

const unknownVariables = Effect.map(UnknownVariables.namesIn(environment), (ours) =>
  UnknownVariables.among(Object.keys(process.env), ours)
)

/** The configuration, decoded once at start. No other module reads the environment. */
export class AppConfig extends Context.Tag("app/Layers/AppConfig")<AppConfig, AppConfigShape>() {
  /** An error also names the variables that `warnings` would name. */
  static readonly layer = Layer.effect(
    AppConfig,
    Effect.catchAll(environment, (error) =>
      Effect.flatMap(
        unknownVariables,
        (unknown) =>
          new InvalidConfig({
            message: [explain(error), ...unknown.map(UnknownVariables.sentenceOf)].join("; ")
          })
      )
    )
  )

  /** Of the line that says why the service cannot start: the default if LOG_FORMAT is itself invalid. */
  static readonly logFormat = Effect.orElseSucceed(logFormat, defaultLogFormat)

  /** The names of all variables that are read. */
  static readonly variables = UnknownVariables.namesIn(environment)

  /** Warns about variables of the environment that look like a misspelt one of ours. Logs their names only. */
  static readonly warnings = Layer.effectDiscard(
    Effect.flatMap(unknownVariables, (unknown) =>
      Effect.forEach(
        unknown,
        (variable) =>
          Effect.logWarning(UnknownVariables.sentenceOf(variable), jsonOnly({ variable: variable.name })),
        { discard: true }
      )
    )
  )
}
