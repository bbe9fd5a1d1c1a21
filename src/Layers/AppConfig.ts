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
import * as Networks from "./AppConfig/Networks.ts"
import * as TracingConfig from "./AppConfig/TracingConfig.ts"
import * as UnknownVariables from "./AppConfig/UnknownVariables.ts"
import {
  contactAddress,
  documentAddress,
  durationThat,
  invalid,
  list,
  matching,
  oneOf,
  optional,
  text,
  variable,
  webAddress,
  wholeNumber,
  withoutCredentials
} from "./AppConfig/Variable.ts"
import { isException, type ProxySettings } from "./Outbound/Proxies.ts"
import { MAX_CONNECTIONS } from "./Server/Connections.ts"
import { jsonOnly } from "./Telemetry/LogLine.ts"

export type FeedSlot = "feed_a" | "feed_b" | "feed_c" | "feed_d"

/** The lists that the service downloads: of the feeds, the ranking of popular sites, and newly registered domains. */
export type ListSlot = FeedSlot | "popular" | "new_domains"

const feedFormats = [
  "lines",
  "hosts",
  "csv",
  "phishunt-csv",
  "tweetfeed-csv",
  "phishtank-csv",
  "urlhaus-csv"
] as const
const rankingFormats = ["majestic-csv", "ranked-csv"] as const
const domainFormats = ["lines", "hosts"] as const
const reputationModes = ["real-time", "local-list", "no-storage"] as const
const logLevels = ["trace", "debug", "info", "warning", "error", "fatal", "none"] as const

/** The supported feed formats: `lines` has one URL, host or adblock rule per line, `hosts` an address and its names, `csv` is any table. */
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
  /** The name or the number of the column with the URLs, in the format `csv`. None: the only one that has URLs. */
  readonly column: Option.Option<string>
  /** Sent to the feed's own origin only. */
  readonly authHeader: Option.Option<{ readonly name: string; readonly value: Redacted.Redacted }>
  readonly refresh: Duration.Duration
  /** How long an entry stays after it was last in the feed. Zero: each refresh replaces the list. */
  readonly retention: Duration.Duration
}

/** The environment is invalid. `message` is one line that names each invalid variable and contains no secret. */
export class InvalidConfig extends Data.TaggedError("InvalidConfig")<{ readonly message: string }> {}

const headerValue = matching(/^[\x21-\x7e]+$/, "must be printable ASCII characters without spaces")

/** Sent in a header, where other characters are not allowed. */
const secret = (raw: string) => Either.map(headerValue(raw), (value) => Redacted.make(value))

const databaseAddress = withoutCredentials("put the token into CACHE_REST_TOKEN")

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
    refresh: "1 hour",
    retention: "7 days"
  },
  feed_b: {
    address: "https://raw.githubusercontent.com/0xDanielLopez/TweetFeed/master/month.csv",
    format: "tweetfeed-csv",
    refresh: "1 hour",
    retention: "0"
  },
  feed_c: {
    address: "https://data.phishtank.com/data/online-valid.csv.gz",
    format: "phishtank-csv",
    refresh: "6 hours",
    retention: "0"
  },
  feed_d: {
    address: "https://phish.co.za/latest/phishing-links-ACTIVE.txt",
    format: "lines",
    refresh: "6 hours",
    retention: "0"
  }
} as const satisfies Record<FeedSlot, unknown>

const feed = (defaults: (typeof defaultFeeds)[FeedSlot], slot: FeedSlot): Config.Config<FeedConfig> => {
  const prefix = slot.toUpperCase()
  return Config.all({
    slot: Config.succeed(slot),
    name: optional(
      `${prefix}_NAME`,
      feedName,
      "the name of the feed in reasons, `/health/ready` and the log. Unset: the name of its publisher. A row about a popular site counts in full only if a feed with another name has one too: give two feeds of one publisher the same name"
    ),
    address: variable(
      `${prefix}_URL`,
      feedAddress,
      defaults.address,
      "the address of the feed; `off` disables it. If you change it, set the format too"
    ),
    format: variable(
      `${prefix}_FORMAT`,
      oneOf(feedFormats),
      defaults.format,
      "the format of the feed. Gzip is detected"
    ),
    column: optional(
      `${prefix}_COLUMN`,
      text,
      "with the format `csv`, the name or the number (from 1) of the column with the URLs or hosts. Unset: the only column with URLs; if there is none, the only one with hosts"
    ),
    authHeader: optional(
      `${prefix}_AUTH_HEADER`,
      header,
      "a request header with a key. It is sent to the origin of the feed only, not along redirects to others. Not used for a file"
    ),
    refresh: variable(
      `${prefix}_REFRESH`,
      interval,
      defaults.refresh,
      "the time between two downloads, or two looks at a file. A list older than three times this is `stale`"
    ),
    retention: variable(
      `${prefix}_RETENTION`,
      retention,
      defaults.retention,
      "how long an entry stays after the day (UTC) on which the feed last contained it. With `0` each download replaces the list"
    )
  })
}

/** The ranking of popular domains; why the default is this one, and its terms, stand in the README. */
const popular: Config.Config<FeedConfig> = Config.all({
  slot: Config.succeed("popular" as const),
  name: Config.succeed(Option.none()),
  address: variable(
    "POPULAR_URL",
    feedAddress,
    "https://downloads.majestic.com/majestic_million.csv",
    "the address of the ranking, of which the first 100,000 rows are read; with `off` only the sites that the service knows itself are protected"
  ),
  format: variable(
    "POPULAR_FORMAT",
    oneOf(rankingFormats),
    "majestic-csv",
    "`majestic-csv` has a header with the columns `GlobalRank` and `Domain`; `ranked-csv` has rows of `rank,domain`, as Tranco and Cisco Umbrella publish. Gzip is detected, a zip archive is refused"
  ),
  column: Config.succeed(Option.none()),
  authHeader: Config.succeed(Option.none()),
  refresh: variable(
    "POPULAR_REFRESH",
    interval,
    "7 days",
    "the time between two downloads. A ranking older than three times this is `stale`; it still protects"
  ),
  retention: Config.succeed(Duration.zero)
})

/** Newly registered domains. docs/lists.md has public lists of them. */
const newDomains: Config.Config<FeedConfig> = Config.all({
  slot: Config.succeed("new_domains" as const),
  name: Config.succeed(Option.none()),
  address: variable(
    "NEW_DOMAINS_URL",
    feedAddress,
    "off",
    "the address of a list of newly registered domains, of up to 8,388,608 names. Reasons show the days that its name has, such as 30 of `nrd30.txt`"
  ),
  format: variable(
    "NEW_DOMAINS_FORMAT",
    oneOf(domainFormats),
    "lines",
    "the format of the list: `lines` or `hosts`, as of a feed. Gzip is detected"
  ),
  column: Config.succeed(Option.none()),
  authHeader: Config.succeed(Option.none()),
  refresh: variable(
    "NEW_DOMAINS_REFRESH",
    interval,
    "1 day",
    "the time between two downloads, or two looks at a file. A list older than three times this is `stale`, and is not used"
  ),
  retention: Config.succeed(Duration.zero)
})

/** The database's address and token, both or neither, and the timeout of a command of the cache or the rate limit. */
const cache = Config.all({
  url: optional(
    "CACHE_REST_URL",
    databaseAddress,
    "an Upstash Redis REST database that replicas share, without user name and password. Unset: each process works alone"
  ),
  token: optional("CACHE_REST_TOKEN", secret, "its token. Set both variables or neither"),
  timeout: variable(
    "CACHE_TIMEOUT",
    cacheTimeout,
    "500 millis",
    "the timeout of a command of the cache or the rate limit, so the longest time that a request waits until the database has counted it. Choose several times the round-trip time to the database, and less than `CHECKER_TIMEOUT`, because the reputation lookup reads the cache first"
  )
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

const reputation = Config.all({
  key: optional(
    "REPUTATION_API_KEY",
    secret,
    "a key for Google Safe Browsing v5. Unset: the checker `reputation_lookup` is `not-configured`"
  ),
  baseUrl: variable(
    "REPUTATION_API_URL",
    webAddress,
    "https://safebrowsing.googleapis.com",
    "the base address of Safe Browsing. The key is sent to it"
  ),
  mode: variable(
    "REPUTATION_MODE",
    oneOf(reputationModes),
    "real-time",
    "when Google is asked about a URL. Not used without a key"
  ),
  lists: variable(
    "REPUTATION_LISTS",
    hashLists,
    "se-4b,mw-4b,uws-4b",
    "the threat lists to download: `se-4b` phishing, `mw-4b` malware, `uws-4b` unwanted software, `uwsa-4b` the same for Android, `pha-4b` harmful Android apps. Not used with `no-storage`, nor without a key"
  )
}).pipe(
  Config.map(({ key, baseUrl, mode, lists }) =>
    Option.map(key, (key) => ({
      key,
      baseUrl,
      mode,
      /**
       * Names of threat lists, distinct, at least one; empty with `no-storage`. The global cache of `real-time` is not among
       * them.
       */
      lists: mode === "no-storage" ? [] : lists
    }))
  )
)

export type ReputationConfig = Option.Option.Value<Config.Config.Success<typeof reputation>>

/** As in curl, `proxy.example:3128` is the same as `http://proxy.example:3128`. */
const proxyAddress = (raw: string): Either.Either<string, string> => {
  const text = raw.includes("://") ? raw : `http://${raw}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isProxy =
    url !== undefined && /^https?:$/.test(url.protocol) && `${url.pathname}${url.search}${url.hash}` === "/"
  return isProxy && Either.isRight(Either.try(() => decodeURIComponent(`${url.username}:${url.password}`)))
    ? Either.right(url.href)
    : Either.left(
        'must be an HTTP proxy such as "http://proxy.example:3128", with user name and password percent-encoded'
      )
}

/** White space separates them too, as in the programs that read NO_PROXY. */
const proxyExceptions = (raw: string) =>
  list(
    isException,
    'must be *, or hosts, domains, addresses and networks such as "example.com,10.0.0.0/8", separated by commas'
  )(raw.replace(/\s+/g, ","))

/** Reads a variable whose name in lower case wins, as curl does. */
const inEitherCase = <A>(
  name: string,
  decode: (raw: string) => Either.Either<A, string>,
  meaning: string
): Config.Config<Option.Option<A>> =>
  Config.zipWith(optional(name.toLowerCase(), decode, ""), optional(name, decode, meaning), (lower, upper) =>
    Option.orElse(lower, () => upper)
  )

const proxies: Config.Config<ProxySettings> = Config.all({
  https: inEitherCase(
    "HTTPS_PROXY",
    proxyAddress,
    "the forward proxy for all requests that the service sends to `https` addresses, with `http://user:password@` if it asks for that. Also in lower case, which wins. Unset: they are sent to the servers themselves"
  ),
  http: inEitherCase("HTTP_PROXY", proxyAddress, "the same for `http` addresses"),
  except: inEitherCase(
    "NO_PROXY",
    proxyExceptions,
    "to which hosts no request goes through a proxy: a domain stands for all below it, and a port can follow. None to this machine (`localhost`, 127.0.0.0/8, ::1) does"
  )
}).pipe(
  Config.map(({ except, http, https }) => ({
    https: Option.getOrUndefined(https),
    http: Option.getOrUndefined(http),
    except: Option.getOrElse(except, () => [])
  }))
)

const MAX_PROXIES = 32

const defaultLogFormat = () => (process.stdout.isTTY ? "pretty" : "json")

const logFormat = Config.map(
  optional(
    "LOG_FORMAT",
    oneOf(["pretty", "json"]),
    "one line for people, or one JSON object, for each record. Unset: `pretty` on a terminal, otherwise `json`"
  ),
  Option.getOrElse(defaultLogFormat)
)

const environment = Config.all({
  /** 0: a free port that the system chooses. */
  port: variable(
    "PORT",
    wholeNumber(0, 65_535),
    "4000",
    "the port to listen on. 0: a free port that the system chooses"
  ),
  /** The port of health and metrics. 0: a free port. None: `port` serves health and metrics too. */
  adminPort: optional(
    "ADMIN_PORT",
    wholeNumber(0, 65_535),
    "the port for `/health/live`, `/health/ready` and `/metrics`; `PORT` then does not serve them. It listens on `HOST` too. 0: a free port, which the log names. Unset: `PORT` serves everything"
  ),
  /** None: all interfaces. */
  host: optional("HOST", text, "the address or host name to listen on. Unset: all interfaces"),
  /** None: every process works alone. */
  cache,
  /** None: the reputation lookup is off. */
  reputation,
  /** The forward proxies of the requests that the service sends. */
  proxies,
  feeds: Config.all(Record.map(defaultFeeds, feed)),
  popular,
  newDomains,
  /** The paths of the operator's files. None: there is no such list. */
  operatorLists: Config.all({
    allow: optional(
      "ALLOW_LIST",
      text,
      "the path of a file of URLs, directories and hosts whose findings do not count, except plain HTTP. Read again within 30 seconds of a change"
    ),
    block: optional(
      "BLOCK_LIST",
      text,
      "the path of a file of URLs, directories and hosts that get a score of 100. Read again within 30 seconds of a change"
    )
  }),
  /** The path of the weights of the heuristics. None: those that the service comes with. */
  modelFile: optional(
    "MODEL_FILE",
    text,
    "the path of a file with weights of the heuristics, of at most 4 MiB. Read at the start only; if it cannot be used, the service does not start. Unset: the weights that the service comes with"
  ),
  checkerTimeout: variable(
    "CHECKER_TIMEOUT",
    timeout,
    "2 seconds",
    "the timeout of a checker that waits for the network"
  ),
  rateLimit: variable(
    "RATE_LIMIT",
    wholeNumber(1, 1_000_000_000),
    "100",
    "the requests of one client (an IPv4 address or an IPv6 /64) in a window. Each URL of a request to `/api/checks` counts, and this is also the maximum of URLs of such a request, up to 500"
  ),
  rateLimitWindow: variable("RATE_LIMIT_WINDOW", interval, "15 minutes", "the length of the fixed window"),
  /** Addresses and networks. */
  rateLimitExempt: Config.map(
    optional(
      "RATE_LIMIT_EXEMPT",
      list(
        Networks.isNetwork,
        'must be addresses and networks such as "192.0.2.7,2001:db8::/32", separated by commas'
      ),
      "the addresses and networks of your own backends, separated by commas, whose requests are not counted. With `TRUSTED_PROXIES` the address is the one that `X-Forwarded-For` has for the rate limit, otherwise the one of the connection: never one that a client can choose"
    ),
    Option.getOrElse((): ReadonlyArray<string> => [])
  ),
  trustedProxies: variable(
    "TRUSTED_PROXIES",
    wholeNumber(0, MAX_PROXIES),
    "0",
    "the number of proxies in front of the service that append to `X-Forwarded-For`. It decides which address the rate limit counts: too low, and all clients of a proxy share one limit; too high, and a client can choose its address"
  ),
  /** 0: no limit. With trusted proxies there is none either. */
  maxConnectionsPerAddress: variable(
    "MAX_CONNECTIONS_PER_ADDRESS",
    wholeNumber(0, MAX_CONNECTIONS),
    "256",
    "the maximum of open connections of one client. 0: no limit. With `TRUSTED_PROXIES` above 0 there is no limit either, because every connection comes from a proxy"
  ),
  corsOrigins: variable(
    "CORS_ORIGINS",
    origins,
    "*",
    "the origins whose web pages may call the service. Pages of other origins can never read health and metrics"
  ),
  /** `http`, `https` or `mailto`: where people report wrong results. None: the pages have no such link. */
  contactUrl: optional(
    "CONTACT_URL",
    contactAddress,
    "where people report wrong results to you. The web page and `/docs` link to it. Unset: no link"
  ),
  dataDir: variable(
    "DATA_DIR",
    text,
    "./data",
    "the folder where lists are saved between runs. The service tries it at the start. If it cannot be used, one line of the log says so, the lists are in memory only, and `saveError` of each list in `/health/ready` has the reason"
  ),
  logLevel: variable(
    "LOG_LEVEL",
    logLevel,
    "info",
    "the lowest level that is logged, in any case; `warn` is `warning`"
  ),
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

/** `PORT must be a whole number from 0 to 65,535; HOST ...`: all invalid variables in one line. */
const explain = (error: ConfigError.ConfigError): string =>
  error._op === "And" || error._op === "Or"
    ? `${explain(error.left)}; ${explain(error.right)}`
    : `${error.path.join(".")} ${error.message}`

/** An empty variable counts as unset. */
const unknownVariables = Effect.map(UnknownVariables.namesIn(environment), (ours) =>
  UnknownVariables.among(
    Object.keys(process.env).filter((name) => process.env[name]?.trim() !== ""),
    ours
  )
)

/** The configuration, decoded once at start. No other module reads the environment. */
export class AppConfig extends Context.Tag("app/Layers/AppConfig")<AppConfig, AppConfigShape>() {
  /** An error begins with its cause. What `warnings` would say follows as a hint: a misspelt name may be why another is unset. */
  static readonly layer = Layer.effect(
    AppConfig,
    Effect.catchAll(environment, (error) =>
      Effect.flatMap(
        unknownVariables,
        (unknown) =>
          new InvalidConfig({
            message: `${explain(error)}${UnknownVariables.hintOf(unknown)}`
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
