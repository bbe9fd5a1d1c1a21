import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FeedServer from "../fixtures/FeedServer.ts"
import { invented } from "../fixtures/InventedAddresses.ts"
import * as Load from "../fixtures/Load.ts"
import * as LoadedService from "../fixtures/LoadedService.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"

const COUNT = Number(process.env.COUNT ?? 1_000_000)

/** Memory, handles and latency are measured after each. */
const ROUNDS = 10
const CONNECTIONS = 16
/** Also the number of client addresses of a round, none of which another round has. Each connection sends each URL once. */
const URLS_A_ROUND = COUNT / ROUNDS / CONNECTIONS
/**
 * Rounds until all caches are full: 37,500 addresses are more than the rate limiter counts at a time, and their URLs have
 * more hash prefixes than the cache stores.
 */
const ROUNDS_TO_FILL = 6
const ROWS = 20_000

/** Growth of the heap after the caches are full. */
const MAX_GROWTH_MB = 5

describe("a long load", () => {
  it.scopedLive(`does not increase memory, handles or latency: ${COUNT.toLocaleString("en")} checks`, () =>
    Effect.gen(function* () {
      const feeds = yield* FeedServer.make()
      let published = 0
      const publish = Effect.sync(() => {
        published++
        const rows = Array.from({ length: ROWS }, (_, i) => `https://h${published + i}.example/`)
        feeds.serve("/d.txt", FeedServer.document(rows.join("\n"), { etag: `"${published}"` }))
      })
      yield* publish
      const google = yield* SafeBrowsingServer.make()
      const service = yield* LoadedService.make({
        FEED_D_URL: feeds.url("/d.txt").href,
        FEED_D_FORMAT: "lines",
        FEED_D_REFRESH: "2 seconds",
        REPUTATION_API_URL: google.url.href,
        REPUTATION_API_KEY: "key",
        TRUSTED_PROXIES: "1"
      })
      yield* Effect.fork(Effect.forever(Effect.delay(publish, "2 seconds")))
      const found: Array<LoadedService.Memory & { readonly handles: number; readonly p50: number }> = []
      for (let round = 0; round < ROUNDS; round++) {
        const seen = yield* Load.run({
          port: service.port,
          connections: CONNECTIONS,
          urls: invented(URLS_A_ROUND).map((url) => url.replace("://", `://r${round}.`)),
          firstAddress: round * URLS_A_ROUND,
          length: { requests: COUNT / ROUNDS }
        })
        assert.deepStrictEqual([...seen.statuses.keys()], [200])
        const memory = yield* service.memory
        const handles = service.handles()
        found.push({ ...memory, handles, p50: seen.p50 })
        if ([0, ROUNDS_TO_FILL - 1, ROUNDS - 1].includes(round))
          console.log(
            `  ${((round + 1) * COUNT) / ROUNDS} checks, ${published} lists: heap ${memory.heap.toFixed(1)}, external ${memory.external.toFixed(1)}, resident ${memory.resident.toFixed(0)} MB; ${handles} handles; ${Load.describe(seen)}`
          )
      }
      const [first, last] = [found[ROUNDS_TO_FILL - 1], found.at(-1)]
      if (first === undefined || last === undefined) return assert.fail("no rounds")
      console.log(
        `RESULT ${COUNT} checks: heap ${first.heap.toFixed(1)} to ${last.heap.toFixed(1)} MB, handles ${first.handles} to ${last.handles}`
      )
      assert.isBelow(last.heap - first.heap, MAX_GROWTH_MB, "MB of growth")
      assert.isAtMost(last.handles, first.handles + 16)
      assert.isAtMost(last.p50, 3 * first.p50 + 5)
    })
  )
})
