import { readFileSync } from "node:fs"
import { FileSystem } from "@effect/platform"
import { NodeContext, NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { ConfigProvider, Context, Effect, Layer, Option } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { SharedStore } from "../../src/Lists/SharedStore.ts"
import { ThreatFeeds } from "../../src/Lists/ThreatFeed.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import * as ListWorkerInProcess from "../fixtures/ListWorkerInProcess.ts"
import { eventually } from "../fixtures/NextTurn.ts"
import { kindOf } from "../fixtures/ThreatLists.ts"

const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/feeds/${name}`, import.meta.url))

const feedsUnder = (env: Readonly<Record<string, string>>) =>
  Layer.build(
    ThreatFeeds.layer.pipe(
      Layer.provide([
        Layer.provide(ListWorkerInProcess.layer, NodeHttpClient.layer),
        NodeContext.layer,
        Layer.succeed(SharedStore, Option.none())
      ]),
      Layer.provide(AppConfig.layer),
      Layer.provide(
        Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)), { pathDelim: "_" }))
      )
    )
  ).pipe(Effect.map((context) => Context.get(context, ThreatFeeds)))

describe("ThreatFeeds", () => {
  it.scoped("are the four that are configured, each with its own address, format, key and source", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/phishunt", FeedServer.document(fixture("phishunt.csv")))
      server.serve("/phishtank.gz", FeedServer.document(FeedServer.gzip(fixture("phishtank.csv"))))
      server.serve("/lines?key=1", FeedServer.document(fixture("lines.txt")))
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      const feeds = yield* feedsUnder({
        DATA_DIR: folder,
        FEED_A_URL: server.url("/phishunt").href,
        FEED_B_URL: "off",
        FEED_C_URL: server.url("/phishtank.gz").href,
        FEED_D_URL: server.url("/lines?key=1").href,
        FEED_A_AUTH_HEADER: "Auth-Key: SECRET",
        POPULAR_URL: "off"
      })
      deepStrictEqual(feeds.feed_b, Option.none())

      const summary = (feed: (typeof feeds)["feed_a"]) =>
        Effect.flatMap(feed, ({ sourceName, status, current }) =>
          Effect.gen(function* () {
            yield* eventually(
              "the feed has a list",
              Effect.sync(() => Option.isSome(current(0)))
            )
            const { entries, skipped, ignored } = yield* status
            return { sourceName, entries, skipped, ignored }
          })
        )
      deepStrictEqual(yield* summary(feeds.feed_a), {
        sourceName: "phishunt.io",
        entries: 4,
        skipped: 0,
        ignored: 1
      })
      deepStrictEqual(yield* summary(feeds.feed_c), {
        sourceName: "PhishTank",
        entries: 5,
        skipped: 0,
        ignored: 0
      })
      deepStrictEqual(yield* summary(feeds.feed_d), {
        sourceName: "127.0.0.1",
        entries: 7,
        skipped: 2,
        ignored: 0
      })
      const { list } = Option.getOrThrow(Option.getOrThrow(feeds.feed_d).current(0))
      assert.strictEqual(kindOf(list, "https://defanged.example/a"), "listedUrl")
      deepStrictEqual(
        server.received
          .map(({ path, headers }) => `${path} ${headers["auth-key"] ?? "-"} ${headers["user-agent"]}`)
          .sort(),
        [
          "/lines?key=1 - url-threat-scoring/0.1.0",
          "/phishtank.gz - phishtank/url-threat-scoring/0.1.0",
          "/phishunt SECRET url-threat-scoring/0.1.0"
        ]
      )
      // A snapshot that is being written would make the removal of the folder fail.
      yield* eventually(
        "the folder has three snapshots and no other file",
        Effect.map(
          Effect.orDie(files.readDirectory(folder)),
          (names) => names.length === 3 && names.every((name) => name.endsWith(".list"))
        )
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
