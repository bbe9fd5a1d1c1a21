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
const idle = (port: number) =>
  Effect.acquireRelease(
    Effect.async<Net.Socket>((resume) => {
      const socket = Net.connect(port, "127.0.0.1")
      socket.write("GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
      socket.once("data", () => resume(Effect.succeed(socket)))
      socket.on("error", () => undefined)
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("a port with all of its connections", () => {
  it.scoped("closes the next one, counts it, and closes idle ones so that later ones are accepted", () =>
    Effect.gen(function* () {
      const ports = yield* portsUnderTest({ env: { ADMIN_PORT: "0" } })
      const port = Option.getOrThrow(ports.adminPort)
      const open = yield* Effect.replicateEffect(idle(port), Connections.RESERVED_CONNECTIONS)
      const next = Net.connect(port, "127.0.0.1").on("error", () => undefined)
      yield* turnsUntil("all connections are closed", () => next.closed && open.every(({ closed }) => closed))
      const { body } = yield* send(port, { method: "GET", path: "/metrics" })
      assert.match(body, /^threat_scoring_connections_closed_total\{reason="full"\} 1$/m)
    }).pipe(Effect.provide(Metrics.layer))
  )
})
