import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either } from "effect"
import * as UpstashRest from "../../../src/Layers/CacheDatabase/UpstashRest.ts"
import { nextTurn } from "../../fixtures/NextTurn.ts"
import * as UpstashRestFront from "../../fixtures/UpstashRestFront.ts"

const get: UpstashRest.Command = ["GET", "key"]

const setUp = Effect.gen(function* () {
  const front = yield* UpstashRestFront.make({ path: "/nonexistent" })
  front.fault = (response) => response.end('[{"result":"value"}]')
  return front
})

type SendCommands = Effect.Effect.Success<ReturnType<typeof UpstashRest.make>>

const replies = (sendCommands: SendCommands, commands: ReadonlyArray<UpstashRest.Command>) =>
  Effect.async<UpstashRest.Replies>((resume) => {
    sendCommands(commands, (replies) => resume(Effect.succeed(replies)))
  })

describe("UpstashRest", () => {
  it.scoped("sends commands to the path below that of its address, with the address's query", () =>
    Effect.gen(function* () {
      const front = yield* setUp
      for (const [address, path] of [
        ["", "/pipeline"],
        ["/", "/pipeline"],
        ["/redis", "/redis/pipeline"],
        ["/redis/", "/redis/pipeline"],
        ["?tenant=1", "/pipeline?tenant=1"],
        ["/redis/?tenant=a/b#top", "/redis/pipeline?tenant=a/b"]
      ] as const) {
        const { timeout, token } = front
        const sendCommands = yield* UpstashRest.make({ timeout, token, url: new URL(address, front.url) })
        assert.isTrue(Either.isRight(yield* replies(sendCommands, [get])))
        assert.strictEqual(front.lastRequest.path, path)
      }
    })
  )

  it.scoped("aborts no other call, and calls nobody back, when a call without commands is aborted", () =>
    Effect.gen(function* () {
      const sendCommands = yield* UpstashRest.make(yield* setUp)
      const sent = yield* Deferred.make<UpstashRest.Replies>()
      sendCommands([get], (replies) => Deferred.unsafeDone(sent, Effect.succeed(replies)))
      let calls = 0
      const abort = sendCommands([], () => calls++)
      abort()
      assert.deepStrictEqual(yield* Deferred.await(sent), Either.right([{ result: "value" }]))
      yield* nextTurn
      assert.strictEqual(calls, 0)
    })
  )
})
