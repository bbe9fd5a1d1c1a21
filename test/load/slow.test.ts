import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Load from "../fixtures/Load.ts"
import * as LoadedService from "../fixtures/LoadedService.ts"
import { untilTrue } from "../fixtures/Until.ts"

const CONNECTIONS = Number(process.env.COUNT ?? 2000)

const head = "POST /api/check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"

/** The document of the contract, again and again, which nobody takes: more than any buffer of the system holds. */
const MANY = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(400)

interface Kind {
  readonly name: string
  readonly first: string
  /** A byte a second after that, or nothing more. */
  readonly drip?: string
  readonly reads: boolean
  /** Seconds after which it is closed, by NodeServer's limits; a machine under load may take some more. */
  readonly limit: number
}

const kinds: ReadonlyArray<Kind> = [
  { name: "say nothing", first: "", reads: true, limit: 10 },
  { name: "send a byte of a header a second", first: `${head}X-A: `, drip: "a", reads: true, limit: 10 },
  {
    name: "send a byte of a body a second",
    first: `${head}Content-Length: 60000\r\n\r\n{`,
    drip: " ",
    reads: true,
    limit: 20
  },
  { name: "never read an answer", first: MANY, reads: false, limit: 30 }
]

const SLACK = 15

/** After how many seconds the service closed it. */
const connect = (port: number, { first, drip, reads }: Kind) =>
  Effect.async<number>((resume) => {
    const began = performance.now()
    const socket = Net.connect(port, "127.0.0.1", () => {
      if (first !== "") socket.write(first)
    })
    if (reads) socket.resume()
    else socket.pause()
    const timer = setInterval(() => {
      // Who does not read learns of the end only by writing.
      if (drip !== undefined || !reads) socket.write(drip ?? "\r\n")
    }, 1000)
    socket.on("error", () => undefined)
    socket.on("close", () => {
      clearInterval(timer)
      resume(Effect.succeed((performance.now() - began) / 1000))
    })
    return Effect.sync(() => {
      clearInterval(timer)
      socket.destroy()
    })
  })

describe("slow clients", () => {
  it.scopedLive(`do not stop others, and are closed: ${CONNECTIONS.toLocaleString("en")} of them`, () =>
    Effect.gen(function* () {
      const service = yield* LoadedService.make()
      const normal = (seconds: number) =>
        Load.run({
          port: service.port,
          connections: 4,
          urls: ["https://example.com/"],
          length: { seconds },
          perSecond: 100
        })
      yield* normal(3)
      const before = yield* normal(5)
      const handles = service.handles()
      const resident = service.resident()
      let most = 0
      const slow = Effect.forEach(
        kinds,
        (kind) =>
          Effect.map(
            Effect.forEach(
              Array.from({ length: CONNECTIONS / kinds.length }),
              () => connect(service.port, kind),
              { concurrency: "unbounded" }
            ),
            (seconds) => ({ ...kind, seconds: Math.max(...seconds) })
          ),
        { concurrency: "unbounded" }
      )
      const watch = Effect.forever(
        Effect.zipRight(
          Effect.sync(() => {
            most = Math.max(most, service.handles())
          }),
          Effect.sleep("500 millis")
        )
      )
      const [closed, meanwhile] = yield* Effect.raceFirst(
        Effect.all([slow, Effect.delay(normal(8), "1 second")], { concurrency: "unbounded" }),
        watch
      )
      const peak = service.resident()
      console.log(`  before: ${Load.told(before)}`)
      console.log(`  meanwhile: ${Load.told(meanwhile)}`)
      for (const { name, seconds } of closed)
        console.log(`  those that ${name}: all closed after ${seconds.toFixed(0)} s`)
      console.log(
        `RESULT ${CONNECTIONS} slow connections: p99 of others ${meanwhile.p99} ms, ${before.p99} ms before; resident ${resident.toFixed(0)} to ${peak.toFixed(0)} MB`
      )
      assert.isAtLeast(most, CONNECTIONS, "all were open at once")
      assert.deepStrictEqual([...meanwhile.statuses.keys()], [200])
      assert.isAtLeast(meanwhile.statuses.get(200) ?? 0, 700)
      for (const { name, seconds, limit } of closed) assert.isBelow(seconds, limit + SLACK, name)
      yield* untilTrue(() => service.handles() <= handles + 4)
    })
  )
})
