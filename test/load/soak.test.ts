import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invented } from "../../bench/InventedAddresses.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import * as Load from "../fixtures/Load.ts"
import * as LoadedService from "../fixtures/LoadedService.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"

const COUNT = Number(process.env.COUNT ?? 1_000_000)

/** Memory, handles and latency are looked at after each. */
const ROUNDS = 9
/** And addresses of clients, others in each round. */
const URLS_A_ROUND = 10_000
/**
 * Rounds before, of one check of each URL: more addresses than the limiter keeps counts of, and more prefixes of hashes than
 * the cache holds. What is held then is all that may ever be.
 */
const FILLING = 8
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
      const load = (round: number, requests: number) =>
        Load.run({
          port: service.port,
          connections: 16,
          urls: invented(URLS_A_ROUND).map((url) => url.replace("://", `://r${round}.`)),
          firstAddress: round * URLS_A_ROUND,
          length: { requests }
        }).pipe(Effect.tap(({ statuses }) => assert.deepStrictEqual([...statuses.keys()], [200])))
      for (let round = 0; round < FILLING; round++) yield* load(round, URLS_A_ROUND)

      const found: Array<LoadedService.Memory & { readonly handles: number; readonly p50: number }> = []
      const each = Math.round((COUNT - FILLING * URLS_A_ROUND) / ROUNDS)
      for (let round = 0; round < ROUNDS; round++) {
        const seen = yield* load(FILLING + round, each)
        const memory = yield* service.memory
        const handles = service.handles()
        found.push({ ...memory, handles, p50: seen.p50 })
        if ([0, (ROUNDS - 1) / 2, ROUNDS - 1].includes(round))
          console.log(
            `  ${FILLING * URLS_A_ROUND + (round + 1) * each} checks, ${published} lists: heap ${memory.heap.toFixed(1)}, external ${memory.external.toFixed(1)}, resident ${memory.resident.toFixed(0)} MB; ${handles} handles; ${Load.told(seen)}`
          )
      }
      const [first, last] = [found[0], found.at(-1)]
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
