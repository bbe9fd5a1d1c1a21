import { readFileSync } from "node:fs"
import { assert, describe, expect, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { ConfigProvider, Duration, Effect, Either, Layer, LogLevel, Option, Redacted } from "effect"
import * as UnknownVariables from "../../src/Layers/AppConfig/UnknownVariables.ts"
import * as Variable from "../../src/Layers/AppConfig/Variable.ts"
import table from "../../src/Layers/AppConfig/variables.tsv"
import { AppConfig } from "../../src/Layers/AppConfig.ts"

const decode = (env: Record<string, string>) =>
  AppConfig.pipe(
    Effect.provide(AppConfig.layer),
    Effect.provide(
      Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)), { pathDelim: "_" }))
    ),
    Effect.either
  )

const refused = (env: Record<string, string>) =>
  Effect.map(decode(env), (result) => (Either.isLeft(result) ? result.left.message : "accepted"))

const root = new URL("../../", import.meta.url)

/** `NAME=value` of each commented line of .env.example. */
const example = Object.fromEntries(
  Array.from(
    readFileSync(new URL(".env.example", root), "utf8").matchAll(/^# ([A-Z][A-Z_]+)=(.*)$/gm),
    ([, name = "", value = ""]) => [name, value]
  )
)

const variableNames = [...Variable.decoders.keys()]

const unknownAmong = (names: ReadonlyArray<string>) => UnknownVariables.among(names, variableNames)

/** Those of the other feeds are as those of the first one. */
const variables = table.map(({ name }) => name).filter((name) => !/^FEED_[B-D]_/.test(name))

const page = readFileSync(new URL("docs/configuration.md", root), "utf8")

const aboutOf = (name: string) => table.find((row) => row.name === name) ?? assert.fail(`${name} has no row`)

/** The values that a variable accepts are what its error says that they must be. Only that of any text accepts every text. */
const acceptedBy = (name: string): string => {
  const decode = Variable.decoders.get(name) ?? assert.fail(`${name} is not read`)
  return Either.match(decode("\u0000"), {
    onLeft: (message) => message.replace(/^must be /, ""),
    onRight: () => "text"
  })
}

const sections = ["CACHE_", "REPUTATION_", "FEED_A_", "POPULAR_", "NEW_DOMAINS_", "OTEL_"]

/** The table of docs/configuration.md in which a variable is. */
const sectionOf = (name: string): string =>
  /_PROXY$/.test(name) ? "proxies" : (sections.find((prefix) => name.startsWith(prefix)) ?? "others")

const code = (text: string) => `\`${text}\``

const tableOf = (section: string): string =>
  [
    "| variable | default | accepted values | meaning |",
    "| --- | --- | --- | --- |",
    ...variables
      .filter((name) => sectionOf(name) === section)
      .map((name) => {
        const { default: byDefault, meaning } = aboutOf(name)
        const shown = byDefault === undefined ? "unset" : code(byDefault)
        return `| ${code(name)} | ${shown} | ${acceptedBy(name)} | ${meaning} |`
      })
  ].join("\n")

const feedTable = [
  "| feed | default address | format | refresh | retention |",
  "| --- | --- | --- | --- | --- |",
  ...["FEED_A", "FEED_B", "FEED_C", "FEED_D"].map((feed) => {
    const defaults = ["URL", "FORMAT", "REFRESH", "RETENTION"].map((name) =>
      code(aboutOf(`${feed}_${name}`).default ?? assert.fail(`${feed}_${name} has no default`))
    )
    return `| ${[code(feed), ...defaults].join(" | ")} |`
  })
].join("\n")

describe("the documented variables", () => {
  it.effect("have their defaults in .env.example", () =>
    Effect.gen(function* () {
      const { LOG_FORMAT, ...rest } = example
      assert.strictEqual(LOG_FORMAT, "json") // where there is no terminal
      deepStrictEqual(yield* decode(rest), yield* decode({}))
    })
  )

  it.each(variables.filter((name) => !name.startsWith("OTEL_")))("include %s in .env.example", (name) => {
    assert.property(example, name)
  })

  it("are in docs/configuration.md as `npm run reference` writes it, each in one table", () => {
    for (const section of [...sections, "proxies", "others"])
      assert.include(page, `<!-- variables: ${section} -->`)
    // Those of the other feeds that are unset by default have no row; those in lower case are other names of the same.
    const withRow = variableNames.filter(
      (name) => !/^FEED_[B-D]_(?:NAME|COLUMN|AUTH_HEADER)$|^[a-z]/.test(name)
    )
    assert.sameMembers(
      table.map(({ name }) => name),
      withRow
    )
    const written = page
      .replaceAll(
        /(<!-- variables: (\w+) -->\n\n).*?(?=\n\n<!-- end -->)/gs,
        (_, start: string, section: string) => `${start}${tableOf(section)}`
      )
      .replace(/(<!-- feeds -->\n\n).*?(?=\n\n<!-- end -->)/s, `$1${feedTable}`)
    return expect(written).toMatchFileSnapshot("../../docs/configuration.md")
  })
})

describe("AppConfig", () => {
  it.effect("reads the proxies of outgoing requests, in lower case first", () =>
    Effect.gen(function* () {
      const env = {
        https_proxy: "user:p%40ss@proxy.example:3128",
        HTTPS_PROXY: "http://other.example/",
        HTTP_PROXY: "https://proxy.example",
        NO_PROXY: "example.com, 10.0.0.0/8 .internal,"
      }
      deepStrictEqual(Either.getOrThrow(yield* decode(env)).proxies, {
        https: "http://user:p%40ss@proxy.example:3128/",
        http: "https://proxy.example/",
        except: ["example.com", "10.0.0.0/8", ".internal"]
      })
    })
  )

  const unusable: ReadonlyArray<readonly [env: Record<string, string>, problem: string]> = [
    // One character, of which each has half.
    [{ HTTPS_PROXY: "http://a%C3:%A9@proxy.example" }, "HTTPS_PROXY must be an HTTP proxy"],
    [{ HTTPS_PROXY: "socks5://user:secret@proxy.example" }, "HTTPS_PROXY must be an HTTP proxy"],
    [{ http_proxy: "http://proxy.example/secret" }, "http_proxy must be an HTTP proxy"],
    [{ HTTP_PROXY: "http://us%er:secret@proxy.example" }, "HTTP_PROXY must be an HTTP proxy"],
    [{ NO_PROXY: "10.0.0.0/33" }, "NO_PROXY must be *, or hosts"],
    [{ RATE_LIMIT_EXEMPT: "192.0.2.7, backend.example" }, "RATE_LIMIT_EXEMPT must be addresses and networks"]
  ]
  for (const [env, problem] of unusable)
    it.effect(`rejects ${Object.entries(env).join()}, and shows no password`, () =>
      Effect.gen(function* () {
        const message = yield* refused(env)
        assert.isTrue(message.startsWith(problem), message)
        assert.notInclude(message, "secret")
      })
    )

  it.effect("has a default for every variable", () =>
    Effect.gen(function* () {
      const config = Either.getOrThrow(yield* decode({}))
      assert.strictEqual(config.port, 4000)
      deepStrictEqual(config.adminPort, Option.none())
      deepStrictEqual(config.host, Option.none())
      deepStrictEqual(config.cache, Option.none())
      deepStrictEqual(config.reputation, Option.none())
      deepStrictEqual(config.operatorLists, { allow: Option.none(), block: Option.none() })
      deepStrictEqual(config.modelFile, Option.none())
      assert.strictEqual(Duration.toMillis(config.checkerTimeout), 2000)
      assert.strictEqual(config.rateLimit, 100)
      assert.strictEqual(Duration.toMinutes(config.rateLimitWindow), 15)
      assert.strictEqual(config.trustedProxies, 0)
      assert.strictEqual(config.maxConnectionsPerAddress, 256)
      assert.strictEqual(config.corsOrigins, "*")
      deepStrictEqual(config.contactUrl, Option.none())
      assert.strictEqual(config.dataDir, "./data")
      assert.strictEqual(config.logLevel, LogLevel.Info)
      const feeds = Object.values(config.feeds).map((feed) => [
        feed.slot,
        Option.getOrThrow(feed.address).host,
        feed.format,
        Duration.toHours(feed.refresh),
        Duration.toDays(feed.retention),
        Option.isSome(feed.authHeader)
      ])
      deepStrictEqual(feeds, [
        ["feed_a", "phishunt.io", "phishunt-csv", 1, 7, false],
        ["feed_b", "raw.githubusercontent.com", "tweetfeed-csv", 1, 0, false],
        ["feed_c", "data.phishtank.com", "phishtank-csv", 6, 0, false],
        ["feed_d", "phish.co.za", "lines", 6, 0, false]
      ])
      const { popular } = config
      assert.strictEqual(
        Option.getOrThrow(popular.address).href,
        "https://downloads.majestic.com/majestic_million.csv"
      )
      deepStrictEqual(
        [popular.slot, popular.format, Duration.toDays(popular.refresh), Duration.toDays(popular.retention)],
        ["popular", "majestic-csv", 7, 0]
      )
    })
  )

  it.effect("reads every variable", () =>
    Effect.gen(function* () {
      const config = Either.getOrThrow(
        yield* decode({
          PORT: "8080",
          ADMIN_PORT: "8081",
          HOST: "127.0.0.1",
          CACHE_REST_URL: "https://cache.example.com",
          CACHE_REST_TOKEN: "cache-secret",
          CACHE_TIMEOUT: "80 millis",
          REPUTATION_API_KEY: "key-secret",
          REPUTATION_API_URL: "http://127.0.0.1:9/base",
          REPUTATION_MODE: "local-list",
          REPUTATION_LISTS: "mw-4b, pha-4b,mw-4b",
          FEED_A_URL: "off",
          FEED_B_URL: "https://feeds.example.com/list.txt?key=1",
          FEED_B_NAME: 'Our <own> "list"',
          FEED_B_FORMAT: "lines",
          FEED_B_AUTH_HEADER: "Auth-Key: feed secret",
          FEED_B_REFRESH: "90 seconds",
          FEED_B_RETENTION: "14 days",
          FEED_C_RETENTION: "0",
          FEED_D_URL: "file:///srv/our%20lists/hosts.txt",
          FEED_D_FORMAT: "hosts",
          POPULAR_URL: "off",
          POPULAR_FORMAT: "ranked-csv",
          POPULAR_REFRESH: "1 day",
          ALLOW_LIST: "/etc/allow.txt",
          MODEL_FILE: "/etc/model.bin",
          BLOCK_LIST: "./block.txt",
          CHECKER_TIMEOUT: "250 millis",
          RATE_LIMIT: "7",
          RATE_LIMIT_WINDOW: "1 minute",
          TRUSTED_PROXIES: "2",
          MAX_CONNECTIONS_PER_ADDRESS: "4096",
          CORS_ORIGINS: "https://a.example.com, http://localhost:5173",
          CONTACT_URL: "mailto:abuse@example.com?subject=Wrong%20result",
          DATA_DIR: "/var/lib/lists",
          LOG_LEVEL: "debug",
          LOG_FORMAT: "pretty"
        })
      )
      assert.strictEqual(config.port, 8080)
      deepStrictEqual(config.adminPort, Option.some(8081))
      deepStrictEqual(config.host, Option.some("127.0.0.1"))
      const cache = Option.getOrThrow(config.cache)
      assert.strictEqual(cache.url.href, "https://cache.example.com/")
      assert.strictEqual(Redacted.value(cache.token), "cache-secret")
      assert.strictEqual(Duration.toMillis(cache.timeout), 80)
      const reputation = Option.getOrThrow(config.reputation)
      assert.strictEqual(Redacted.value(reputation.key), "key-secret")
      assert.strictEqual(reputation.baseUrl.href, "http://127.0.0.1:9/base")
      assert.strictEqual(reputation.mode, "local-list")
      assert.deepStrictEqual(reputation.lists, ["mw-4b", "pha-4b"])
      deepStrictEqual(config.feeds.feed_a.address, Option.none())
      const b = config.feeds.feed_b
      assert.strictEqual(Option.getOrThrow(b.address).href, "https://feeds.example.com/list.txt?key=1")
      assert.strictEqual(b.format, "lines")
      deepStrictEqual(b.name, Option.some('Our <own> "list"'))
      const auth = Option.getOrThrow(b.authHeader)
      assert.strictEqual(auth.name, "auth-key")
      assert.strictEqual(Redacted.value(auth.value), "feed secret")
      assert.strictEqual(Duration.toSeconds(b.refresh), 90)
      assert.strictEqual(Duration.toDays(b.retention), 14)
      assert.strictEqual(Duration.toMillis(config.feeds.feed_c.retention), 0)
      const d = config.feeds.feed_d
      assert.strictEqual(Option.getOrThrow(d.address).href, "file:///srv/our%20lists/hosts.txt")
      assert.strictEqual(d.format, "hosts")
      deepStrictEqual(config.popular.address, Option.none())
      assert.strictEqual(config.popular.format, "ranked-csv")
      assert.strictEqual(Duration.toHours(config.popular.refresh), 24)
      deepStrictEqual(config.modelFile, Option.some("/etc/model.bin"))
      deepStrictEqual(config.operatorLists, {
        allow: Option.some("/etc/allow.txt"),
        block: Option.some("./block.txt")
      })
      assert.strictEqual(Duration.toMillis(config.checkerTimeout), 250)
      assert.strictEqual(config.rateLimit, 7)
      assert.strictEqual(Duration.toSeconds(config.rateLimitWindow), 60)
      assert.strictEqual(config.trustedProxies, 2)
      assert.strictEqual(config.maxConnectionsPerAddress, 4096)
      deepStrictEqual(config.corsOrigins, ["https://a.example.com", "http://localhost:5173"])
      assert.strictEqual(
        Option.getOrThrow(config.contactUrl).href,
        "mailto:abuse@example.com?subject=Wrong%20result"
      )
      assert.strictEqual(config.dataDir, "/var/lib/lists")
      assert.strictEqual(config.logLevel, LogLevel.Debug)
      assert.strictEqual(config.logFormat, "pretty")
    })
  )

  it.effect("has a mode and lists for a key alone, and no list with no-storage", () =>
    Effect.gen(function* () {
      const defaults = ["se-4b", "mw-4b", "uws-4b"]
      const table: ReadonlyArray<readonly [Record<string, string>, string, ReadonlyArray<string>]> = [
        [{}, "real-time", defaults],
        [{ REPUTATION_MODE: "", REPUTATION_LISTS: " " }, "real-time", defaults],
        [{ REPUTATION_MODE: "real-time" }, "real-time", defaults],
        [{ REPUTATION_MODE: "local-list" }, "local-list", defaults],
        [{ REPUTATION_MODE: "no-storage" }, "no-storage", []],
        [{ REPUTATION_MODE: "no-storage", REPUTATION_LISTS: "se-4b" }, "no-storage", []],
        [{ REPUTATION_LISTS: "se-4b" }, "real-time", ["se-4b"]],
        [{ REPUTATION_LISTS: "uwsa-4b,se-4b" }, "real-time", ["uwsa-4b", "se-4b"]]
      ]
      for (const [env, mode, lists] of table) {
        const config = Either.getOrThrow(yield* decode({ REPUTATION_API_KEY: "key", ...env }))
        const reputation = Option.getOrThrow(config.reputation)
        assert.deepStrictEqual([reputation.mode, reputation.lists], [mode, lists])
      }
      const unset = Either.getOrThrow(yield* decode({ REPUTATION_MODE: "", REPUTATION_LISTS: "" }))
      deepStrictEqual(unset.reputation, Option.none())
    })
  )

  it.effect("has a default of CACHE_TIMEOUT, and takes its bounds", () =>
    Effect.gen(function* () {
      const database = { CACHE_REST_URL: "https://x.example", CACHE_REST_TOKEN: "secret" }
      for (const [env, millis] of [
        [{}, 500],
        [{ CACHE_TIMEOUT: "50 millis" }, 50],
        [{ CACHE_TIMEOUT: "5 seconds" }, 5000]
      ] as const) {
        const config = Either.getOrThrow(yield* decode({ ...database, ...env }))
        assert.strictEqual(Duration.toMillis(Option.getOrThrow(config.cache).timeout), millis)
      }
    })
  )

  it.effect("accepts a free port for each of PORT and ADMIN_PORT", () =>
    Effect.gen(function* () {
      const { adminPort, port } = Either.getOrThrow(yield* decode({ PORT: "0", ADMIN_PORT: "0" }))
      deepStrictEqual([port, adminPort], [0, Option.some(0)])
    })
  )

  it.effect("counts an empty or blank value as unset", () =>
    Effect.gen(function* () {
      const config = Either.getOrThrow(
        yield* decode({ PORT: "", CACHE_REST_URL: "", CACHE_REST_TOKEN: " ", FEED_A_URL: "", LOG_FORMAT: "" })
      )
      assert.strictEqual(config.port, 4000)
      deepStrictEqual(config.cache, Option.none())
      assert.strictEqual(Option.getOrThrow(config.feeds.feed_a.address).host, "phishunt.io")
    })
  )

  const duration = 'must be a duration such as 15m or "15 minutes", from 1s to 3650d'
  const budget = 'must be a duration such as 2s or "2 seconds", longer than 0'
  const cacheTimeout = 'must be a duration such as 500ms or "500 millis", from 50ms to 5s'
  const filePath =
    "must be an http or https address, or the whole path of a file such as file:///srv/feeds/list.txt, with ?, # and % percent-encoded, or off"
  const bad: ReadonlyArray<readonly [Record<string, string>, string]> = [
    [{ PORT: "abc" }, 'PORT must be a whole number from 0 to 65,535 (it is "abc")'],
    [{ PORT: "65536" }, 'PORT must be a whole number from 0 to 65,535 (it is "65536")'],
    [{ PORT: "-1" }, 'PORT must be a whole number from 0 to 65,535 (it is "-1")'],
    [{ PORT: "1e3" }, 'PORT must be a whole number from 0 to 65,535 (it is "1e3")'],
    [{ ADMIN_PORT: "65536" }, 'ADMIN_PORT must be a whole number from 0 to 65,535 (it is "65536")'],
    [{ ADMIN_PORT: "4000" }, "ADMIN_PORT must be another port than PORT (both are 4000)"],
    [{ PORT: "80", ADMIN_PORT: "80" }, "ADMIN_PORT must be another port than PORT (both are 80)"],
    [
      { MAX_CONNECTIONS_PER_ADDRESS: "4097" },
      'MAX_CONNECTIONS_PER_ADDRESS must be a whole number from 0 to 4,096 (it is "4097")'
    ],
    [{ CACHE_REST_URL: "https://x.example" }, "CACHE_REST_TOKEN must be set when CACHE_REST_URL is set"],
    [{ FEED_D_COLUMN: "url" }, "FEED_D_COLUMN is only for the format csv (FEED_D_FORMAT is lines)"],
    [{ CACHE_REST_TOKEN: "secret" }, "CACHE_REST_URL must be set when CACHE_REST_TOKEN is set"],
    [
      { CACHE_REST_URL: "redis://:secret@x.example", CACHE_REST_TOKEN: "secret" },
      "CACHE_REST_URL must be an http or https address"
    ],
    [
      { CACHE_REST_URL: "https://user:secret@x.example", CACHE_REST_TOKEN: "secret" },
      "CACHE_REST_URL must not contain a user name or a password; put the token into CACHE_REST_TOKEN"
    ],
    [
      { CACHE_REST_URL: "https://x.example", CACHE_REST_TOKEN: "secret\u00e9" },
      "CACHE_REST_TOKEN must be printable ASCII characters without spaces"
    ],
    [{ CACHE_TIMEOUT: "49 millis" }, `CACHE_TIMEOUT ${cacheTimeout} (it is "49 millis")`],
    [{ CACHE_TIMEOUT: "5001 millis" }, `CACHE_TIMEOUT ${cacheTimeout} (it is "5001 millis")`],
    [{ CACHE_TIMEOUT: "infinity" }, `CACHE_TIMEOUT ${cacheTimeout} (it is "infinity")`],
    [
      { REPUTATION_API_KEY: "two secrets" },
      "REPUTATION_API_KEY must be printable ASCII characters without spaces"
    ],
    [{ REPUTATION_API_URL: "secret" }, "REPUTATION_API_URL must be an http or https address"],
    [
      { REPUTATION_API_KEY: "key", REPUTATION_MODE: "off" },
      'REPUTATION_MODE must be one of real-time, local-list, no-storage (it is "off")'
    ],
    [
      { REPUTATION_API_KEY: "key", REPUTATION_MODE: "Real-Time" },
      'REPUTATION_MODE must be one of real-time, local-list, no-storage (it is "Real-Time")'
    ],
    ...[
      "gc-32b",
      "se-4b,gc-32b",
      "se-8b",
      "se",
      "-4b",
      "se-4b,",
      "se-4b;mw-4b",
      "SE-4b",
      "se_4b",
      "se-4b mw-4b"
    ].map(
      (lists) =>
        [
          { REPUTATION_API_KEY: "key", REPUTATION_LISTS: lists },
          `REPUTATION_LISTS must be names of lists with four-byte prefixes, such as "se-4b,mw-4b" (it is "${lists}")`
        ] as const
    ),
    [
      { FEED_A_URL: "ftp://x.example/?key=secret" },
      "FEED_A_URL must be an http or https address, or the whole path of a file such as file:///srv/feeds/list.txt, with ?, # and % percent-encoded, or off"
    ],
    [
      { FEED_A_URL: "/srv/secret.txt" },
      "FEED_A_URL must be an http or https address, or the whole path of a file such as file:///srv/feeds/list.txt, with ?, # and % percent-encoded, or off"
    ],
    [{ FEED_A_URL: "file:secret.txt" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "file:./secret.txt" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "file:/srv/secret.txt" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "FILE://secret.txt" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "file://server/secret.txt" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "file:////server/secret.txt" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "file:///" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "file:///srv/secret/" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "file:///srv/secret?.txt" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "file:///srv/secret#1.txt" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "file:///srv/100%secret.txt" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "file:///srv/a%2Fsecret.txt" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "https://secret.example/a,https://b.example/" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "https://secret.example/a http://b.example/" }, `FEED_A_URL ${filePath}`],
    [{ FEED_A_URL: "file:///srv/secret.txt;file:///srv/b.txt" }, `FEED_A_URL ${filePath}`],
    [
      { DATA_DIR: "~/lists" },
      'DATA_DIR must be a path that does not begin with ~, which only shells replace (it is "~/lists")'
    ],
    [{ FEED_B_FORMAT: "tsv" }, `FEED_B_FORMAT must be ${acceptedBy("FEED_B_FORMAT")} (it is "tsv")`],
    [
      { FEED_A_NAME: "Our own list \u00e9" },
      'FEED_A_NAME must be a name of 1 to 60 printable ASCII characters (it is "Our own list \u00e9")'
    ],
    [
      { FEED_A_NAME: "tab\tand \u202e" },
      'FEED_A_NAME must be a name of 1 to 60 printable ASCII characters (it is "tab\\tand \u202e")'
    ],
    [{ FEED_C_AUTH_HEADER: "secret" }, 'FEED_C_AUTH_HEADER must be one header, "Name: value"'],
    [{ FEED_C_AUTH_HEADER: "A: secret\r\nB: c" }, 'FEED_C_AUTH_HEADER must be one header, "Name: value"'],
    [{ FEED_D_REFRESH: "0" }, `FEED_D_REFRESH ${duration} (it is "0")`],
    [{ FEED_D_REFRESH: "10 millis" }, `FEED_D_REFRESH ${duration} (it is "10 millis")`],
    [{ FEED_D_REFRESH: "1 h" }, `FEED_D_REFRESH ${duration} (it is "1 h")`],
    [{ FEED_D_REFRESH: "999ms" }, `FEED_D_REFRESH ${duration} (it is "999ms")`],
    [{ FEED_D_REFRESH: "2w" }, `FEED_D_REFRESH ${duration} (it is "2w")`],
    [{ FEED_D_RETENTION: "-1 days" }, `FEED_D_RETENTION ${duration}, or 0 (it is "-1 days")`],
    [
      { POPULAR_URL: "on" },
      "POPULAR_URL must be an http or https address, or the whole path of a file such as file:///srv/feeds/list.txt, with ?, # and % percent-encoded, or off"
    ],
    [{ POPULAR_FORMAT: "lines" }, 'POPULAR_FORMAT must be one of majestic-csv, ranked-csv (it is "lines")'],
    [
      { NEW_DOMAINS_URL: "on" },
      "NEW_DOMAINS_URL must be an http or https address, or the whole path of a file such as file:///srv/feeds/list.txt, with ?, # and % percent-encoded, or off"
    ],
    [
      { NEW_DOMAINS_FORMAT: "majestic-csv" },
      'NEW_DOMAINS_FORMAT must be one of lines, hosts (it is "majestic-csv")'
    ],
    [{ POPULAR_REFRESH: "0" }, `POPULAR_REFRESH ${duration} (it is "0")`],
    [{ CHECKER_TIMEOUT: "0" }, `CHECKER_TIMEOUT ${budget} (it is "0")`],
    [{ CHECKER_TIMEOUT: "0 seconds" }, `CHECKER_TIMEOUT ${budget} (it is "0 seconds")`],
    [{ RATE_LIMIT: "0" }, 'RATE_LIMIT must be a whole number from 1 to 1,000,000,000 (it is "0")'],
    [{ RATE_LIMIT_WINDOW: "0" }, `RATE_LIMIT_WINDOW ${duration} (it is "0")`],
    [{ RATE_LIMIT_WINDOW: "3651d" }, `RATE_LIMIT_WINDOW ${duration} (it is "3651d")`],
    [{ FEED_A_RETENTION: "1e99 days" }, `FEED_A_RETENTION ${duration}, or 0 (it is "1e99 days")`],
    [{ TRUSTED_PROXIES: "x" }, 'TRUSTED_PROXIES must be a whole number from 0 to 32 (it is "x")'],
    [
      { CORS_ORIGINS: "https://a.example.com/path" },
      'CORS_ORIGINS must be * or origins such as "https://app.example.com", separated by commas (it is "https://a.example.com/path")'
    ],
    ...[
      "secret",
      "javascript:secret()",
      "ftp://secret.example/",
      "https://user:secret@example.com/",
      "mailto:secret",
      "mailto:a@secret@b"
    ].map(
      (address) =>
        [
          { CONTACT_URL: address },
          "CONTACT_URL must be an http or https address without user name and password, or mailto: and an e-mail address"
        ] as const
    ),
    [
      { LOG_LEVEL: "loud" },
      'LOG_LEVEL must be one of trace, debug, info, warning, error, fatal, none (it is "loud")'
    ],
    [{ LOG_FORMAT: "xml" }, 'LOG_FORMAT must be one of pretty, json (it is "xml")'],
    [{ OTEL_SDK_DISABLED: "yes" }, "OTEL_SDK_DISABLED must be one of true, false"],
    [{ OTEL_TRACES_EXPORTER: "jaeger" }, "OTEL_TRACES_EXPORTER must be one of otlp, none"],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
      "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address"
    ],
    [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "ftp://collector" },
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be an http or https address"
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "https://user:secret@collector" },
      "OTEL_EXPORTER_OTLP_ENDPOINT must not contain a user name or a password; put keys into OTEL_EXPORTER_OTLP_HEADERS"
    ],
    [
      { OTEL_EXPORTER_OTLP_TIMEOUT: "10s" },
      "OTEL_EXPORTER_OTLP_TIMEOUT must be a whole number from 1 to 3,600,000"
    ],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: "x-key: secret" },
      'OTEL_EXPORTER_OTLP_HEADERS must be pairs such as "name=value,other=value%20two"'
    ],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: "x-key=%0asecret" },
      'OTEL_EXPORTER_OTLP_HEADERS must be pairs such as "name=value,other=value%20two"'
    ],
    [
      { OTEL_RESOURCE_ATTRIBUTES: "a=%zz" },
      'OTEL_RESOURCE_ATTRIBUTES must be pairs such as "name=value,other=value%20two"'
    ],
    [
      { OTEL_TRACES_SAMPLER: "sometimes" },
      "OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio"
    ],
    [{ OTEL_TRACES_SAMPLER_ARG: "1.5" }, "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1"]
  ]
  for (const [env, line] of bad)
    it.effect(
      `rejects ${JSON.stringify(env)} with an error that names the variable and contains no secret`,
      () =>
        Effect.gen(function* () {
          const message = yield* refused(env)
          assert.strictEqual(message, line)
          assert.notInclude(message, "secret")
        })
    )

  it.effect("shows at most 60 characters of a value, as JSON", () =>
    Effect.gen(function* () {
      const shown = (value: string) =>
        Effect.map(refused({ PORT: value }), (message) => /\(it is (.*)\)$/s.exec(message)?.[1] ?? "")
      assert.strictEqual(yield* shown("x".repeat(60)), `"${"x".repeat(60)}"`)
      assert.strictEqual(yield* shown("x".repeat(61)), `"${"x".repeat(60)}…"`)
      assert.strictEqual(yield* shown('\u001b[2J"\n\u2028x'), JSON.stringify('\u001b[2J"\n\u2028x'))
      // Neither half an escape nor half a character.
      assert.strictEqual(yield* shown("\u0007".repeat(99)), `"${String.raw`\u0007`.repeat(60)}…"`)
      assert.strictEqual(yield* shown("\u{1f600}".repeat(99)), `"${"\u{1f600}".repeat(60)}…"`)
    })
  )

  it.effect("never shows a value that may be a secret", () =>
    Effect.gen(function* () {
      for (const name of variableNames.filter((name) => /_(URL|TOKEN|KEY|AUTH_HEADER)$|^OTEL_/.test(name))) {
        const message = yield* refused({ [name]: "marked\u0007\u00e9" })
        assert.notInclude(message, "marked", name)
      }
    })
  )

  it.effect("reads short durations as well as Effect's words", () =>
    Effect.gen(function* () {
      for (const [text, millis] of [
        ["2s", 2000],
        ["1.5s", 1500],
        ["15m", 900_000],
        ["1h", 3_600_000],
        ["7d", 604_800_000],
        ["1500ms", 1500],
        ["90 seconds", 90_000]
      ] as const) {
        const config = Either.getOrThrow(yield* decode({ RATE_LIMIT_WINDOW: text, CHECKER_TIMEOUT: text }))
        assert.strictEqual(Duration.toMillis(config.rateLimitWindow), millis, text)
        assert.strictEqual(Duration.toMillis(config.checkerTimeout), millis, text)
      }
    })
  )

  it.effect("reads LOG_LEVEL in any case, and warn", () =>
    Effect.gen(function* () {
      for (const [text, level] of [
        ["INFO", LogLevel.Info],
        ["Warning", LogLevel.Warning],
        ["warn", LogLevel.Warning],
        ["WARN", LogLevel.Warning]
      ] as const)
        assert.strictEqual(Either.getOrThrow(yield* decode({ LOG_LEVEL: text })).logLevel, level)
    })
  )

  it.effect("names all invalid variables at once", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refused({ PORT: "x", RATE_LIMIT: "x" }),
        'PORT must be a whole number from 0 to 65,535 (it is "x"); RATE_LIMIT must be a whole number from 1 to 1,000,000,000 (it is "x")'
      )
    })
  )
})

describe("an unknown variable", () => {
  it("is one that begins like ours, or is one edit away from one of ours, and is named with the nearest", () => {
    const nearest = {
      FEED_A_URLS: "FEED_A_URL",
      FEED_E_URL: "FEED_A_URL",
      FEED_LIMIT: "FEED_A_URL",
      FEED_1_RETENTION_DAYS: "FEED_A_RETENTION",
      FEED_REFRESH_INTERVAL: "FEED_A_REFRESH",
      RATELIMIT: "RATE_LIMIT",
      RATES: "RATE_LIMIT",
      TRUSTED_PROXY: "TRUSTED_PROXIES",
      TRUST_PROXY: "TRUSTED_PROXIES",
      CORS_ALLOWED_ORIGINS: "CORS_ORIGINS",
      CHECKER_TIMEOUT_MS: "CHECKER_TIMEOUT",
      MAX_CONNECTIONS: "MAX_CONNECTIONS_PER_ADDRESS",
      POPULAR_RETENTION: "POPULAR_REFRESH",
      NEW_DOMAINS_RETENTION: "NEW_DOMAINS_REFRESH",
      NEW_DOMAIN_LIST_URL: "NEW_DOMAINS_URL",
      DATA_DIRECTORY: "DATA_DIR",
      HTTSP_PROXY: "HTTPS_PROXY",
      ALLOWLIST: "ALLOW_LIST",
      BLOCKLIST_FILE: "BLOCK_LIST",
      CACHE_RESTTOKEN: "CACHE_REST_TOKEN",
      CACHE_REST_TTL: "CACHE_REST_TOKEN",
      REPUTATION_KEY: "REPUTATION_API_KEY",
      ADMIN_PORTS: "ADMIN_PORT",
      PROT: "PORT",
      HOSTS: "HOST",
      OPRT: "PORT",
      XORT: "PORT",
      ORT: "PORT",
      APORT: "PORT",
      HOTS: "HOST",
      HOSX: "HOST",
      HOS: "HOST",
      LOG_LEVELS: "LOG_LEVEL",
      feed_a_url: "FEED_A_URL",
      Block_List: "BLOCK_LIST"
    }
    const unknown = unknownAmong([...variableNames, ...Object.keys(nearest)])
    assert.deepStrictEqual(Object.fromEntries(unknown.map(({ name, nearest }) => [name, nearest])), nearest)
  })

  it.effect("is named as a hint after what is invalid, without its value", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          process.env.TRUSTED_PROXY = "secret"
          process.env.CACHE_RESTTOKEN = "secret"
        }),
        () =>
          Effect.sync(() => {
            delete process.env.TRUSTED_PROXY
            delete process.env.CACHE_RESTTOKEN
          })
      )
      assert.strictEqual(
        yield* refused({ PORT: "x" }),
        'PORT must be a whole number from 0 to 65,535 (it is "x"). Hint: TRUSTED_PROXY is not a setting of this service and is ignored. Did you mean TRUSTED_PROXIES? CACHE_RESTTOKEN is not a setting of this service and is ignored. Did you mean CACHE_REST_TOKEN?'
      )
    }).pipe(Effect.scoped)
  )

  it.scoped("does not count if it is empty, nor does the variable beside it", () =>
    Effect.gen(function* () {
      const set = { TRUSTED_PROXY: " ", ALL_PROXY: "socks5://secret@proxy.example", https_proxy: "" }
      yield* Effect.acquireRelease(
        Effect.sync(() => Object.assign(process.env, set)),
        () =>
          Effect.sync(() => {
            for (const name of Object.keys(set)) delete process.env[name]
          })
      )
      assert.match(
        yield* refused({ PORT: "x" }),
        /Hint: ALL_PROXY is not a setting of this service and is ignored\. Did you mean HTTPS_PROXY\?$/
      )
    })
  )

  it("is never one that an orchestrator sets, or that resembles none of ours", () => {
    const others = [
      "FEED_A_SERVICE_HOST",
      "FEED_A_SERVICE_PORT",
      "FEED_A_SERVICE_PORT_HTTP",
      "FEED_A_PORT",
      "FEED_A_PORT_80_TCP",
      "FEED_A_PORT_80_TCP_ADDR",
      "RATE_LIMITER_PORT",
      "CACHE_REST_PORT_6379_TCP_PROTO",
      "ADMN_PORT",
      "PATH",
      "HOME",
      "HOSTNAME",
      "PORTAL",
      "PORT_HTTP",
      "CACHE_DIR",
      "CACHE_URL",
      "DATA_PATH",
      "LOG_DIR",
      "LOG_LEVEL_ROOT",
      "ADMIN_PASSWORD",
      "MODEL_NAME",
      "MAX_WORKERS",
      "LOG",
      "OTEL_METRICS_EXPORTER",
      "OTEL_LOG_LEVEL",
      "EXAMPLE_FEED_A_URL",
      "node_env"
    ]
    assert.deepStrictEqual(unknownAmong(others), [])
  })

  it("names the nearest setting of a name with a blank in it", () => {
    assert.deepStrictEqual(unknownAmong(["FEED_A URL"]), [{ name: "FEED_A URL", nearest: "FEED_A_URL" }])
  })

  it.each([
    "A note\n\nBLOCK_LIST",
    "BLOCK_LIST /srv/key\nBLOCK_LIST",
    "[lists]\r\nBLOCK_LIST",
    "set BLOCK_LIST"
  ])("warns of a variable whose name begins with other text of its file, as in %j", (name) => {
    assert.deepStrictEqual(
      unknownAmong(["PATH", "A note\nPATH", "ALL\nTHEM", name]).map(UnknownVariables.sentenceOf),
      [
        "BLOCK_LIST is ignored: in its file of variables other text precedes its name. Each line must be NAME=value, and a note begin with #"
      ]
    )
  })

  it("warns of ALL_PROXY if no proxy of this service is set", () => {
    const warned = [{ name: "all_proxy", nearest: "HTTPS_PROXY" }]
    assert.deepStrictEqual(unknownAmong(["PATH", "all_proxy"]), warned)
    assert.deepStrictEqual(unknownAmong(["ALL_PROXY", "https_proxy"]), [])
  })
})
