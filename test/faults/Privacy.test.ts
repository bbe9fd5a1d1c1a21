import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ReputationMode } from "../../src/Layers/AppConfig.ts"
import * as ExpressionHash from "../../src/Url/ExpressionHash.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import { environment, KEY, listIn, publish, untilListed } from "../fixtures/ListedService.ts"
import { listeningPort } from "../fixtures/ListeningPort.ts"
import * as Machine from "../fixtures/Machine.ts"
import { postJson } from "../fixtures/Request.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import { until } from "../fixtures/Until.ts"
import * as Upstream from "../fixtures/Upstream.ts"
import * as WatchedService from "../fixtures/WatchedService.ts"

const { SECRET, SUBMITTED } = WatchedService

const LISTS = ["se-4b", "mw-4b", "uws-4b", "gc-32b"]

/** A server that counts the connections to it. */
const trap = Effect.suspend(() => {
  let visits = 0
  const server = Net.createServer((socket) => {
    visits++
    socket.destroy()
  })
  return Effect.acquireRelease(listeningPort(server), () => Effect.sync(() => server.close())).pipe(
    Effect.map((port) => ({ port, visits: () => visits }))
  )
})

describe("the submitted URL, and any address inside it,", () => {
  it.scopedLive("is never fetched or resolved, and leaves as prefixes of four bytes only", () =>
    Effect.gen(function* () {
      const { port: trapPort, visits } = yield* trap
      const network = Machine.network(yield* ServiceProcess.temporaryFolder)
      const names = ["trap.example", "sub.trap.example", "feeds.example", "reputation.example"]
      network.setHosts(Object.fromEntries(names.map((name) => [name, "127.0.0.1"])))
      const feeds = yield* FeedServer.make()
      feeds.serve(`/d.txt?key=${SECRET}`, FeedServer.document("https://listed.example/\n"))
      const google = yield* SafeBrowsingServer.make()
      const wire = yield* Upstream.make({ target: google.url })
      const feedPort = feeds.url("/").port
      const service = yield* WatchedService.make({
        ...network.env,
        FEED_D_URL: `http://feeds.example:${feedPort}/d.txt?key=${SECRET}`,
        FEED_D_FORMAT: "lines",
        REPUTATION_API_URL: `http://reputation.example:${wire.port}/`,
        REPUTATION_API_KEY: SECRET
      })
      yield* until(service.health, ({ httpStatus }) => httpStatus === 200)

      const paths = [
        "",
        `/${SUBMITTED}/a/b/c?${SUBMITTED}=1`,
        `/?next=http://trap.example:${trapPort}/${SUBMITTED}`
      ]
      const hosts = [
        `trap.example:${trapPort}`,
        `sub.trap.example:${trapPort}`,
        `127.0.0.1:${trapPort}`,
        `localhost:${trapPort}`,
        `[::1]:${trapPort}`,
        `2130706433:${trapPort}`,
        `user:${SUBMITTED}@trap.example:${trapPort}`,
        "not-there.invalid",
        "xn--bcher-kva.example"
      ]
      const urls = ["http://", "https://", "", "ftp://", "//"].flatMap((scheme) =>
        hosts.flatMap((host) => paths.map((path) => `${scheme}${host}${path}`))
      )
      const hostile = [
        `javascript:fetch("http://trap.example:${trapPort}/")`,
        `file:///etc/passwd#${SUBMITTED}`,
        `http://trap.example:${trapPort}\r\nhost: feeds.example`,
        `http://feeds.example:${feedPort}/${SUBMITTED}`,
        // Their destination is an address inside the URL.
        `https://www.google.com/url?q=${encodeURIComponent(`http://trap.example:${trapPort}/${SUBMITTED}`)}`,
        `https://trap-example.translate.goog/${SUBMITTED}`
      ]
      for (const url of [...urls, ...hostile])
        assert.strictEqual((yield* service.check(url)).status, 200, url)

      assert.strictEqual(visits(), 0)
      const used = new Set(network.lines())
      const allowed = ["feeds.example", "reputation.example"].flatMap((name) => [
        `lookup ${name}`,
        `connect ${name}:${name === "feeds.example" ? feedPort : wire.port}`
      ])
      // The service looks up the address that it listens on.
      assert.deepStrictEqual([...used].sort(), [...allowed, "lookup 127.0.0.1"].sort())

      assert.isAbove(wire.received.length, 10)
      for (const request of wire.received) {
        const [line = "", ...headers] = request.split("\n")
        const [, method, query] =
          /^GET \/v5\/(hashes:search|hashLists:batchGet)\?(\S+) HTTP\/1\.1$/.exec(line) ?? []
        for (const [name, value] of new URLSearchParams(query))
          if (name === "hashPrefixes") assert.strictEqual(Buffer.from(value, "base64").length, 4, line)
          else if (method === "hashLists:batchGet" && name === "names") assert.include(LISTS, value)
          else assert.deepStrictEqual([name, value], ["alt", "proto"])
        const known = headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
        assert.includeMembers(
          ["accept", "accept-encoding", "x-goog-api-key", "user-agent", "host", "connection"],
          known
        )
        assert.notInclude(request.toLowerCase(), "trap")
        assert.notInclude(request, SUBMITTED)
      }
      // The key of Safe Browsing is for Safe Browsing only.
      assert.isAbove(feeds.received.length, 0)
      for (const { headers } of feeds.received) assert.notProperty(headers, "x-goog-api-key")
    })
  )
})

/** Of `https://sub.HOST/dir/page?q=marked-submission`: two hosts by four paths. */
const expressionsAt = (host: string): ReadonlyArray<string> =>
  [`sub.${host}`, host].flatMap((host) =>
    [`/dir/page?q=${SUBMITTED}`, "/dir/page", "/", "/dir/"].map((path) => `${host}${path}`)
  )
const submissionAt = (host: string) => `https://sub.${host}/dir/page?q=${SUBMITTED}`
const prefixesOf = (expressions: ReadonlyArray<string>) =>
  expressions.map((expression) => ExpressionHash.prefix(ExpressionHash.ofExpression(expression))).sort()

const privateUrls = [
  "http://192.168.0.1/admin",
  "http://10.1.2.3:8080/",
  "http://[fd00::1]/",
  "http://localhost/x",
  "http://intranet/wiki",
  "http://printer.local/"
]

describe("Safe Browsing", () => {
  /** What is sent about the hosts of the test, the first time. */
  const sent: Readonly<Record<ReputationMode, Readonly<Record<string, ReadonlyArray<string>>>>> = {
    "no-storage": {
      "clean.example": expressionsAt("clean.example"),
      "listed.example": expressionsAt("listed.example"),
      "likely.example": expressionsAt("likely.example"),
      "both.example": expressionsAt("both.example")
    },
    "real-time": {
      "clean.example": expressionsAt("clean.example"),
      "listed.example": expressionsAt("listed.example"),
      "likely.example": [],
      "both.example": ["both.example/"]
    },
    "local-list": {
      "clean.example": [],
      "listed.example": ["listed.example/"],
      "likely.example": [],
      "both.example": ["both.example/"]
    }
  }

  for (const mode of ["no-storage", "real-time", "local-list"] as const)
    it.scopedLive(`gets exactly these prefixes of a URL, and none of a private host: ${mode}`, () =>
      Effect.gen(function* () {
        const network = Machine.network(yield* ServiceProcess.temporaryFolder)
        network.setHosts({ "reputation.example": "127.0.0.1" })
        const google = yield* SafeBrowsingServer.make()
        publish(google, ["listed.example", "both.example"])
        publish(google, ["likely.example", "both.example"], "gc-32b")
        const service = yield* WatchedService.make({
          ...network.env,
          ...environment(mode, `http://reputation.example:${google.url.port}/`)
        })
        if (mode !== "no-storage") yield* untilListed(service)
        const prefixesSentFor = (url: string) =>
          Effect.gen(function* () {
            const before = google.received.length
            assert.strictEqual((yield* service.check(url)).status, 200)
            const requests = google.received.slice(before)
            assert.isAtMost(requests.length, 1, url)
            return requests.flatMap(({ prefixes }) => prefixes).sort()
          })
        for (const [host, expressions] of Object.entries(sent[mode])) {
          assert.deepStrictEqual(yield* prefixesSentFor(submissionAt(host)), prefixesOf(expressions), host)
          assert.deepStrictEqual(yield* prefixesSentFor(submissionAt(host)), [], "cached")
        }
        for (const url of privateUrls) assert.deepStrictEqual(yield* prefixesSentFor(url), [], url)

        const { received } = google.lists
        const names = ["se-4b", "mw-4b", "uws-4b", ...(mode === "real-time" ? ["gc-32b"] : [])]
        assert.deepStrictEqual(
          received.map(({ line }) => line),
          mode === "no-storage"
            ? []
            : [
                `GET /v5/hashLists:batchGet?${names.map((name) => `names=${name}`).join("&")}&alt=proto HTTP/1.1`
              ]
        )
        for (const { body, headers } of [...received, ...google.received]) {
          assert.strictEqual(body, "")
          assert.strictEqual(headers["x-goog-api-key"], KEY)
          assert.strictEqual(headers.cookie, undefined)
        }
        assert.deepStrictEqual([...new Set(network.lines())].sort(), [
          `connect reputation.example:${google.url.port}`,
          "lookup 127.0.0.1",
          "lookup reputation.example"
        ])
      })
    )

  it.scopedLive("that redirects gets no request elsewhere, and the key stays", () =>
    Effect.gen(function* () {
      const { port, visits } = yield* trap
      const network = Machine.network(yield* ServiceProcess.temporaryFolder)
      network.setHosts({ "reputation.example": "127.0.0.1", "trap.example": "127.0.0.1" })
      const google = yield* SafeBrowsingServer.make()
      const service = yield* WatchedService.make({
        ...network.env,
        ...environment("real-time", `http://reputation.example:${google.url.port}/`)
      })
      for (const status of [301, 302, 303, 307, 308]) {
        const redirect = {
          _tag: "Status",
          status,
          headers: { location: `http://trap.example:${port}/v5/hashes:search` }
        } as const
        google.behave(redirect)
        google.lists.behave(redirect)
        yield* service.check(WatchedService.submission(`h${status}.example`))
      }
      yield* until(service.health, ({ reputationLookup: { search } }) => search?.breaker === "open")
      const lists = yield* WatchedService.make({
        ...network.env,
        ...environment("local-list", `http://reputation.example:${google.url.port}/`)
      })
      const health = yield* until(lists.health, (health) => listIn(health)?.lastError != null)
      assert.strictEqual(listIn(health)?.lastError?.message, "Status (308)")
      assert.strictEqual(visits(), 0)
      assert.notInclude(network.lines().join(), "trap.example")
    })
  )
})

const FORGED = "FORGED"

/** Writes a raw request, and waits until the service closes the connection. */
const write = (port: number, bytes: string) =>
  Effect.async<void>((resume) => {
    const socket = Net.connect(port, "127.0.0.1")
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.void))
    socket.resume()
    socket.write(Buffer.from(bytes, "latin1"))
  })

const forgeries = (() => {
  const lines = [
    `\n{"message":"${FORGED}"}`,
    `\r\n00:00:00 INFO  ${FORGED}`,
    `\x1b[2K\x1b[1A${FORGED}`,
    `\x00${FORGED}`,
    `\x7f\x85\u2028\u2029${FORGED}`,
    `","message":"${FORGED}`,
    `%0a{"message":"${FORGED}"}`,
    `\\n{"message":"${FORGED}"}`
  ]
  return lines.map((line) => Buffer.from(line, "utf8").toString("latin1"))
})()

/** Requests with the text in each place that a client controls. */
const requestsWith = (forgery: string): ReadonlyArray<string> => {
  const end = "Connection: close\r\n\r\n"
  return [
    `GET /${forgery} HTTP/1.1\r\nHost: a\r\n${end}`,
    `GET /?${forgery} HTTP/1.1\r\nHost: a\r\n${end}`,
    `GET http://${forgery}/x HTTP/1.1\r\nHost: a\r\n${end}`,
    `${forgery} / HTTP/1.1\r\nHost: a\r\n${end}`,
    `GET / HTTP/1.1\r\nHost: ${forgery}\r\n${end}`,
    ...["User-Agent", "Referer", "Origin", "X-Forwarded-For", "X-Request-Id", "Traceparent", "B3"].map(
      (name) => `GET / HTTP/1.1\r\nHost: a\r\n${name}: ${forgery}\r\n${end}`
    )
  ]
}

describe("the log", () => {
  for (const format of ["json", "pretty"])
    it.scopedLive(`has no line that a client wrote: ${format}`, () =>
      Effect.gen(function* () {
        const { port, output } = yield* ServiceProcess.make({ LOG_FORMAT: format, TRUSTED_PROXIES: "1" })
        const shapes = forgeries.flatMap(requestsWith)
        yield* Effect.forEach(shapes, (bytes) => write(port, bytes), { concurrency: 8 })
        for (const forgery of forgeries) {
          yield* postJson(port, { url: `http://example.com/${forgery}` })
          yield* postJson(port, { url: forgery })
        }
        yield* postJson(port, { url: "https://last.example/" }, { "x-forwarded-for": FORGED })

        const printed = output()
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
        assert.notMatch(printed, /[\x00-\x08\x0b-\x1f\x7f-\uffff]/)
        const lines = printed.split("\n").filter((line) => line !== "")
        if (format === "json")
          for (const line of lines) {
            const { message, ...others } = JSON.parse(line)
            assert.match(message, /^(Listening on http:\/\/127\.0\.0\.1:\d+ \(.*\)|request)$/)
            assert.doesNotHaveAnyKeys(others, ["url", FORGED])
            if (message === "request")
              assert.includeMembers(
                ["level", "time", "requestId", "method", "path", "status", "milliseconds", "checkers"],
                Object.keys(others)
              )
          }
        else
          for (const line of lines)
            assert.match(
              line,
              /^\d\d:\d\d:\d\d INFO {2}(Listening on http:\/\/127\.0\.0\.1:\d+ \(.*\)|request( [a-zA-Z]+=([^\s"]+|"(?:[^"\\]|\\.)*"))+)$/
            )
      })
    )
})

const LIMIT = 20

describe("a limit", () => {
  const counted = (port: number, headers: Readonly<Record<string, string | ReadonlyArray<string>>>) =>
    Effect.map(
      postJson(port, { url: "https://example.com/" }, headers as Record<string, string | Array<string>>),
      ({ status, headers }) => [status, Number(/;r=(\d+)/.exec(String(headers.ratelimit))?.[1])] as const
    )

  it.scopedLive("is not changed by forwarding headers without a proxy", () =>
    Effect.gen(function* () {
      const { port } = yield* ServiceProcess.make({ RATE_LIMIT: String(LIMIT) })
      const names = [
        "x-forwarded-for",
        "forwarded",
        "x-real-ip",
        "true-client-ip",
        "cf-connecting-ip",
        "x-client-ip"
      ]
      for (let sent = 1; sent <= LIMIT; sent++) {
        const address = `198.51.100.${sent}`
        const value = (name: string) => (name === "forwarded" ? `for=${address}` : address)
        const headers = Object.fromEntries(names.map((name) => [name, value(name)]))
        assert.deepStrictEqual(yield* counted(port, headers), [200, LIMIT - sent])
      }
      assert.deepStrictEqual(yield* counted(port, { "x-forwarded-for": "203.0.113.1" }), [429, 0])
    })
  )

  it.scopedLive("counts the last address of X-Forwarded-For behind a proxy, in any spelling", () =>
    Effect.gen(function* () {
      const { port } = yield* ServiceProcess.make({ RATE_LIMIT: String(LIMIT), TRUSTED_PROXIES: "1" })
      const own = "203.0.113.7"
      const spellings = [
        own,
        `198.51.100.1, ${own}`,
        `198.51.100.2,198.51.100.3,${own}`,
        `, , ${own}`,
        `unknown, ${own}`,
        `"198.51.100.4", ${own}`,
        `${own}:4711`,
        ` \t${own}\t `,
        `::ffff:${own}`,
        `[::ffff:${own}]:4711`
      ]
      let sent = 0
      for (const spelling of spellings)
        assert.deepStrictEqual(
          yield* counted(port, { "x-forwarded-for": spelling }),
          [200, LIMIT - ++sent],
          spelling
        )
      const lines = { "x-forwarded-for": ["198.51.100.5", own] }
      while (sent < LIMIT) assert.deepStrictEqual(yield* counted(port, lines), [200, LIMIT - ++sent])
      assert.deepStrictEqual(yield* counted(port, { "x-forwarded-for": `198.51.100.6, ${own}` }), [429, 0])
      // Anything but an address is not from the proxy and counts for the peer.
      for (let other = 1; other <= LIMIT; other++)
        assert.deepStrictEqual(yield* counted(port, { "x-forwarded-for": `garbage-${other}` }), [
          200,
          LIMIT - other
        ])
      assert.deepStrictEqual(yield* counted(port, { "x-forwarded-for": "garbage" }), [429, 0])
      assert.deepStrictEqual(yield* counted(port, {}), [429, 0])
    })
  )

  it.scopedLive("is shared by all addresses of an IPv6 /64, and by no others", () =>
    Effect.gen(function* () {
      const { port } = yield* ServiceProcess.make({ RATE_LIMIT: String(LIMIT), TRUSTED_PROXIES: "1" })
      const addresses = [
        "2001:db8:1:2::1",
        "2001:DB8:1:2::ffff",
        "2001:0db8:0001:0002:0:0:0:3",
        "[2001:db8:1:2::4]:4711",
        "2001:db8:1:2:5::",
        "2001:db8:1:2::192.0.2.1",
        "2001:db8:1:2::6%eth0"
      ]
      const rotated = Array.from({ length: LIMIT - addresses.length }, (_, i) => `2001:db8:1:2:${i}::${i}`)
      for (const [index, address] of [...addresses, ...rotated].entries())
        assert.deepStrictEqual(
          yield* counted(port, { "x-forwarded-for": address }),
          [200, LIMIT - index - 1],
          address
        )
      assert.deepStrictEqual(yield* counted(port, { "x-forwarded-for": "2001:db8:1:2:dead::" }), [429, 0])
      assert.deepStrictEqual(yield* counted(port, { "x-forwarded-for": "2001:db8:1:3::1" }), [200, LIMIT - 1])
    })
  )
})

const secretEnvironment = {
  CACHE_REST_URL: "http://127.0.0.1:9/",
  CACHE_REST_TOKEN: SECRET,
  REPUTATION_API_KEY: SECRET,
  FEED_D_URL: `http://reader:${SECRET}@127.0.0.1:9/d.txt?key=${SECRET}`,
  FEED_D_AUTH_HEADER: `Auth-Key: ${SECRET}`
}

/** Runs the code on SIGUSR2. */
const onSignal = (code: string) => ({
  NODE_OPTIONS: `--max-old-space-size=64 --import=${encodeURI(`data:text/javascript,process.on("SIGUSR2",()=>{${code}})`)}`
})

describe("a secret", () => {
  it.scopedLive("is not in the error of an invalid configuration", () =>
    Effect.gen(function* () {
      const bad = {
        CACHE_REST_URL: `http://reader:${SECRET}@127.0.0.1/`,
        CACHE_REST_TOKEN: `${SECRET} \u00e9`,
        REPUTATION_API_KEY: `${SECRET} and a space`,
        REPUTATION_API_URL: `ftp://127.0.0.1/${SECRET}`,
        FEED_A_URL: `gopher://127.0.0.1/?key=${SECRET}`,
        FEED_B_URL: `http://[${SECRET}`,
        FEED_C_AUTH_HEADER: SECRET,
        FEED_D_AUTH_HEADER: `Auth-Key: ${SECRET}\u0007`
      }
      const { code, stdout, stderr } = yield* ServiceProcess.runToEnd(bad)
      assert.strictEqual(code, 1)
      for (const name of Object.keys(bad)) assert.include(stderr, name)
      assert.strictEqual(stderr.split("\n").length, 2, stderr)
      assert.notInclude(stdout + stderr, SECRET)
    })
  )

  for (const [how, code, sign] of [
    ["an exception", 'throw new Error("uncaught error of the test")', "uncaught error of the test"],
    ["a rejection", 'Promise.reject(new Error("uncaught error of the test"))', "uncaught error of the test"],
    ["no memory left", "const all=[];for(;;)all.push({})", "out of memory"]
  ] as const)
    it.scopedLive(`is not in the output of a process that ends by ${how}`, () =>
      Effect.gen(function* () {
        const service = yield* WatchedService.make({ ...secretEnvironment, ...onSignal(code) })
        yield* service.check(WatchedService.submission("new.example"))
        yield* service.kill("SIGUSR2")
        const { code: exitCode, stderr } = yield* service.ended
        assert.notStrictEqual(exitCode, 0)
        assert.include(stderr, sign)
        assert.notInclude(stderr, SECRET)
      })
    )
})
