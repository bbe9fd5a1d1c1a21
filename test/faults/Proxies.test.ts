import { execFileSync, spawn, spawnSync } from "node:child_process"
import { lookup } from "node:dns/promises"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import type { Duplex } from "node:stream"
import { createServer as createTlsServer, type SecureContextOptions } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Certificates from "../fixtures/Certificates.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import * as ForwardProxy from "../fixtures/ForwardProxy.ts"
import { listIn } from "../fixtures/ListedService.ts"
import { listeningPort } from "../fixtures/ListeningPort.ts"
import { majestic } from "../fixtures/Rankings.ts"
import * as RedisServer from "../fixtures/RedisServer.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"
import * as ServiceProcess from "../fixtures/ServiceProcess.ts"
import { until } from "../fixtures/Until.ts"
import * as UpstashRestFront from "../fixtures/UpstashRestFront.ts"
import * as WatchedService from "../fixtures/WatchedService.ts"

/** Of characters that tinyproxy accepts in its configuration. */
const PASSWORD = "secret.pass-word"
const CREDENTIALS = `user:${PASSWORD}`

/** Names that only the proxy resolves. */
const HOSTS = ["secure", "plain", "ranking", "google", "database"].map((name) => `${name}.upstream.example`)

/** A proxy of the system that is installed, and finds the hosts in /etc/hosts. */
const isInstalled = async (program: string) => {
  const isThere =
    spawnSync(program, ["-v"]).error === undefined &&
    (await Promise.all(HOSTS.map((host) => lookup(host)))
      .then((found) => found.every(({ address }) => address === "127.0.0.1"))
      .catch(() => false))
  if (!isThere)
    process.stderr.write(
      `${program} is not on the PATH, or /etc/hosts has no line "127.0.0.1 ${HOSTS.join(" ")}": its tests are skipped\n`
    )
  return isThere
}

/** What a proxy has done so far. */
interface Proxy {
  readonly port: number
  readonly log: () => string
}

const freePort = Effect.gen(function* () {
  const server = createServer()
  const port = yield* listeningPort(server)
  yield* Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  return port
})

/** Runs a program of the system until the scope closes. Waits until it listens. */
const run = (port: number, program: string, args: ReadonlyArray<string>) =>
  Effect.zipRight(
    Effect.acquireRelease(
      Effect.sync(() => spawn(program, args, { stdio: "ignore" })),
      (child) => Effect.sync(() => child.kill())
    ),
    until(
      Effect.tryPromise(async () => {
        const socket = connect(port, "127.0.0.1")
        await once(socket, "connect")
        socket.destroy()
      }),
      () => true
    )
  )

const tinyproxy = (hasPassword: boolean) =>
  Effect.gen(function* () {
    const folder = yield* ServiceProcess.temporaryFolder
    const port = yield* freePort
    const log = join(folder, "log")
    const auth = hasPassword ? `BasicAuth ${CREDENTIALS.replace(":", " ")}\n` : ""
    writeFileSync(
      join(folder, "conf"),
      `Port ${port}\nListen 127.0.0.1\nTimeout 60\nLogFile "${log}"\nLogLevel Connect\n${auth}`
    )
    yield* run(port, "tinyproxy", ["-d", "-c", join(folder, "conf")])
    return { port, log: () => readFileSync(log, "utf8") } satisfies Proxy
  })

const squid = (hasPassword: boolean) =>
  Effect.gen(function* () {
    const folder = yield* ServiceProcess.temporaryFolder
    execFileSync("chmod", ["777", folder])
    const port = yield* freePort
    const log = join(folder, "access.log")
    const hash = execFileSync("openssl", ["passwd", "-apr1", PASSWORD], { encoding: "utf8" }).trim()
    writeFileSync(join(folder, "passwords"), `user:${hash}\n`)
    const auth = [
      `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${join(folder, "passwords")}`,
      "acl known proxy_auth REQUIRED",
      "http_access allow known"
    ]
    const lines = [
      `http_port 127.0.0.1:${port}`,
      `access_log stdio:${log}`,
      `cache_log ${join(folder, "cache.log")}`,
      `pid_filename ${join(folder, "pid")}`,
      "shutdown_lifetime 1 seconds",
      ...(hasPassword ? auth : ["http_access allow all"]),
      "http_access deny all"
    ]
    writeFileSync(join(folder, "conf"), `${lines.join("\n")}\n`)
    yield* run(port, "squid", ["-N", "-f", join(folder, "conf")])
    return { port, log: () => readFileSync(log, "utf8") } satisfies Proxy
  })

const double = (hasPassword: boolean) =>
  Effect.map(
    ForwardProxy.make(hasPassword ? { credentials: CREDENTIALS } : {}),
    ({ port, received }) => ({ port, log: () => received.join("\n") }) satisfies Proxy
  )

/** The port of a server that ends TLS in front of a server on loopback. */
const overTls = ({ port }: URL, certificate: SecureContextOptions) =>
  Effect.gen(function* () {
    const sockets = new Set<Duplex>()
    const server = createTlsServer(certificate, (socket) => {
      const plain = connect(Number(port), "127.0.0.1")
      for (const one of [socket, plain]) {
        sockets.add(one)
        one.on("error", () => undefined)
      }
      socket.pipe(plain).pipe(socket)
    })
    return yield* Effect.acquireRelease(listeningPort(server), () =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
    )
  })

const proxies = [
  ["a proxy", double, true],
  ["tinyproxy", tinyproxy, await isInstalled("tinyproxy")],
  ["squid", squid, await isInstalled("squid")]
] as const

describe("a service behind", () => {
  for (const [name, make, canRun] of proxies)
    for (const hasPassword of [false, true])
      it.scopedLive.skipIf(!canRun || !RedisServer.isInstalled || !Certificates.isInstalled)(
        `${name} ${hasPassword ? "with" : "without"} a password sends lists, ranking, searches and commands through it`,
        () =>
          Effect.gen(function* () {
            const { authority, valid } = yield* Certificates.make(yield* ServiceProcess.temporaryFolder)
            const secure = yield* FeedServer.make(valid)
            const plain = yield* FeedServer.make()
            secure.serve("/a", FeedServer.document("https://listed-a.example/\n"))
            plain.serve("/d", FeedServer.document("https://listed-d.example/\n"))
            plain.serve("/ranking", FeedServer.document(majestic(["popular.example"])))
            const google = yield* SafeBrowsingServer.make()
            google.lists.publishExpressions("se-4b", ["listed-by-google.example/"])
            const front = yield* UpstashRestFront.make(yield* RedisServer.make)
            const googlePort = yield* overTls(google.url, valid)
            const proxy = yield* make(hasPassword)
            const at = (host: string, { port, protocol }: URL, path: string) =>
              `${protocol}//${host}.upstream.example:${port}${path}`
            const address = `http://${hasPassword ? `${CREDENTIALS}@` : ""}127.0.0.1:${proxy.port}`
            const service = yield* WatchedService.make({
              https_proxy: address,
              HTTP_PROXY: address,
              NODE_EXTRA_CA_CERTS: authority,
              FEED_A_URL: at("secure", secure.url("/"), "/a"),
              FEED_A_FORMAT: "lines",
              FEED_D_URL: at("plain", plain.url("/"), "/d"),
              FEED_D_FORMAT: "lines",
              POPULAR_URL: at("ranking", plain.url("/"), "/ranking"),
              REPUTATION_API_URL: `https://google.upstream.example:${googlePort}/`,
              REPUTATION_API_KEY: "key",
              CACHE_REST_URL: at("database", front.url, "/"),
              CACHE_REST_TOKEN: Redacted.value(front.token),
              CACHE_TIMEOUT: "5s",
              CHECKER_TIMEOUT: "10s"
            })
            const health = yield* until(
              service.health,
              (health) =>
                health.httpStatus === 200 &&
                health.popular.entries === 1 &&
                listIn(health)?.entries === 1 &&
                health.cache === "shared"
            )
            assert.deepStrictEqual(
              [health.feeds.feed_a?.entries, health.feeds.feed_d?.entries, health.feeds.feed_a?.lastError],
              [1, 1, null]
            )
            const { checkers, score } = yield* service.check("https://listed-by-google.example/")
            assert.deepStrictEqual([checkers.reputation_lookup, score], ["ok", 100])
            const log = proxy.log()
            for (const host of HOSTS) assert.include(log, host)
            for (const host of ["secure", "google"])
              assert.match(log, new RegExp(`CONNECT ${host}\\.upstream\\.example`))
            const said = service.output()
            assert.notInclude(said, "cache database failed")
            assert.include(
              said,
              `Outgoing requests to https addresses go through 127.0.0.1:${proxy.port} (HTTPS_PROXY), those to http addresses through 127.0.0.1:${proxy.port} (HTTP_PROXY)`
            )
            assert.notInclude(said, PASSWORD)
          })
      )

  it.scopedLive("a proxy that wants another password says so in health and log", () =>
    Effect.gen(function* () {
      const { port } = yield* double(true)
      const service = yield* WatchedService.make({
        HTTPS_PROXY: `user:wrong@127.0.0.1:${port}`,
        FEED_A_URL: "https://secure.upstream.example/a",
        FEED_A_FORMAT: "lines"
      })
      const { feeds } = yield* until(service.health, ({ feeds }) => feeds.feed_a?.lastError !== null)
      assert.strictEqual(feeds.feed_a?.lastError?.message, "Unreachable (PROXY_STATUS_407)")
      assert.include(
        service.log().map(({ message }) => message),
        "feed_a: secure.upstream.example cannot be reached (PROXY_STATUS_407). Does HTTPS_PROXY have the right user name and password?"
      )
    })
  )
})
