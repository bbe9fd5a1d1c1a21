import * as Net from "node:net"
import { networkInterfaces } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { MAX_CONNECTIONS } from "../../src/Layers/AppConfig.ts"
import type * as Connections from "../../src/Layers/Server/Connections.ts"
import * as LoadedService from "../fixtures/LoadedService.ts"
import { postJson, send } from "../fixtures/Request.ts"
import { untilTrue } from "../fixtures/Until.ts"

/** More than all places. */
const CONNECTIONS = Number(process.env.COUNT ?? 4200)

/** The default timeout of a probe of Kubernetes. */
const PROBE_TIMEOUT_MS = 1000

/** Connections that are opened before the next ones are. */
const AT_ONCE = 100

const HALF_A_HEAD = "GET /health/live HTTP/1.1\r\nHost: a\r\n"

/** An address of this machine that is not loopback. */
const remoteAddress = Option.fromNullable(
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address !== undefined && !address.internal && address.family === "IPv4")?.address
)

/** Opens connections with half a head in turn from these addresses, until the scope closes. */
const flood = (port: number, host: string, addresses: ReadonlyArray<string>, count = CONNECTIONS) =>
  Effect.gen(function* () {
    let refused = 0
    const sockets: Array<Net.Socket> = []
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      })
    )
    yield* Effect.forEach(
      Array.from({ length: count }, (_, index) => index),
      (index) =>
        Effect.async<void>((resume) => {
          const localAddress = addresses[index % addresses.length]
          const socket = Net.connect(
            { port, host, ...(localAddress !== undefined && { localAddress }) },
            () => {
              socket.write(HALF_A_HEAD)
              resume(Effect.void)
            }
          )
          sockets.push(socket)
          socket.on("error", () => undefined)
          socket.on("close", () => {
            refused++
            resume(Effect.void)
          })
        }),
      { concurrency: AT_ONCE, discard: true }
    )
    return { open: () => count - refused }
  })

/** A service with ADMIN_PORT, and that port. */
const withAdminPort = Effect.gen(function* () {
  const service = yield* LoadedService.make({ ADMIN_PORT: "0", LOG_LEVEL: "info" })
  const adminPortIn = () => /"adminPort":(\d+)/.exec(service.output())?.[1]
  yield* untilTrue(() => adminPortIn() !== undefined)
  return { service, adminPort: Number(adminPortIn()) }
})

/**
 * Keeps 70 connections open that send nothing, each of which is opened again when it is closed, until the scope closes. That of
 * the probes is one of the addresses.
 */
const silence = (port: number, addresses: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const sockets = new Set<Net.Socket>()
      let isOver = false
      const open = (localAddress: string) => {
        if (isOver) return
        const socket = Net.connect({ port, host: "127.0.0.1", localAddress })
        sockets.add(socket)
        socket.on("error", () => undefined)
        socket.on("close", () => {
          sockets.delete(socket)
          setTimeout(open, 5, localAddress)
        })
      }
      for (let index = 0; index < 70; index++) open(`127.0.0.${1 + (index % addresses)}`)
      return () => {
        isOver = true
        for (const socket of sockets) socket.destroy()
      }
    }),
    (end) => Effect.sync(end)
  )

/** The slowest of some probes of a path, each on a new connection from 127.0.0.1. All must be 200. */
const probe = (port: number, path = "/health/live") =>
  Effect.gen(function* () {
    let slowest = 0
    for (let probes = 0; probes < 10; probes++) {
      const [took, { status }] = yield* Effect.timed(send(port, { method: "GET", path }))
      assert.strictEqual(status, 200)
      slowest = Math.max(slowest, Duration.toMillis(took))
    }
    return Math.round(slowest)
  })

const closedFor = (port: number, reason: Connections.Reason) =>
  Effect.map(send(port, { method: "GET", path: "/metrics" }), ({ body }) =>
    Number(
      new RegExp(`^threat_scoring_connections_closed_total\\{reason="${reason}"\\} (\\d+)`, "m").exec(
        body
      )?.[1]
    )
  )

describe(`${CONNECTIONS.toLocaleString("en")} half-sent requests`, () => {
  it.scopedLive("of one address do not stop others, nor whole requests of that address", () =>
    Effect.gen(function* () {
      const service = yield* LoadedService.make()
      const { open } = yield* flood(service.port, "127.0.0.1", ["127.0.0.2"])
      const slowest = yield* probe(service.port)
      assert.isAtMost(open(), 256)
      assert.strictEqual((yield* postJson(service.port, { url: "https://example.com/" })).status, 200)
      const same = yield* Effect.async<string>((resume) => {
        const socket = Net.connect({ port: service.port, host: "127.0.0.1", localAddress: "127.0.0.2" }, () =>
          socket.write(`${HALF_A_HEAD}\r\n`)
        )
        socket.once("data", (data) => resume(Effect.succeed(data.toString("latin1"))))
        socket.once("close", () => resume(Effect.succeed("closed")))
      })
      assert.match(same, /^HTTP\/1\.1 200 /)
      const closed = yield* closedFor(service.port, "address")
      console.log(
        `RESULT ${CONNECTIONS} half-sent requests of one address: ${open()} open, ${closed} closed, probes within ${slowest} ms`
      )
      assert.isAtLeast(closed, CONNECTIONS - 256)
      assert.isBelow(slowest, PROBE_TIMEOUT_MS)
    })
  )

  it.scopedLive("of many addresses do not stop probes of ADMIN_PORT", () =>
    Effect.gen(function* () {
      const { adminPort, service } = yield* withAdminPort
      const addresses = Array.from({ length: 20 }, (_, index) => `127.0.0.${2 + index}`)
      const { open } = yield* flood(service.port, "127.0.0.1", addresses)
      const slowest = Math.max(yield* probe(adminPort), yield* probe(adminPort, "/health/ready"))
      // Connections of the main port wait to be accepted, unlike those of the probes.
      yield* untilTrue(() => open() <= MAX_CONNECTIONS)
      const closed = yield* closedFor(adminPort, "full")
      console.log(
        `RESULT ${CONNECTIONS} half-sent requests of ${addresses.length} addresses: ${open()} open, ${closed} closed, probes of ADMIN_PORT within ${slowest} ms`
      )
      assert.isAtLeast(closed, CONNECTIONS - MAX_CONNECTIONS)
      assert.isBelow(slowest, PROBE_TIMEOUT_MS)
    })
  )

  it.scopedLive.skipIf(Option.isNone(remoteAddress))(
    "of other machines do not stop probes on loopback without ADMIN_PORT",
    () =>
      Effect.gen(function* () {
        const host = Option.getOrThrow(remoteAddress)
        const service = yield* LoadedService.make({ HOST: "0.0.0.0", MAX_CONNECTIONS_PER_ADDRESS: "0" })
        const { open } = yield* flood(service.port, host, [host])
        const slowest = yield* probe(service.port)
        const closed = yield* closedFor(service.port, "full")
        console.log(
          `RESULT ${CONNECTIONS} half-sent requests of ${host}: ${open()} open, ${closed} closed, probes on loopback within ${slowest} ms`
        )
        assert.isAtLeast(closed, CONNECTIONS - MAX_CONNECTIONS)
        assert.isBelow(slowest, PROBE_TIMEOUT_MS)
      })
  )
})

describe("70 connections to ADMIN_PORT that send nothing", () => {
  for (const count of [1, 10])
    it.scopedLive(`of ${count} ${count === 1 ? "address" : "addresses"} do not stop probes`, () =>
      Effect.gen(function* () {
        const { adminPort } = yield* withAdminPort
        yield* silence(adminPort, count)
        yield* Effect.sleep("1 second")
        const slowest = Math.max(yield* probe(adminPort), yield* probe(adminPort))
        console.log(
          `RESULT 70 silent connections of ${count} to ADMIN_PORT: 20 of 20 probes within ${slowest} ms`
        )
        assert.isBelow(slowest, PROBE_TIMEOUT_MS)
      })
    )
})
