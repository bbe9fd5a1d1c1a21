import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer as createSecureServer } from "node:https"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { isException, type ProxySettings } from "../../../src/Layers/AppConfig/ProxySettings.ts"
import * as HttpExchange from "../../../src/Layers/Outbound/HttpExchange.ts"
import * as HttpRequest from "../../../src/Layers/Outbound/HttpRequest.ts"
import * as Proxies from "../../../src/Layers/Outbound/Proxies.ts"
import { HttpGet } from "../../../src/Layers/Outbound.ts"
import * as Certificates from "../../fixtures/Certificates.ts"
import * as FeedServer from "../../fixtures/FeedServer.ts"
import * as ForwardProxy from "../../fixtures/ForwardProxy.ts"
import { listeningPort } from "../../fixtures/ListeningPort.ts"

const settings = (except: ReadonlyArray<string> = []) => ({
  https: "http://secure.example:3128/",
  http: "http://plain.example/",
  except
})

const proxyOf = (url: string, except: ReadonlyArray<string> = []) =>
  Proxies.proxyFor(settings(except), new URL(url))?.host

describe("proxyFor", () => {
  it("chooses by the scheme of the address", () => {
    assert.strictEqual(proxyOf("https://feeds.example/"), "secure.example:3128")
    assert.strictEqual(proxyOf("http://feeds.example/"), "plain.example")
    assert.isUndefined(Proxies.proxyFor(Proxies.none, new URL("https://feeds.example/")))
  })

  it.each([
    "http://localhost/",
    "http://localhost./",
    "https://db.localhost/",
    "http://127.8.9.1:8080/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/"
  ])("is never used for this machine: %s", (url) => {
    assert.isUndefined(proxyOf(url))
  })

  it.each([
    ["*", "https://feeds.example/", true],
    ["feeds.example", "https://feeds.example/", true],
    ["FEEDS.example", "https://a.feeds.example./", true],
    [".feeds.example", "https://a.feeds.example/", true],
    ["*.feeds.example", "https://a.feeds.example/", true],
    ["feeds.example", "https://otherfeeds.example/", false],
    ["feeds.example:443", "https://feeds.example/", true],
    ["feeds.example:0443", "https://feeds.example/", true],
    ["feeds.example:8443", "https://feeds.example/", false],
    ["feeds.example.", "https://feeds.example/", true],
    ["feeds_1.example", "https://feeds_1.example/", true],
    ["redis", "http://redis/", true],
    ["192.0.2.0/24", "http://192.0.2.9/", true],
    ["192.0.2.0/24", "http://192.0.3.9/", false],
    ["192.0.2.9", "http://192.0.2.9:8080/", true],
    ["192.0.2.9:80", "http://192.0.2.9:8080/", false],
    ["2001:db8::/32", "http://[2001:db8::7]/", true],
    ["[2001:db8::7]:81", "http://[2001:db8::7]:81/", true],
    ["[2001:db8::7]:81", "http://[2001:db8::7]/", false]
  ])("NO_PROXY=%s for %s: %s", (entry, url, isExcepted) => {
    assert.isTrue(isException(entry))
    assert.strictEqual(proxyOf(url, ["none.example", entry]) === undefined, isExcepted)
  })

  it.each([
    "192.0.2.0/33",
    "http://feeds.example",
    "feeds.example/path",
    "a b",
    "",
    "feeds.example:x",
    "feeds.example:65536",
    "192.168.",
    "192.168.*",
    "10",
    "10.1:8080",
    "bücher.example",
    "."
  ])("NO_PROXY=%s cannot be read, or matches nothing", (entry) => {
    assert.isFalse(isException(entry))
  })
})

describe("startLine", () => {
  const secret = "http://user:secret@proxy.example:3128/"

  it("names the proxies without their passwords", () => {
    assert.strictEqual(
      Proxies.startLine({
        https: secret,
        http: "http://plain.example/",
        except: ["a.example", "10.0.0.0/8"]
      }),
      "Outgoing requests to https addresses go through proxy.example:3128 (HTTPS_PROXY), those to http addresses through plain.example (HTTP_PROXY); those to a.example, 10.0.0.0/8 through none (NO_PROXY)"
    )
    assert.isUndefined(Proxies.startLine({ ...Proxies.none, except: ["a.example"] }))
  })

  it("says which requests have no proxy", () => {
    assert.strictEqual(
      Proxies.startLine({ ...Proxies.none, http: secret }),
      "Outgoing requests to https addresses go through no proxy (HTTPS_PROXY is not set), those to http addresses through proxy.example:3128 (HTTP_PROXY)"
    )
    assert.strictEqual(
      Proxies.startLine({ ...Proxies.none, https: secret }),
      "Outgoing requests to https addresses go through proxy.example:3128 (HTTPS_PROXY), those to http addresses through no proxy (HTTP_PROXY is not set)"
    )
  })
})

describe("adviceFor", () => {
  it.each([
    ["PROXY_STATUS_407", "https:", "Does HTTPS_PROXY have the right user name and password?"],
    ["PROXY_STATUS_401", "http:", "Does HTTP_PROXY have the right user name and password?"],
    ["PROXY_STATUS_403", "https:", "Is HTTPS_PROXY right?"],
    ["PROXY_ECONNREFUSED", "http:", "Is HTTP_PROXY right?"],
    ["ECONNREFUSED", "https:", undefined],
    [undefined, "https:", undefined]
  ] as const)("%s of an address with %s", (code, protocol, advice) => {
    assert.strictEqual(Proxies.adviceFor(code, protocol), advice)
  })
})

const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const request = { method: "GET", headers: {}, maxBodyBytes: () => 1000 }

/** The bodies of requests through agents with these proxies, or the code of the error. */
const send = (proxies: ProxySettings, ...urls: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const agents = yield* HttpExchange.scopedAgents()
    return yield* Effect.forEach(urls, (url) =>
      HttpExchange.send(url, { ...request, agents }).pipe(
        Effect.map(({ body, status }) => `${status} ${Buffer.from(body)}`),
        Effect.merge,
        Effect.map((result) => (typeof result === "string" ? result : result.code))
      )
    )
  }).pipe(Effect.provideService(HttpExchange.OutboundProxies, proxies))

const through = ({ port }: ForwardProxy.ForwardProxy, credentials = "") => {
  const proxy = `http://${credentials}127.0.0.1:${port}/`
  return { https: proxy, http: proxy, except: [] }
}

/** A server whose name only the proxy can resolve. */
const publisher = Effect.map(FeedServer.make(), (server) => {
  server.serve("/list?key=1", FeedServer.document("a list"))
  return { server, url: `http://feeds.example:${server.url("/").port}/list?key=1` }
})

/** Accepts connections, and never answers a TLS handshake. */
const silentPort = Effect.gen(function* () {
  const server = createServer()
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => sockets.add(socket))
  return yield* Effect.acquireRelease(listeningPort(server), () =>
    Effect.sync(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
  )
})

describe("a request through a proxy", () => {
  it.scopedLive("for an http address has the whole address as its target", () =>
    Effect.gen(function* () {
      const { server, url } = yield* publisher
      const proxy = yield* ForwardProxy.make()
      assert.deepStrictEqual(yield* send(through(proxy), url, url), ["200 a list", "200 a list"])
      assert.deepStrictEqual(proxy.received, [`GET ${url}`, `GET ${url}`])
      assert.strictEqual(server.received[0]?.headers.host, new URL(url).host)
      assert.notProperty(server.received[0]?.headers, "proxy-authorization")
    })
  )

  it.scopedLive("sends the password of the proxy to the proxy, and that of the server to the server", () =>
    Effect.gen(function* () {
      const { server, url } = yield* publisher
      const proxy = yield* ForwardProxy.make({ credentials: "a user:p@ss" })
      const own = url.replace("feeds.example", "name:secret@feeds.example")
      assert.deepStrictEqual(yield* send(through(proxy, "a%20user:p%40ss@"), own), ["200 a list"])
      assert.deepStrictEqual(
        server.received.map(({ headers }) => headers.authorization),
        [`Basic ${Buffer.from("name:secret").toString("base64")}`]
      )
      assert.deepStrictEqual(proxy.received, [`GET ${url}`])
    })
  )

  it.scopedLive("without the password of the proxy has an error of the proxy, not of the server", () =>
    Effect.gen(function* () {
      const proxy = yield* ForwardProxy.make({ credentials: "user:password" })
      const { url } = yield* publisher
      assert.deepStrictEqual(yield* send(through(proxy), url, url.replace("http:", "https:")), [
        "PROXY_STATUS_407",
        "PROXY_STATUS_407"
      ])
    })
  )

  it.scopedLive.each([304, 302, 503])(
    "does not take a refusal with %i for the server's response",
    (connectStatus) =>
      Effect.gen(function* () {
        const proxy = yield* ForwardProxy.make({ connectStatus })
        assert.deepStrictEqual(yield* send(through(proxy), "https://feeds.example/"), [
          `PROXY_STATUS_${connectStatus}`
        ])
      })
  )

  it.scopedLive("names the proxy if that cannot be reached", () =>
    Effect.gen(function* () {
      const proxies = { https: "http://127.0.0.1:1/", http: "http://127.0.0.1:1/", except: [] }
      assert.deepStrictEqual(yield* send(proxies, "https://feeds.example/", "http://feeds.example/"), [
        "PROXY_ECONNREFUSED",
        "PROXY_ECONNREFUSED"
      ])
    })
  )

  it.scopedLive("has an error of the server if that closes the connection through the proxy", () =>
    Effect.gen(function* () {
      const proxy = yield* ForwardProxy.make({ closesRequests: true })
      assert.deepStrictEqual(yield* send(through(proxy), "http://feeds.example/"), ["ECONNRESET"])
    })
  )

  it.scopedLive.each(["http", "https"] as const)(
    "names the proxy if no connection to it opens in time, for an %s address",
    (scheme) =>
      Effect.gen(function* () {
        const proxy = `https://127.0.0.1:${yield* silentPort}/`
        const agents = HttpRequest.makeAgents({ keepAlive: false }, { https: proxy, http: proxy, except: [] })
        const error = yield* Effect.flip(
          Effect.tryPromise(() =>
            HttpRequest.send(`${scheme}://feeds.example/`, {
              agents,
              method: "GET",
              headers: {},
              body: undefined,
              connectTimeoutMs: 50,
              lookup: undefined
            })
          )
        )
        assert.propertyVal(error.error, "code", "PROXY_ECONNECTTIMEOUT")
      })
  )

  it.scopedLive("fails when the proxy does not open the tunnel in time", () =>
    Effect.gen(function* () {
      const proxy = yield* ForwardProxy.make({ connectStatus: 0 })
      const agents = HttpRequest.makeAgents({ keepAlive: false }, through(proxy))
      const error = yield* Effect.flip(
        Effect.tryPromise(() =>
          HttpRequest.send("https://feeds.example/", {
            agents,
            method: "GET",
            headers: {},
            body: undefined,
            connectTimeoutMs: 50,
            lookup: undefined
          })
        )
      )
      assert.propertyVal(error.error, "code", "ECONNECTTIMEOUT")
    })
  )

  it.scopedLive("is not sent through it for an exception", () =>
    Effect.gen(function* () {
      const { server } = yield* publisher
      const proxy = yield* ForwardProxy.make()
      const proxies = { ...through(proxy), except: ["127.0.0.1"] }
      assert.deepStrictEqual(yield* send(proxies, server.url("/list?key=1").href), ["200 a list"])
      assert.deepStrictEqual(proxy.received, [])
    })
  )

  it.scopedLive.skipIf(!Certificates.isInstalled)(
    "for an https address uses one tunnel for several, and checks the server's certificate",
    () =>
      Effect.gen(function* () {
        const { authority, valid } = yield* Certificates.make(folder)
        const server = yield* FeedServer.make(valid)
        server.serve("/list", FeedServer.document("a list"))
        const proxy = yield* ForwardProxy.make()
        const { port } = server.url("/")
        const agents = HttpRequest.makeAgents({ keepAlive: true }, through(proxy))
        const ask = (host: string) =>
          HttpExchange.send(`https://${host}:${port}/list`, { ...request, agents }).pipe(
            Effect.map(({ body }) => Buffer.from(body).toString()),
            Effect.either
          )
        const unknown = yield* ask("feeds.upstream.example")
        assert.deepStrictEqual(
          Either.mapLeft(unknown, ({ code }) => code),
          Either.left("UNABLE_TO_VERIFY_LEAF_SIGNATURE")
        )
        Object.assign(agents.tunnels?.options ?? {}, { ca: readFileSync(authority) })
        assert.deepStrictEqual(yield* ask("feeds.upstream.example"), Either.right("a list"))
        assert.deepStrictEqual(yield* ask("feeds.upstream.example"), Either.right("a list"))
        assert.deepStrictEqual(yield* ask("192.0.2.7"), Either.right("a list"))
        for (const host of ["feeds.other.example", "192.0.2.8"]) {
          const wrong = Either.mapLeft(yield* ask(host), ({ code }) => code)
          assert.deepStrictEqual(wrong, Either.left("ERR_TLS_CERT_ALTNAME_INVALID"), host)
        }
        assert.deepStrictEqual(
          proxy.received,
          [
            "feeds.upstream.example",
            "feeds.upstream.example",
            "192.0.2.7",
            "feeds.other.example",
            "192.0.2.8"
          ].map((host) => `CONNECT ${host}:${port}`)
        )
        HttpRequest.destroyAgents(agents)
      })
  )

  it.scopedLive.skipIf(!Certificates.isInstalled)(
    "expects the certificate of an https proxy for the proxy's name, not for the server's",
    () =>
      Effect.gen(function* () {
        const { valid } = yield* Certificates.make(folder)
        const names: Array<string> = []
        const server = createSecureServer({
          ...valid,
          SNICallback: (name, answer) => {
            names.push(name)
            answer(null)
          }
        })
        const port = yield* Effect.acquireRelease(listeningPort(server), () =>
          Effect.sync(() => server.close())
        )
        const proxy = `https://localhost:${port}/`
        const proxies = { https: proxy, http: proxy, except: [] }
        assert.deepStrictEqual(yield* send(proxies, "https://feeds.example/", "http://feeds.example/"), [
          "PROXY_UNABLE_TO_VERIFY_LEAF_SIGNATURE",
          "PROXY_UNABLE_TO_VERIFY_LEAF_SIGNATURE"
        ])
        assert.deepStrictEqual(names, ["localhost", "localhost"])
      })
  )

  it.scopedLive("is what the client for third parties sends", () =>
    Effect.gen(function* () {
      const { url } = yield* publisher
      const proxy = yield* ForwardProxy.make()
      const get = Effect.flatMap(HttpGet, ({ get }) => get({ url, headers: {}, maxBodyBytes: () => 100 }))
      const { status } = yield* get.pipe(
        Effect.provide(HttpGet.layer),
        Effect.provideService(HttpExchange.OutboundProxies, through(proxy))
      )
      assert.deepStrictEqual([status, ...proxy.received], [200, `GET ${url}`])
    })
  )
})
