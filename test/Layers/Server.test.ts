import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, TestServices } from "effect"
import { serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"
import { untilTrue } from "../fixtures/Until.ts"

/** What is answered to bytes as they are, which ask for the end of the connection. */
const exchange = (port: number, bytes: string) =>
  Effect.async<string>((resume) => {
    const socket = Net.connect(port, "127.0.0.1", () => socket.write(bytes))
    let text = ""
    socket.on("data", (piece) => {
      text += piece.toString("latin1")
    })
    socket.on("close", () => resume(Effect.succeed(text)))
  })

describe("Server", () => {
  it.scoped("drops no header: not that of a proxy behind thousands of a client's own", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest(
        { checkAll: () => Effect.succeed([]) },
        { RATE_LIMIT: "2", TRUSTED_PROXIES: "1" }
      )
      const statuses: Array<string> = []
      for (let sent = 1; sent <= 3; sent++) {
        const answer = yield* exchange(
          port,
          `POST /api/check HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: 198.51.100.${sent}\r\n` +
            `${"a:\r\n".repeat(2000)}X-Forwarded-For: 203.0.113.7\r\n\r\n`
        )
        statuses.push(answer.slice("HTTP/1.1 ".length, "HTTP/1.1 400".length))
      }
      assert.deepStrictEqual(statuses, ["400", "400", "429"])
    })
  )

  for (const target of ["/api/check", "/api/check?x=1"])
    it.scoped(`interrupts all that a client who went away has asked for at once, of ${target}`, () =>
      Effect.gen(function* () {
        let begun = 0
        let interrupted = 0
        const port = yield* serviceUnderTest({
          checkAll: () => {
            begun++
            return Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
          }
        })
        const body = '{"url":"x"}'
        const request = `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        const client = Net.connect(port, "127.0.0.1")
        client.write(request.repeat(5))
        yield* TestServices.provideLive(untilTrue(() => begun === 5))
        client.resetAndDestroy()
        yield* TestServices.provideLive(untilTrue(() => interrupted === 5))
      })
    )
})
