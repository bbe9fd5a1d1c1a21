import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Connections from "../../../src/Layers/Server/Connections.ts"
import { mainLimits } from "../../../src/Layers/Server.ts"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"
import { turnsUntil } from "../../fixtures/NextTurn.ts"
import { send } from "../../fixtures/Request.ts"
import { portsUnderTest } from "../../fixtures/ServiceUnderTest.ts"

const { POSITIVE_INFINITY } = Number

describe("the limits of the main port", () => {
  const noAdminPort = Option.none<number>()
  for (const [rule, config, limits] of [
    [
      "keep 64 connections for peers on loopback",
      { adminPort: noAdminPort, trustedProxies: 0, maxConnectionsPerAddress: 256 },
      { max: 4096, perAddress: 256, remote: 4032 }
    ],
    [
      "leave 64 connections to ADMIN_PORT",
      { adminPort: Option.some(0), trustedProxies: 0, maxConnectionsPerAddress: 256 },
      { max: 4032, perAddress: 256, remote: 4032 }
    ],
    [
      "do not depend on the address behind a proxy",
      { adminPort: noAdminPort, trustedProxies: 1, maxConnectionsPerAddress: 256 },
      { max: 4096, perAddress: POSITIVE_INFINITY, remote: POSITIVE_INFINITY }
    ],
    [
      "leave 64 connections to ADMIN_PORT behind a proxy too",
      { adminPort: Option.some(0), trustedProxies: 1, maxConnectionsPerAddress: 256 },
      { max: 4032, perAddress: POSITIVE_INFINITY, remote: POSITIVE_INFINITY }
    ],
    [
      "have none for an address with MAX_CONNECTIONS_PER_ADDRESS=0",
      { adminPort: noAdminPort, trustedProxies: 0, maxConnectionsPerAddress: 0 },
      { max: 4096, perAddress: POSITIVE_INFINITY, remote: 4032 }
    ]
  ] as const)
    it(rule, () => assert.deepStrictEqual(mainLimits(config), limits))
})

/** A connection that stays open after the response to its request. */
const idle = (port: number, localAddress: string) =>
  Effect.acquireRelease(
    Effect.async<Net.Socket>((resume) => {
      const socket = Net.connect({ port, host: "127.0.0.1", localAddress })
      socket.write("GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
      socket.once("data", () => resume(Effect.succeed(socket)))
      socket.on("error", () => undefined)
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("ADMIN_PORT with all of its connections", () => {
  it.scoped("closes the oldest idle one for the next one, and counts it", () =>
    Effect.gen(function* () {
      const ports = yield* portsUnderTest({ env: { ADMIN_PORT: "0" } })
      const port = Option.getOrThrow(ports.adminPort)
      const open = yield* Effect.forEach(
        Array.from({ length: Connections.RESERVED_CONNECTIONS }, (_, index) => index),
        (index) => idle(port, `127.0.0.${1 + (index % 8)}`)
      )
      yield* idle(port, "127.0.0.9")
      yield* turnsUntil("a connection is closed", () => open.some(({ closed }) => closed))
      assert.deepStrictEqual(
        open.map(({ closed }) => closed),
        open.map((_, index) => index === 0)
      )
      const { body } = yield* send(port, { method: "GET", path: "/metrics" })
      // The second is closed for this request.
      assert.match(body, /^threat_scoring_connections_closed_total\{reason="full"\} 2$/m)
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("answers probes of any address while 70 clients connect again and again, and send nothing", () =>
    Effect.gen(function* () {
      const ports = yield* portsUnderTest({ env: { ADMIN_PORT: "0" } })
      const port = Option.getOrThrow(ports.adminPort)
      let opened = 0
      let isOver = false
      const open = (localAddress: string) => {
        opened++
        const socket = Net.connect({ port, host: "127.0.0.1", localAddress }).on("error", () => undefined)
        socket.on("close", () => isOver || setImmediate(open, localAddress))
        return socket
      }
      const first = Array.from({ length: 70 }, () => open("127.0.0.1"))
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          isOver = true
          for (const socket of first) socket.destroy()
        })
      )
      yield* turnsUntil("they connect again", () => opened > 100)
      for (let probes = 0; probes < 24; probes++)
        assert.strictEqual((yield* send(port, { method: "GET", path: "/health/live" })).status, 200)
    })
  )

  it.scoped("lets one address have 48 of them", () =>
    Effect.gen(function* () {
      const ports = yield* portsUnderTest({ env: { ADMIN_PORT: "0" } })
      const port = Option.getOrThrow(ports.adminPort)
      const other = yield* idle(port, "127.0.0.2")
      const open = yield* Effect.replicateEffect(idle(port, "127.0.0.1"), 49)
      yield* turnsUntil("a connection is closed", () => open.some(({ closed }) => closed))
      assert.deepStrictEqual(
        [other, ...open].map(({ closed }) => closed),
        [false, true, ...open.slice(1).map(() => false)]
      )
    })
  )
})
