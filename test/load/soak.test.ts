import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invented } from "../../bench/InventedAddresses.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import * as Load from "../fixtures/Load.ts"
import * as LoadedService from "../fixtures/LoadedService.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"

const COUNT = Number(process.env.COUNT ?? 1_000_000)

/** Memory, handles and latency are looked at after each. */
const ROUNDS = 10
const CONNECTIONS = 16
/** And addresses of clients, others in each round: each connection asks about each of them once. */
const URLS_A_ROUND = COUNT / ROUNDS / CONNECTIONS
/**
 * Rounds until all caches are full: 37,500 addresses are more than the limiter keeps counts of who asks often, and their URLs
 * have more prefixes of hashes than the cache holds. What is held then is all that may ever be.
 */
const FILLING = 6
const ROWS = 20_000

/** MB by which the heap may end above what it was when all caches were full. */
const MOST_GROWTH = 5

describe("a long time of load", () => {
  it.scopedLive(`leaves memory, handles and latency as they were: ${COUNT.toLocaleString("en")} checks`, () =>
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
        if ([0, FILLING - 1, ROUNDS - 1].includes(round))
          console.log(
            `  ${((round + 1) * COUNT) / ROUNDS} checks, ${published} lists: heap ${memory.heap.toFixed(1)}, external ${memory.external.toFixed(1)}, resident ${memory.resident.toFixed(0)} MB; ${handles} handles; ${Load.told(seen)}`
          )
      }
      const [first, last] = [found[FILLING - 1], found.at(-1)]
      if (first === undefined || last === undefined) return assert.fail("no rounds")
      console.log(
        `RESULT ${COUNT} checks: heap ${first.heap.toFixed(1)} to ${last.heap.toFixed(1)} MB, handles ${first.handles} to ${last.handles}`
      )
      assert.isBelow(last.heap - first.heap, MOST_GROWTH, "MB of growth")
      assert.isAtMost(last.handles, first.handles + 16)
      assert.isAtMost(last.p50, 3 * first.p50 + 5)
    })
  )
})
