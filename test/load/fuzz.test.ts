import * as Http from "node:http"
import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { random } from "../../training/Random.ts"
import * as CheckInProcess from "../fixtures/CheckInProcess.ts"
import * as HostileInputs from "../fixtures/HostileInputs.ts"
import * as LoadedService from "../fixtures/LoadedService.ts"
import { nextTurn } from "../fixtures/NextTurn.ts"

const COUNT = Number(process.env.COUNT ?? 1_000_000)
const SEED = Number(process.env.SEED ?? 1)

/** Of all inputs, how many are sent over sockets too; and of those, how many as spoilt HTTP. */
const OVER_SOCKETS = Math.ceil(COUNT / 50)
const AS_SPOILT_HTTP = Math.ceil(OVER_SOCKETS / 4)

/** MB by which memory may end above what it was after a tenth, of which the cache of the reputation lookup takes 12. */
const MOST_GROWTH = 20

/** The slowest at first sight, of which most were held up by others; and how often each is tried again for its own time. */
const SUSPECTS = 60
const TRIES = 5

const take = function* <A>(items: Iterable<A>, count: number) {
  let taken = 0
  for (const item of items) {
    if (taken++ === count) return
    yield item
  }
}

const inputs = function* (seed: number) {
  yield* HostileInputs.chosen()
  yield* HostileInputs.drawn(seed)
}

const heap = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}

const millisSince = (start: bigint) => Number(process.hrtime.bigint() - start) / 1e6

const told = (statuses: ReadonlyMap<number | string, number>) => JSON.stringify(Object.fromEntries(statuses))

const count = <A>(counts: Map<A, number>, item: A) => counts.set(item, (counts.get(item) ?? 0) + 1)

describe("hostile bodies and URLs", () => {
  it.scopedLive(`are answered by the contract, ${COUNT.toLocaleString("en")} in process`, () =>
    Effect.gen(function* () {
      const check = yield* CheckInProcess.make
      let suspects: ReadonlyArray<HostileInputs.HostileInput & { readonly millis: number }> = []
      const statuses = new Map<number, number>()
      const wrong: Array<string> = []
      const memory: Array<number> = []
      let done = 0
      const began = Date.now()
      const look = () => {
        memory.push(heap())
        const seconds = Math.round((Date.now() - began) / 1000)
        console.log(`  ${done.toLocaleString("en")} after ${seconds} s, heap ${memory.at(-1)?.toFixed(1)} MB`)
      }
      for (const { kind, body } of take(inputs(SEED), COUNT)) {
        if (done++ % Math.ceil(COUNT / 10) === 0) look()
        // As sockets do: else all is one turn of the event loop, and too much for one.
        yield* nextTurn
        const start = process.hrtime.bigint()
        const answer = yield* check(body)
        const millis = millisSince(start)
        count(statuses, answer.status)
        const violation = CheckInProcess.violation(body, answer)
        if (violation !== undefined && wrong.length < 10)
          wrong.push(`${kind}, ${violation}: ${body.subarray(0, 150).toString("latin1")}`)
        if (suspects.length < SUSPECTS || millis > (suspects.at(-1)?.millis ?? 0))
          suspects = [...suspects, { kind, body, millis }]
            .sort((a, b) => b.millis - a.millis)
            .slice(0, SUSPECTS)
      }
      look()
      assert.deepStrictEqual(wrong, [])

      const slowest: Array<string> = []
      for (const { kind, body } of suspects) {
        const times: Array<number> = []
        for (let tried = 0; tried < TRIES; tried++) {
          yield* nextTurn
          const start = process.hrtime.bigint()
          yield* check(body)
          times.push(millisSince(start))
        }
        slowest.push(
          `${Math.min(...times)
            .toFixed(2)
            .padStart(8)} ms, ${body.length} bytes: ${kind}`
        )
      }
      console.log("  the slowest of them, least of five times:")
      for (const line of slowest.sort().toReversed().slice(0, 10)) console.log(`  ${line}`)
      console.log(
        `RESULT ${done} in process, seed ${SEED}: answers ${told(statuses)}, none outside the contract`
      )
      assert.isBelow(heap() - (memory[1] ?? 0), MOST_GROWTH, "MB of growth")
    })
  )

  it.scopedLive(`are answered by the contract, ${OVER_SOCKETS.toLocaleString("en")} over sockets`, () =>
    Effect.gen(function* () {
      const service = yield* LoadedService.make()
      const agent = new Http.Agent({ keepAlive: true, maxSockets: 16 })
      const statuses = new Map<number | string, number>()
      const wrong: Array<string> = []
      const post = (body: Buffer) =>
        new Promise<void>((resolve) => {
          const headers = { "content-type": "application/json", "content-length": body.length }
          const path = "/api/check"
          const request = Http.request(
            { port: service.port, method: "POST", path, headers, agent },
            (response) => {
              const pieces: Array<Buffer> = []
              response.on("data", (piece: Buffer) => pieces.push(piece))
              response.on("end", () => {
                const status = response.statusCode ?? 0
                count(statuses, status)
                const answer = {
                  status,
                  headers: response.headers as Record<string, string>,
                  body: Buffer.concat(pieces).toString()
                }
                const violation = CheckInProcess.violation(body, answer)
                if (violation !== undefined)
                  wrong.push(`${violation}: ${body.subarray(0, 150).toString("latin1")}`)
                resolve()
              })
            }
          )
          request.on("error", (error) => {
            wrong.push(String(error))
            resolve()
          })
          request.end(body)
        })
      const next = random(SEED)
      const below = (end: number) => Math.floor(next() * end)
      const spoilt = (body: Buffer): Buffer => {
        const head = `POST /api/check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
        const bytes = Buffer.concat([Buffer.from(head), body])
        for (let times = 1 + below(3); times > 0; times--) bytes[below(head.length)] = below(256)
        return bytes
      }
      /** What is no HTTP is answered by the server itself, or not at all. */
      const write = (bytes: Buffer) =>
        new Promise<void>((resolve) => {
          const socket = Net.connect(service.port, "127.0.0.1", () => socket.end(bytes))
          let text = ""
          socket.on("data", (piece) => {
            text += piece.toString("latin1")
          })
          socket.on("error", () => undefined)
          socket.on("close", () => {
            const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? "no answer"
            count(statuses, `spoilt HTTP: ${status}`)
            if (!/^(200|204|400|404|405|408|413|417|431|no answer)$/.test(status))
              wrong.push(`${status}: ${bytes.subarray(0, 300).toString("latin1")}`)
            resolve()
          })
        })
      const source = HostileInputs.drawn(SEED + 1)
      const before = yield* service.memory
      const first = [...take(HostileInputs.chosen(), OVER_SOCKETS)]
      let sent = 0
      let after = before
      yield* Effect.forEach(
        Array.from({ length: 16 }),
        () =>
          Effect.promise(async () => {
            for (; sent < OVER_SOCKETS; ) {
              const body = first[sent++]?.body ?? source.next().value?.body ?? Buffer.alloc(0)
              await (sent % 4 === 0 && sent / 4 <= AS_SPOILT_HTTP ? write(spoilt(body)) : post(body))
            }
          }),
        { concurrency: "unbounded" }
      )
      agent.destroy()
      after = yield* service.memory
      assert.deepStrictEqual(wrong.slice(0, 10), [], service.output())
      assert.notInclude(service.output(), '"logLevel":"ERROR"')
      const [from, to] = [before.heap.toFixed(1), after.heap.toFixed(1)]
      console.log(`RESULT ${sent} over sockets: answers ${told(statuses)}; heap ${from} to ${to} MB`)
      assert.isBelow(after.heap - before.heap, MOST_GROWTH, "MB of growth")
    })
  )
})
