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
  Redacted,
  String as Text
} from "effect"
import * as Networks from "./AppConfig/Networks.ts"
import { isException, type ProxySettings } from "./AppConfig/ProxySettings.ts"
import * as TracingConfig from "./AppConfig/TracingConfig.ts"
import * as UnknownVariables from "./AppConfig/UnknownVariables.ts"
import {
  contactAddress,
  decoders,
  documentAddress,
  durationThat,
  invalid,
  matching,
  oneOf,
  optional,
  separatedByCommas,
  text,
  variable,
  webAddress,
  wholeNumber,
  withoutCredentials
} from "./AppConfig/Variable.ts"

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

/** Made if it is missing: one named `~` in the current folder, too. */
const folder = matching(
  /^(?!~(?:\/|$))/,
  "must be a path that does not begin with ~, which only shells replace"
)

/** The maximum in milliseconds fits into the expiry of Redis and, added to the time, into a date. */
const interval = durationThat(
  Duration.between({ minimum: Duration.seconds(1), maximum: Duration.days(3650) }),
  '15m or "15 minutes", from 1s to 3650d'
)

const retention = (raw: string) =>
  raw === "0" ? Either.right(Duration.zero) : Either.mapLeft(interval(raw), (problem) => `${problem}, or 0`)

const timeout = durationThat(
  (duration) => Duration.isFinite(duration) && Duration.greaterThan(duration, Duration.zero),
  '2s or "2 seconds", longer than 0'
)

/** Shorter timeouts would fail at a database in another region, longer ones would keep callers waiting in an outage. */
const cacheTimeout = durationThat(
  Duration.between({ minimum: Duration.millis(50), maximum: Duration.seconds(5) }),
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
  const all = raw.split(",").map((origin) => origin.trim())
  return all.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin)
    ? Either.right(all)
    : Either.left('must be * or origins such as "https://app.example.com", separated by commas')
}

/** The variables of every list that is downloaded. They begin with its slot; their defaults are in variables.tsv. */
const list = <S extends ListSlot, F extends string>(slot: S, formats: ReadonlyArray<F>) => ({
  slot: Config.succeed(slot),
  address: variable(`${slot.toUpperCase()}_URL`, feedAddress),
  format: variable(`${slot.toUpperCase()}_FORMAT`, oneOf(formats)),
  refresh: variable(`${slot.toUpperCase()}_REFRESH`, interval)
})

const feed = (slot: FeedSlot): Config.Config<FeedConfig> =>
  Config.all({
    ...list(slot, feedFormats),
    name: optional(`${slot.toUpperCase()}_NAME`, feedName),
    column: optional(`${slot.toUpperCase()}_COLUMN`, text),
    authHeader: optional(`${slot.toUpperCase()}_AUTH_HEADER`, header),
    retention: variable(`${slot.toUpperCase()}_RETENTION`, retention)
  }).pipe(
    Config.mapOrFail((feed) =>
      Option.isSome(feed.column) && feed.format !== "csv"
        ? invalid(
            `${slot.toUpperCase()}_COLUMN`,
            `is only for the format csv (${slot.toUpperCase()}_FORMAT is ${feed.format})`
          )
        : Either.right(feed)
    )
  )

/** Of the lists that are no feeds. */
const noFeed = {
  name: Config.succeed(Option.none()),
  column: Config.succeed(Option.none()),
  authHeader: Config.succeed(Option.none()),
  retention: Config.succeed(Duration.zero)
}

/** The database's address and token, both or neither, and the timeout of a command of the cache or the rate limit. */
const cache = Config.all({
  url: optional("CACHE_REST_URL", databaseAddress),
  token: optional("CACHE_REST_TOKEN", secret),
  timeout: variable("CACHE_TIMEOUT", cacheTimeout)
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
  key: optional("REPUTATION_API_KEY", secret),
  baseUrl: variable("REPUTATION_API_URL", webAddress),
  mode: variable("REPUTATION_MODE", oneOf(reputationModes)),
  lists: variable("REPUTATION_LISTS", hashLists)
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
  separatedByCommas(
    isException,
    'must be *, or hosts, domains, addresses and networks such as "example.com,10.0.0.0/8", separated by commas'
  )(raw.replace(/\s+/g, ","))

/** Reads a variable whose name in lower case wins, as curl does. */
const inEitherCase = <A>(name: string, decode: (raw: string) => Either.Either<A, string>) =>
  Config.zipWith(optional(name.toLowerCase(), decode), optional(name, decode), (lower, upper) =>
    Option.orElse(lower, () => upper)
  )

const proxies: Config.Config<ProxySettings> = Config.all({
  https: inEitherCase("HTTPS_PROXY", proxyAddress),
  http: inEitherCase("HTTP_PROXY", proxyAddress),
  except: inEitherCase("NO_PROXY", proxyExceptions)
}).pipe(
  Config.map(({ except, http, https }) => ({
    https: Option.getOrUndefined(https),
    http: Option.getOrUndefined(http),
    except: Option.getOrElse(except, () => [])
  }))
)

/** Addresses and networks. */
const networks = separatedByCommas(
  Networks.isNetwork,
  'must be addresses and networks such as "192.0.2.7,2001:db8::/32", separated by commas'
)

/**
 * Open connections of all ports together. The maximum bounds memory: with the longest body of a single check each they need 256 MiB. It is
 * also the length of the listen backlog: with node's default of 511 the system would drop part of a burst, and TCP retries only
 * after a second.
 */
export const MAX_CONNECTIONS = 4096

const MAX_PROXIES = 32

const defaultLogFormat = () => (process.stdout.isTTY ? "pretty" : "json")

const logFormat = Config.map(
  optional("LOG_FORMAT", oneOf(["pretty", "json"])),
  Option.getOrElse(defaultLogFormat)
)

/** Every variable, whose default and meaning is in variables.tsv. */
const environment = Config.all({
  /** 0: a free port that the system chooses. */
  port: variable("PORT", wholeNumber(0, 65_535)),
  /** The port of health and metrics. 0: a free port. None: `port` serves health and metrics too. */
  adminPort: optional("ADMIN_PORT", wholeNumber(0, 65_535)),
  /** None: all interfaces. */
  host: optional("HOST", text),
  /** None: every process works alone. */
  cache,
  /** None: the reputation lookup is off. */
  reputation,
  /** The forward proxies of the requests that the service sends. */
  proxies,
  feeds: Config.all({
    feed_a: feed("feed_a"),
    feed_b: feed("feed_b"),
    feed_c: feed("feed_c"),
    feed_d: feed("feed_d")
  }),
  /** The ranking of popular domains. */
  popular: Config.all({ ...list("popular", rankingFormats), ...noFeed }),
  /** Newly registered domains. docs/lists.md has public lists of them. */
  newDomains: Config.all({ ...list("new_domains", domainFormats), ...noFeed }),
  /** The paths of the operator's files. None: there is no such list. */
  operatorLists: Config.all({ allow: optional("ALLOW_LIST", text), block: optional("BLOCK_LIST", text) }),
  /** The path of the weights of the heuristics. None: those that the service comes with. */
  modelFile: optional("MODEL_FILE", text),
  checkerTimeout: variable("CHECKER_TIMEOUT", timeout),
  rateLimit: variable("RATE_LIMIT", wholeNumber(1, 1_000_000_000)),
  rateLimitWindow: variable("RATE_LIMIT_WINDOW", interval),
  rateLimitExempt: Config.map(
    optional("RATE_LIMIT_EXEMPT", networks),
    Option.getOrElse((): ReadonlyArray<string> => [])
  ),
  trustedProxies: variable("TRUSTED_PROXIES", wholeNumber(0, MAX_PROXIES)),
  /** 0: no limit. With trusted proxies there is none either. */
  maxConnectionsPerAddress: variable("MAX_CONNECTIONS_PER_ADDRESS", wholeNumber(0, MAX_CONNECTIONS)),
  corsOrigins: variable("CORS_ORIGINS", origins),
  /** `http`, `https` or `mailto`: where people report wrong results. None: the pages have no such link. */
  contactUrl: optional("CONTACT_URL", contactAddress),
  dataDir: variable("DATA_DIR", folder),
  logLevel: variable("LOG_LEVEL", logLevel),
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
const unknownVariables = Effect.sync(() =>
  UnknownVariables.among(
    Object.keys(process.env).filter((name) => process.env[name]?.trim() !== ""),
    [...decoders.keys()]
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

  /** Warns about variables of the environment that look like a misspelt one of ours. Logs their names only. */
  static readonly warnings = Layer.effectDiscard(
    Effect.flatMap(unknownVariables, (unknown) =>
      Effect.forEach(
        unknown,
        (variable) => Effect.logWarning(UnknownVariables.sentenceOf(variable), { variable: variable.name }),
        { discard: true }
      )
    )
  )
}
