import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { BroadcastChannel } from "node:worker_threads"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber, Option, Stream } from "effect"
import * as esbuild from "esbuild"
import type { FeedBody } from "../../../src/Checkers/ThreatFeed/FeedBody.ts"
import { FeedError } from "../../../src/Checkers/ThreatFeed/FeedError.ts"
import * as FeedIntake from "../../../src/Checkers/ThreatFeed/FeedIntake.ts"
import { FeedWorker } from "../../../src/Checkers/ThreatFeed/FeedWorker.ts"
import * as StampClock from "../../../src/Checkers/ThreatList/StampClock.ts"
import * as ThreatListBytes from "../../../src/Checkers/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../../../src/Checkers/ThreatList.ts"
import { hashKey, kindOf } from "../../fixtures/ThreatLists.ts"

let folder = ""

const scripted = (name: string) => FeedWorker.make(pathToFileURL(join(folder, name)))

/** A thread whose program is this text. */
const thread = (name: string, text: string) =>
  Effect.suspend(() => {
    writeFileSync(join(folder, name), text)
    return scripted(name)
  })

const real = Effect.suspend(() => scripted("FeedWorkerThread.mjs"))

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))
  await esbuild.build({
    entryPoints: [
      fileURLToPath(new URL("../../../src/Checkers/ThreatFeed/FeedWorkerThread.ts", import.meta.url))
    ],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'
    }
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const order = (changes: Partial<FeedIntake.Order> = {}): FeedIntake.Order => ({
  hashKey,
  stampClock: undefined,
  document: { format: "lines", category: "phishing" },
  earlier: undefined,
  ...changes
})

const bodyOf = (bytes: Uint8Array, pieceBytes = 1000): FeedBody =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, i) =>
      bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes)
    )
  )

const opened = (bytes: ArrayBuffer) =>
  Effect.map(ThreatListBytes.open(bytes), (opened) => new ThreatList(opened))

const rows = (count: number, from = 0) =>
  Buffer.from(Array.from({ length: count }, (_, i) => `http://h${from + i}.example/a?b\n`).join(""))

const failure = <A>(effect: Effect.Effect<A, FeedError>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const pause = (millis: number) => Effect.promise(() => new Promise((resume) => setTimeout(resume, millis)))

describe("FeedWorker", () => {
  it.scopedLive("makes the very list that is made without a thread, compressed or not", () =>
    Effect.gen(function* () {
      const worker = yield* real
      const document = Buffer.concat([rows(20_000), Buffer.from("no url\nhttps://github.com/\n")])
      const expected = yield* FeedIntake.make(order(), bodyOf(document))
      for (const bytes of [document, gzipSync(document)]) {
        const made = yield* worker.make(order(), bodyOf(bytes))
        assert.isTrue(Buffer.from(made.bytes).equals(Buffer.from(expected.bytes)))
        assert.deepStrictEqual(made.counts, { skipped: 1, ignored: 1 })
      }
    })
  )

  it.scopedLive("keeps what is left of the earlier list, whose bytes it takes over", () =>
    Effect.gen(function* () {
      const worker = yield* real
      const stampClock = StampClock.make(1_000_000, Duration.millis(100_000))
      const first = yield* worker.make(order({ stampClock }), bodyOf(rows(2)))
      const earlier = { bytes: first.bytes.slice(0), seenAt: 990_000 }
      const made = yield* worker.make(order({ stampClock, earlier }), bodyOf(rows(1, 7)))
      assert.strictEqual(earlier.bytes.byteLength, 0)
      const list = yield* opened(made.bytes)
      assert.deepInclude(list.header, { entries: 3, current: 1 })
      assert.strictEqual(kindOf(list, "http://h0.example/a?b"), "listedUrl")

      const later = StampClock.make(1_100_000, Duration.millis(100_000))
      const rest = yield* worker.make(
        order({
          stampClock: later,
          document: undefined,
          earlier: { bytes: made.bytes, seenAt: undefined }
        }),
        Stream.empty
      )
      assert.deepInclude((yield* opened(rest.bytes)).header, { entries: 1, current: 1 })
      assert.deepStrictEqual(rest.counts, { skipped: 0, ignored: 0 })
    })
  )

  it.scopedLive("fails as the work in it fails", () =>
    Effect.gen(function* () {
      const worker = yield* real
      const csv: FeedIntake.Order["document"] = { format: "phishtank-csv", category: "phishing" }
      const bomb = Buffer.concat(Array.from({ length: 300 }, () => gzipSync(Buffer.alloc(1 << 20))))
      const cases: ReadonlyArray<readonly [FeedIntake.Order, Uint8Array, string]> = [
        [order(), Buffer.from(""), "Empty"],
        [order(), Buffer.from("<html>"), "NotAFeed (HTML)"],
        [order(), gzipSync(rows(5000)).subarray(0, 5000), "Corrupt (gzip)"],
        [order({ document: csv }), Buffer.from("phish_id,other\n1,x\n"), "Columns"],
        [
          order({ document: csv }),
          Buffer.from(
            'phish_id,url,phish_detail_url,submission_time,verified,verification_time,online,target\n1,"x'
          ),
          "Corrupt"
        ],
        [order(), bomb, "TooLarge"]
      ]
      for (const [wanted, bytes, message] of cases)
        assert.strictEqual(yield* failure(worker.make(wanted, bodyOf(bytes, 65_536))), message)
    })
  )

  it.scopedLive("fails with the error of the body, and not with what a cut body looks like", () =>
    Effect.gen(function* () {
      const worker = yield* real
      const broken = Stream.concat(
        bodyOf(gzipSync(rows(5000)).subarray(0, 5000)),
        Stream.fail(new FeedError({ reason: "Unreachable", detail: "ECONNRESET" }))
      )
      assert.strictEqual(yield* failure(worker.make(order(), broken)), "Unreachable (ECONNRESET)")
    })
  )

  it.scopedLive("carries out all orders in one thread, also after one that failed", () =>
    Effect.gen(function* () {
      const counting = yield* thread(
        "counts.mjs",
        `import { parentPort } from "node:worker_threads"
        let orders = 0
        parentPort.on("message", ({ _tag }) => {
          if (_tag === "Order") orders++
          if (_tag === "End") parentPort.postMessage({ _tag: "Failed", reason: "Empty", detail: String(orders) })
        })`
      )
      for (const count of [1, 2, 3])
        assert.strictEqual(yield* failure(counting.make(order(), bodyOf(rows(1)))), `Empty (${count})`)

      const worker = yield* real
      const expected = yield* worker.make(order(), bodyOf(rows(10)))
      const broken = Stream.concat(
        bodyOf(gzipSync(rows(5000)).subarray(0, 5000)),
        Stream.fail(new FeedError({ reason: "Timeout" }))
      )
      assert.strictEqual(yield* failure(worker.make(order(), broken)), "Timeout")
      assert.strictEqual(
        yield* failure(worker.make(order(), bodyOf(Buffer.from(`<html>${rows(20_000)}`)))),
        "NotAFeed (HTML)"
      )
      const again = yield* worker.make(order(), bodyOf(rows(10)))
      assert.isTrue(Buffer.from(again.bytes).equals(Buffer.from(expected.bytes)))
    })
  )

  it.scopedLive("replaces a thread that has ended", () =>
    Effect.gen(function* () {
      const worker = yield* thread(
        "lives.mjs",
        `import { parentPort } from "node:worker_threads"
        parentPort.on("message", ({ _tag, bytes }) => {
          if (_tag === "Piece" && bytes.length === 1) process.exit(3)
          if (_tag === "Piece") parentPort.postMessage({ _tag: "Failed", reason: "Empty" })
        })`
      )
      assert.strictEqual(
        yield* failure(worker.make(order(), bodyOf(Buffer.from("x")))),
        "WorkerDied (exit 3)"
      )
      assert.strictEqual(yield* failure(worker.make(order(), bodyOf(rows(1)))), "Empty")
      assert.strictEqual(
        yield* Effect.timeoutTo(worker.make(order(), Stream.never), {
          duration: 1,
          onSuccess: () => "made",
          onTimeout: () => "interrupted"
        }),
        "interrupted"
      )
      assert.strictEqual(yield* failure(worker.make(order(), bodyOf(rows(1)))), "Empty")
    })
  )

  it.scopedLive("fails when its thread dies", () =>
    Effect.gen(function* () {
      const deaths = [
        ["exits.mjs", "process.exit(3)", "WorkerDied (exit 3)"],
        ["ends.mjs", "", "WorkerDied (exit 0)"],
        [
          "grows.mjs",
          "const kept = []; for (;;) kept.push(Array.from({ length: 1e5 }, (_, i) => [i]))",
          "WorkerDied (ERR_WORKER_OUT_OF_MEMORY)"
        ]
      ] as const
      for (const [name, text, message] of deaths)
        assert.strictEqual(
          yield* failure((yield* thread(name, text)).make(order(), bodyOf(rows(1)))),
          message
        )
    })
  )

  it.scopedLive("takes an exception in its thread for a bug", () =>
    Effect.gen(function* () {
      const defects = [
        [yield* thread("throws.mjs", 'throw new Error("a bug")'), order(), "a bug"],
        [yield* real, order({ earlier: { bytes: new ArrayBuffer(8), seenAt: 0 } }), "NotAThreatList"],
        [yield* scripted("missing.mjs"), order(), "Cannot find module"]
      ] as const
      for (const [worker, wanted, message] of defects) {
        const exit = yield* Effect.exit(worker.make(wanted, bodyOf(rows(1))))
        assert.isTrue(Exit.isFailure(exit) && exit.cause._tag === "Die")
        assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", message)
      }
    })
  )

  it.scopedLive("ends its thread when it is interrupted", () =>
    Effect.gen(function* () {
      const worker = yield* thread(
        "beats.mjs",
        `import { BroadcastChannel } from "node:worker_threads"
        const channel = new BroadcastChannel("beats of FeedWorker.test")
        for (;;) { channel.postMessage(0); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5) }`
      )
      let beats = 0
      const channel = new BroadcastChannel("beats of FeedWorker.test")
      channel.onmessage = () => beats++
      const fiber = yield* Effect.fork(worker.make(order(), Stream.never))
      while (beats < 3) yield* pause(5)
      yield* Fiber.interrupt(fiber)
      yield* pause(20)
      const atInterruption = beats
      yield* pause(50)
      channel.close()
      assert.strictEqual(beats, atInterruption)
    })
  )

  it.scopedLive("reads a body no further ahead than the thread takes it", () =>
    Effect.gen(function* () {
      const worker = yield* thread("idle.mjs", "setInterval(() => {}, 1000)")
      let sent = 0
      const endless = Stream.repeatEffect(
        Effect.sync(() => {
          sent++
          return Buffer.alloc(10)
        })
      )
      const fiber = yield* Effect.fork(worker.make(order(), endless))
      while (sent < 9) yield* pause(5)
      yield* pause(50)
      assert.strictEqual(sent, 9)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.scopedLive("gives its thread nothing of the environment", () =>
    Effect.gen(function* () {
      const worker = yield* thread(
        "environment.mjs",
        `import { parentPort } from "node:worker_threads"
        parentPort.postMessage({ _tag: "Failed", reason: "Empty", detail: JSON.stringify(process.env) })`
      )
      assert.strictEqual(yield* failure(worker.make(order(), bodyOf(rows(1)))), "Empty ({})")
    })
  )

  it.scopedLive("lets one at a time have its turn", () =>
    Effect.gen(function* () {
      const worker = yield* real
      let running = 0
      let most = 0
      const turn = worker.inTurn(
        Effect.acquireUseRelease(
          Effect.sync(() => {
            most = Math.max(most, ++running)
          }),
          () => pause(2),
          () =>
            Effect.sync(() => {
              running--
            })
        )
      )
      yield* Effect.all([turn, turn, Effect.timeoutOption(turn, 0), turn], { concurrency: "unbounded" })
      assert.deepStrictEqual([running, most], [0, 1])
      assert.isTrue(Option.isSome(yield* Effect.timeoutOption(turn, 1000)))
    })
  )
})
