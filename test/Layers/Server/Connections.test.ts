import { IncomingMessage, ServerResponse } from "node:http"
import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as Connections from "../../../src/Layers/Server/Connections.ts"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"
import { turnsUntil } from "../../fixtures/NextTurn.ts"
import { send } from "../../fixtures/Request.ts"
import { serviceUnderTest } from "../../fixtures/ServiceUnderTest.ts"

/** A limit, and what it closed. Peers have invented addresses. */
const limitOf = (limits: Partial<Connections.ConnectionLimits>) => {
  const reasons: Array<Connections.Reason> = []
  const { POSITIVE_INFINITY } = Number
  const limit = Connections.make(
    { max: POSITIVE_INFINITY, perAddress: POSITIVE_INFINITY, remote: POSITIVE_INFINITY, ...limits },
    (reason) => reasons.push(reason)
  )
  const peer = (remoteAddress: string) =>
    Object.defineProperty(new Net.Socket(), "remoteAddress", { value: remoteAddress })
  return {
    ...limit,
    reasons,
    /** A new connection. */
    from: (address: string) => {
      const socket = peer(address)
      limit.admit(socket)
      return socket
    },
    /** The head of a request on the connection; `complete`: its body too. */
    request: (socket: Net.Socket, complete: boolean) => {
      const request = new IncomingMessage(socket)
      request.complete = complete
      const response = new ServerResponse(request)
      // The first response on a connection has it.
      if (Reflect.get(socket, "_httpMessage") == null) response.assignSocket(socket)
      const isAdmitted = limit.admitPipelined(request, response)
      return { request, response, isAdmitted }
    }
  }
}

const destroyed = (sockets: ReadonlyArray<Net.Socket>) => sockets.map((socket) => socket.destroyed)

describe("Connections", () => {
  it("closes the oldest connection of an address at its limit, not one of another address", () => {
    const { from, reasons } = limitOf({ perAddress: 2 })
    const sockets = [from("192.0.2.2"), from("192.0.2.1"), from("192.0.2.1"), from("192.0.2.1")]
    assert.deepStrictEqual(destroyed(sockets), [false, true, false, false])
    assert.deepStrictEqual(reasons, ["address"])
  })

  it("counts addresses as the rate limit does", () => {
    const { from } = limitOf({ perAddress: 1 })
    const ofNetwork = [from("2001:db8:1:2::1"), from("2001:db8:1:2::2"), from("2001:db8:1:3::1")]
    assert.deepStrictEqual(destroyed(ofNetwork), [true, false, false])
    const mapped = [from("198.51.100.1"), from("::ffff:198.51.100.1")]
    assert.deepStrictEqual(destroyed(mapped), [true, false])
  })

  it("spares connections with a whole request, and closes the new one if each has one", () => {
    const { from, reasons, request } = limitOf({ perAddress: 2 })
    const [whole, partial] = [from("192.0.2.1"), from("192.0.2.1")]
    request(whole, true)
    request(partial, false)
    const second = from("192.0.2.1")
    assert.deepStrictEqual(destroyed([whole, partial, second]), [false, true, false])
    request(second, true)
    const third = from("192.0.2.1")
    assert.deepStrictEqual(destroyed([whole, second, third]), [false, false, true])
    assert.deepStrictEqual(reasons, ["address", "address"])
  })

  it("spares a connection whose second request waits behind a whole one", () => {
    const { from, request } = limitOf({ perAddress: 1 })
    const pipelined = from("192.0.2.1")
    const { response } = request(pipelined, false)
    response.detachSocket(pipelined)
    assert.deepStrictEqual(destroyed([from("192.0.2.1"), pipelined]), [true, false])
  })

  it("closes the connection that was idle for longest", () => {
    const { end, from, request } = limitOf({ perAddress: 2 })
    const [first, second] = [from("192.0.2.1"), from("192.0.2.1")]
    end(request(first, true).response)
    from("192.0.2.1")
    assert.deepStrictEqual(destroyed([first, second]), [false, true])
  })

  it("admits so many pipelined requests of all connections, and frees the places of those that are over", () => {
    const { end, from, request } = limitOf({})
    const { MAX_PIPELINED, MAX_PIPELINED_OF_PORT } = Connections
    const full = Array.from({ length: MAX_PIPELINED_OF_PORT / MAX_PIPELINED }, () => {
      const socket = from("192.0.2.1")
      const requests = Array.from({ length: 1 + MAX_PIPELINED }, () => request(socket, true))
      return { socket, requests }
    })
    assert.isTrue(full.every(({ requests }) => requests.every(({ isAdmitted }) => isAdmitted)))
    const [first, second] = full
    const late = from("192.0.2.2")
    const isAdmitted = () => request(late, true).isAdmitted
    assert.deepStrictEqual([isAdmitted(), isAdmitted()], [true, false])
    for (const { response } of first?.requests.slice(0, 1) ?? []) end(response)
    assert.deepStrictEqual([isAdmitted(), isAdmitted()], [true, false])
    second?.socket.emit("close")
    assert.strictEqual(
      Array.from({ length: MAX_PIPELINED + 1 }, isAdmitted).filter(Boolean).length,
      MAX_PIPELINED - 1
    )
    assert.deepStrictEqual(
      Array.from({ length: 2 }, () => request(from("192.0.2.3"), true).isAdmitted),
      [true, true]
    )
  })

  it("frees the place of a connection that has closed", () => {
    const { from, reasons } = limitOf({ perAddress: 1, remote: 1 })
    from("192.0.2.1").emit("close")
    assert.isFalse(from("192.0.2.1").destroyed)
    assert.deepStrictEqual(reasons, [])
  })

  it("keeps the reserved places for peers on loopback", () => {
    const { from, reasons } = limitOf({ remote: 2 })
    const local = [from("127.0.0.1"), from("127.9.9.9"), from("::1"), from("::ffff:127.0.0.1")]
    const remote = [from("192.0.2.1"), from("2001:db8::1"), from("192.0.2.3")]
    assert.deepStrictEqual(destroyed(remote), [true, false, false])
    assert.deepStrictEqual(destroyed(local), [false, false, false, false])
    assert.deepStrictEqual(reasons, ["full"])
  })

  it("closes the least recently used connection of a full port, of whichever address", () => {
    const { from, reasons, request } = limitOf({ max: 3 })
    const [busy, partial, silent] = [from("192.0.2.1"), from("192.0.2.2"), from("127.0.0.1")]
    request(busy, true)
    request(partial, false)
    const next = from("192.0.2.3")
    assert.deepStrictEqual(destroyed([busy, partial, silent, next]), [false, false, true, false])
    const last = from("192.0.2.4")
    assert.deepStrictEqual(destroyed([busy, partial, next, last]), [false, true, false, false])
    assert.deepStrictEqual(reasons, ["full", "full"])
    // The places of the closed connections are free once.
    for (const closed of [silent, partial]) closed.emit("close")
    from("192.0.2.5")
    assert.deepStrictEqual(destroyed([busy, next, last]), [false, true, false])
  })

  it("closes a connection whose client does not read its responses rather than the new one", () => {
    const { from, reasons, request } = limitOf({ max: 2 })
    const [working, unread] = [from("192.0.2.1"), from("192.0.2.2")]
    request(working, true)
    request(unread, true).response.writeHead(200)
    const next = from("192.0.2.3")
    assert.deepStrictEqual(destroyed([working, unread, next]), [false, true, false])
    request(next, true)
    assert.deepStrictEqual(destroyed([from("192.0.2.4"), working, next]), [true, false, false])
    assert.deepStrictEqual(reasons, ["full", "full"])
  })
})

const HALF_A_HEAD = "GET /health/live HTTP/1.1\r\nHost: a\r\n"
const BODY = '{"url":"x"}'
const POST = `POST /api/check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`

interface Client {
  readonly socket: Net.Socket
  /** Everything received. */
  readonly text: () => string
  readonly isClosed: () => boolean
}

/** A connection that has sent this. */
const connect = (port: number, text: string, localAddress: string) =>
  Effect.acquireRelease(
    Effect.async<Client>((resume) => {
      let received = ""
      let isClosed = false
      const socket = Net.connect({ port, host: "127.0.0.1", localAddress }, () =>
        socket.write(text, () =>
          resume(Effect.succeed({ socket, text: () => received, isClosed: () => isClosed }))
        )
      )
      socket.on("data", (piece) => {
        received += piece.toString("latin1")
      })
      socket.on("error", () => undefined)
      socket.on("close", () => {
        isClosed = true
      })
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

describe("MAX_CONNECTIONS_PER_ADDRESS", () => {
  it.scoped("lets half-sent requests of one address block nobody, and counts what was closed", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ env: { MAX_CONNECTIONS_PER_ADDRESS: "3" } })
      const slow: Array<Client> = []
      for (let opened = 0; opened < 10; opened++) slow.push(yield* connect(port, HALF_A_HEAD, "127.0.0.2"))
      yield* turnsUntil(
        "seven connections are closed",
        () => slow.filter(({ isClosed }) => isClosed()).length === 7
      )
      assert.deepStrictEqual(
        slow.map(({ isClosed }) => isClosed()),
        [...Array.from({ length: 7 }, () => true), false, false, false]
      )
      const { body, status } = yield* send(port, { method: "GET", path: "/metrics" })
      assert.strictEqual(status, 200)
      assert.match(body, /^threat_scoring_connections_closed_total\{reason="address"\} 7$/m)
      assert.match(body, /^threat_scoring_connections_closed_total\{reason="full"\} 0$/m)
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("closes the new connection when each of the address has a whole request", () =>
    Effect.gen(function* () {
      const release = yield* Deferred.make<void>()
      let waiting = 0
      const port = yield* serviceUnderTest({
        checkers: {
          checkAll: () => {
            waiting++
            return Effect.as(Deferred.await(release), [])
          }
        },
        env: { MAX_CONNECTIONS_PER_ADDRESS: "2" }
      })
      const busy = [
        yield* connect(port, POST + BODY, "127.0.0.2"),
        yield* connect(port, POST + BODY, "127.0.0.2")
      ]
      yield* turnsUntil("two checks have started", () => waiting === 2)
      const late = yield* connect(port, POST + BODY, "127.0.0.2")
      yield* turnsUntil("the late connection is closed", late.isClosed)
      const other = yield* connect(port, POST + BODY, "127.0.0.3")
      yield* turnsUntil("three checks have started", () => waiting === 3)
      yield* Deferred.succeed(release, undefined)
      for (const { text } of [...busy, other])
        yield* turnsUntil("the client has a response with 200", () => text().startsWith("HTTP/1.1 200 "))
      assert.strictEqual(late.text(), "")
    })
  )

  for (const [rule, env] of [
    ["is off with 0", { MAX_CONNECTIONS_PER_ADDRESS: "0" }],
    ["is off behind a trusted proxy", { MAX_CONNECTIONS_PER_ADDRESS: "3", TRUSTED_PROXIES: "1" }]
  ] as const)
    it.scoped(rule, () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest({ env })
        const clients = yield* Effect.forEach(Array.from({ length: 10 }), () =>
          connect(port, HALF_A_HEAD, "127.0.0.2")
        )
        for (const { socket } of clients) socket.write("\r\n")
        for (const { text } of clients)
          yield* turnsUntil("the client has a response with 200", () => text().startsWith("HTTP/1.1 200 "))
      })
    )
})
