import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Duration, Effect, Either, Layer, Option } from "effect"
import * as FeedSource from "../../src/Checkers/ThreatFeed/FeedSource.ts"
import * as FeedSnapshot from "../../src/Checkers/ThreatFeed/Snapshot/FeedSnapshot.ts"
import { FeedWorker } from "../../src/Checkers/ThreatFeed/Worker/FeedWorker.ts"
import * as ThreatFeed from "../../src/Checkers/ThreatFeed.ts"
import type { ThreatList } from "../../src/Checkers/ThreatList.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import * as FeedWorkerProgram from "../fixtures/FeedWorkerProgram.ts"
import { kindOf, runToEnd } from "../fixtures/ThreatLists.ts"

let folder = ""
let program = new URL("file:///")

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))
  program = await FeedWorkerProgram.build(folder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const REPLACEMENTS = 5

const turn = Effect.promise(() => new Promise((resume) => setImmediate(resume)))

const rows = (version: number) =>
  Array.from({ length: 2000 + 300 * (version % 3) }, (_, i) => `http://v${version}.example/${i}\n`).join("")

const feed = (
  slot: ThreatFeed.Feed["slot"],
  url: URL,
  retention: Duration.DurationInput
): ThreatFeed.Feed => ({
  slot,
  url,
  format: "lines",
  authHeader: Option.none(),
  source: FeedSource.of("lines", url),
  refresh: Duration.millis(2),
  retention: Duration.decode(retention)
})

const digestOf = ({ bytes }: ThreatList) => createHash("sha256").update(bytes).digest("hex")

describe("ThreatFeed on its thread", () => {
  it.scopedLive(
    "never changes a list, whatever the server answers between two documents",
    () =>
      Effect.gen(function* () {
        const server = yield* FeedServer.make()
        const feeds = [
          feed("feed_a", server.url("/a"), 0),
          feed("feed_b", server.url("/b"), 0),
          feed("feed_c", server.url("/c"), "1 hour")
        ]
        const publish = (feed: ThreatFeed.Feed, version: number) =>
          server.serve(feed.url.pathname, FeedServer.document(rows(version), { etag: `"${version}"` }))
        const between: ReadonlyArray<FeedServer.Behaviour> = [
          FeedServer.document("http://shrunken.example/\n"),
          FeedServer.document("\n"),
          FeedServer.document(FeedServer.gzip(rows(0)).subarray(0, 2000)),
          { _tag: "Reset", body: rows(0) },
          { _tag: "Status", status: 503 }
        ]
        for (const feed of feeds) publish(feed, 0)
        const running = yield* Effect.forEach(feeds, (feed) => ThreatFeed.make(feed, folder, Option.none()))

        const digests = new Map<ThreatList, string>()
        /** Looks at what is held now, and tells it. */
        const look = (index: number) =>
          Effect.sync(() => {
            const held = running[index]?.held(0)
            if (held === undefined || Option.isNone(held)) return undefined
            const { list } = held.value
            const digest = digestOf(list)
            assert.strictEqual(digests.get(list) ?? digest, digest)
            digests.set(list, digest)
            return list
          })
        const until = (holds: () => boolean): Effect.Effect<void> =>
          Effect.gen(function* () {
            for (;;) {
              for (const index of feeds.keys()) yield* look(index)
              if (holds()) return
              yield* turn
            }
          })
        const lists = () => running.map(({ held }) => Option.getOrUndefined(held(0))?.list)
        const hold = (version: number) =>
          until(() =>
            lists().every(
              (list) => list !== undefined && kindOf(list, `http://v${version}.example/7`) === "listedUrl"
            )
          )
        yield* hold(0)
        for (let version = 1; version <= REPLACEMENTS; version++) {
          const before = lists()
          const answer = between[version % between.length]
          const received = server.received.length
          if (answer !== undefined) {
            for (const { url } of feeds) server.serve(url.pathname, answer)
            yield* until(() => server.received.length > received + 3)
            assert.deepStrictEqual(lists(), before)
          }
          for (const feed of feeds) publish(feed, version)
          yield* hold(version)
          for (const [index, list] of lists().entries()) {
            if (list === undefined) return assert.fail("no list is held")
            const isKept = feeds[index]?.slot === "feed_c"
            assert.strictEqual(list.header.current, rows(version).split("\n").length - 1)
            assert.strictEqual(
              kindOf(list, `http://v${version - 1}.example/7`),
              isKept ? "listedUrl" : undefined
            )
          }
          for (const feed of feeds) {
            const file = join(folder, `${feed.slot}.snapshot`)
            const decoded = runToEnd(FeedSnapshot.decode(readFileSync(file), FeedSnapshot.feedDigest(feed)))
            assert.isTrue(Either.isRight(decoded), `${feed.slot} of version ${version}`)
          }
        }
        for (const [list, digest] of digests) assert.strictEqual(digestOf(list), digest)
      }).pipe(
        Effect.provide(
          Layer.mergeAll(
            Layer.scoped(
              FeedWorker,
              Effect.suspend(() => FeedWorker.make(program))
            ),
            NodeContext.layer
          )
        )
      ),
    60_000
  )
})
