import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { BroadcastChannel } from "node:worker_threads"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber, Option, Scope, TestClock } from "effect"
import type { FeedError } from "../../../../src/Checkers/ThreatFeed/FeedError.ts"
import * as FeedIntake from "../../../../src/Checkers/ThreatFeed/Worker/FeedIntake.ts"
import { type FeedRequest, FeedWorker } from "../../../../src/Checkers/ThreatFeed/Worker/FeedWorker.ts"
import * as StampClock from "../../../../src/Checkers/ThreatList/StampClock.ts"
import * as ThreatListBytes from "../../../../src/Checkers/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../../../../src/Checkers/ThreatList.ts"
import * as FeedServer from "../../../fixtures/FeedServer.ts"
import * as FeedWorkerProgram from "../../../fixtures/FeedWorkerProgram.ts"
import { hashKey, kindOf } from "../../../fixtures/ThreatLists.ts"

let folder = ""
let program = new URL("file:///")

/** A thread whose program is this text. */
const thread = (name: string, text: string) =>
  Effect.suspend(() => {
    writeFileSync(join(folder, name), text)
    return FeedWorker.make(pathToFileURL(join(folder, name)))
  })

const real = Effect.suspend(() => FeedWorker.make(program))

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))
  program = await FeedWorkerProgram.build(folder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const order = (changes: Partial<FeedIntake.Order> = {}): FeedIntake.Order => ({
  hashKey,
  stampClock: undefined,
  document: { format: "lines", category: "phishing" },
  earlier: undefined,
  ...changes
})

const request = (url: string | URL, changes: Partial<FeedRequest> = {}): FeedRequest => ({
  url: String(url),
  headers: {},
  connectTimeout: 10_000,
  mayConnectInside: true,
  ...changes
})

/** A publisher, and the list that a worker makes of what it publishes. */
const publisher = Effect.gen(function* () {
  const server = yield* FeedServer.make()
  const make = (worker: FeedWorker["Type"], order: FeedIntake.Order, answer: FeedServer.Behaviour) =>
    Effect.suspend(() => {
      server.serve("/list", answer)
      return Effect.flatMap(worker.get(request(server.url("/list"))), (answer) => answer.make(order))
    }).pipe(Effect.scoped)
  return { server, make }
})

const document = (bytes: Uint8Array) => FeedServer.document(bytes)

const opened = (bytes: ThreatListBytes.Bytes) =>
  Effect.map(ThreatListBytes.open(bytes), (opened) => new ThreatList(opened))

const rows = (count: number, from = 0) =>
  Buffer.from(Array.from({ length: count }, (_, i) => `http://h${from + i}.example/a?b\n`).join(""))

const failure = <A, R>(effect: Effect.Effect<A, FeedError, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const pause = (millis: number) => Effect.promise(() => new Promise((resume) => setTimeout(resume, millis)))

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.zipRight(pause(5), until(holds))))

describe("FeedWorker", () => {
  it.scopedLive("makes the very list that is made without a thread, compressed or not", () =>
    Effect.gen(function* () {
      const { make } = yield* publisher
      const worker = yield* real
      const text = Buffer.concat([rows(20_000), Buffer.from("no url\nhttps://github.com/\n")])
      const pieces = async function* () {
        for (let at = 0; at < text.length; at += 1000) yield text.subarray(at, at + 1000)
      }
      const expected = yield* Effect.promise(() => FeedIntake.make(order(), pieces()))
      for (const bytes of [text, gzipSync(text)]) {
        const made = yield* make(worker, order(), document(bytes))
        assert.isTrue(Buffer.from(made.bytes).equals(Buffer.from(expected.bytes)))
        assert.deepStrictEqual(made.counts, { skipped: 1, ignored: 1 })
      }
    })
  )

  it.scopedLive("tells how an answer begins, and sends what it is told to send and nothing else", () =>
    Effect.gen(function* () {
      const { server } = yield* publisher
      const worker = yield* real
      server.serve("/gone?x=1", { _tag: "Status", status: 410, headers: { "retry-after": "7", etag: '"x"' } })
      const { status, headers } = yield* worker.get(
        request(server.url("/gone?x=1"), { headers: { "auth-key": "SECRET" } })
      )
      assert.strictEqual(status, 410)
      assert.deepInclude(headers, { "retry-after": "7", etag: '"x"' })
      const { host, connection, ...sent } = server.received[0]?.headers ?? {}
      assert.deepStrictEqual(sent, { "auth-key": "SECRET" })
    })
  )

  it.scopedLive("connects to public addresses only when that is asked, whatever a name resolves to", () =>
    Effect.gen(function* () {
      const { server } = yield* publisher
      const worker = yield* real
      const byName = server.url("/list")
      byName.hostname = "localhost"
      assert.strictEqual((yield* worker.get(request(byName))).status, 404)
      assert.strictEqual(
        yield* failure(worker.get(request(byName, { mayConnectInside: false }))),
        "ForbiddenRedirect (ENOTPUBLIC)"
      )
      assert.strictEqual(server.received.length, 1)
    })
  )

  it.scopedLive("keeps what is left of the earlier list, and leaves that as it is", () =>
    Effect.gen(function* () {
      const { make } = yield* publisher
      const worker = yield* real
      const stampClock = StampClock.make(1_000_000, Duration.millis(100_000))
      const first = yield* make(worker, order({ stampClock }), document(rows(2)))
      const before = Buffer.from(first.bytes)
      const earlier = { bytes: first.bytes, seenAt: 990_000 }
      const made = yield* make(worker, order({ stampClock, earlier }), document(rows(1, 7)))
      assert.isTrue(before.equals(first.bytes))
      const list = yield* opened(made.bytes)
      assert.deepInclude(list.header, { entries: 3, current: 1 })
      assert.strictEqual(kindOf(list, "http://h0.example/a?b"), "listedUrl")

      const later = StampClock.make(1_100_000, Duration.millis(100_000))
      const rest = yield* worker.make(
        order({
          stampClock: later,
          document: undefined,
          earlier: { bytes: made.bytes, seenAt: undefined }
        })
      )
      assert.deepInclude((yield* opened(rest.bytes)).header, { entries: 1, current: 1 })
      assert.deepStrictEqual(rest.counts, { skipped: 0, ignored: 0 })
    })
  )

  it.scopedLive("fails as the work in it fails, and does the next all the same", () =>
    Effect.gen(function* () {
      const { server, make } = yield* publisher
      const worker = yield* real
      const csv: FeedIntake.Order["document"] = { format: "phishtank-csv", category: "phishing" }
      const bomb = Buffer.concat(Array.from({ length: 300 }, () => gzipSync(Buffer.alloc(1 << 20))))
      const cases: ReadonlyArray<readonly [FeedIntake.Order, Uint8Array, string]> = [
        [order(), Buffer.from(""), "Empty"],
        [order(), Buffer.from(`<html>${rows(20_000)}`), "NotAFeed (HTML)"],
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
        assert.strictEqual(yield* failure(make(worker, wanted, document(bytes))), message)
      const cut = gzipSync(rows(5000)).subarray(0, 5000)
      assert.match(
        yield* failure(make(worker, order(), { _tag: "Reset", body: cut })),
        /^Unreachable \([A-Z_]+\)$/
      )
      const gone = server.url("/")
      gone.port = "1"
      assert.strictEqual(yield* failure(worker.get(request(gone))), "Unreachable (ECONNREFUSED)")
      assert.deepInclude(yield* make(worker, order(), document(rows(1))), {
        counts: { skipped: 0, ignored: 0 }
      })
    })
  )

  it("refuses a document with more entries than can be held, before it has come", async () => {
    let pieces = 0
    const endless = async function* () {
      for (const piece = Buffer.alloc(1 << 20, "a\n"); pieces < 64; pieces++) yield piece
    }
    const made = FeedIntake.make(order(), endless()).catch(({ reason }) => reason)
    assert.strictEqual(await made, "TooLarge")
    assert.strictEqual(pieces, 16)
  }, 60_000)

  it.scopedLive("makes of every answer that has begun a list in its turn", () =>
    Effect.gen(function* () {
      const { server } = yield* publisher
      const worker = yield* real
      server.serve("/large", document(gzipSync(rows(100_000))))
      server.serve("/small", document(rows(3)))
      const large = yield* worker.get(request(server.url("/large")))
      const small = yield* worker.get(request(server.url("/small")))
      assert.deepInclude((yield* opened((yield* small.make(order())).bytes)).header, {
        entries: 3
      })
      assert.deepInclude((yield* opened((yield* large.make(order())).bytes)).header, {
        entries: 100_000
      })
    })
  )

  it.scopedLive("replaces a thread that has ended", () =>
    Effect.gen(function* () {
      const worker = yield* thread(
        "lives.mjs",
        `import { parentPort } from "node:worker_threads"
        parentPort.on("message", ({ _tag, id, request }) => {
          if (_tag !== "Get") return
          if (request.url === "x:") process.exit(3)
          parentPort.postMessage({ _tag: "Failed", id, reason: "Empty" })
        })`
      )
      assert.strictEqual(yield* failure(worker.get(request("x:"))), "WorkerDied (exit 3)")
      assert.strictEqual(yield* failure(worker.get(request("y:"))), "Empty")
    })
  )

  it.scoped("ends a thread that is stuck in a list of which nobody wants to know any more", () =>
    Effect.gen(function* () {
      const worker = yield* thread(
        "is-stuck.mjs",
        `import { parentPort } from "node:worker_threads"
        parentPort.on("message", ({ _tag, id }) => {
          if (_tag === "Make") for (;;);
          if (_tag === "Get") parentPort.postMessage({ _tag: "Failed", id, reason: "Empty" })
        })`
      )
      const making = yield* Effect.fork(worker.make(order({ document: undefined })))
      yield* pause(20)
      yield* Fiber.interrupt(making)
      const asking = yield* Effect.fork(failure(worker.get(request("x:"))))
      yield* TestClock.adjust("59 seconds")
      yield* pause(20)
      assert.isTrue(Option.isNone(yield* Fiber.poll(asking)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(asking), "WorkerDied (exit 1)")
      assert.strictEqual(yield* failure(worker.get(request("x:"))), "Empty")
    })
  )

  it.scoped("leaves a thread alone that gave up a list", () =>
    Effect.gen(function* () {
      const { server } = yield* publisher
      const worker = yield* real
      server.serve("/list", document(rows(1)))
      server.serve("/stall", { _tag: "Stall", body: rows(1) })
      const stalling = yield* worker.get(request(server.url("/stall")))
      const { make } = yield* worker.get(request(server.url("/list")))
      const making = yield* Effect.fork(stalling.make(order()))
      yield* pause(20)
      yield* Fiber.interrupt(making)
      yield* pause(200)
      yield* TestClock.adjust("1 hour")
      yield* make(order())
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
        assert.strictEqual(yield* failure((yield* thread(name, text)).get(request("x:"))), message)
    })
  )

  it.scopedLive("takes an exception in its thread for a bug", () =>
    Effect.gen(function* () {
      const { make } = yield* publisher
      const missing = yield* FeedWorker.make(pathToFileURL(join(folder, "missing.mjs")))
      const earlier = { bytes: new Uint8Array(8), seenAt: 0 }
      const defects = [
        [
          Effect.asVoid((yield* thread("throws.mjs", 'throw new Error("a bug")')).get(request("x:"))),
          "a bug"
        ],
        [Effect.asVoid(make(yield* real, order({ earlier }), document(rows(1)))), "NotAThreatList"],
        [Effect.asVoid(missing.get(request("x:"))), "Cannot find module"]
      ] as const
      for (const [work, message] of defects) {
        const exit = yield* Effect.exit(work)
        assert.isTrue(Exit.isFailure(exit) && exit.cause._tag === "Die")
        assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", message)
      }
    })
  )

  it.scopedLive("makes a list of one body once, and none of a body that is not there any more", () =>
    Effect.gen(function* () {
      const { server } = yield* publisher
      server.serve("/list", document(rows(1)))
      const { make } = yield* (yield* real).get(request(server.url("/list")))
      yield* make(order())
      const exit = yield* Effect.exit(make(order()))
      assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", "does not fit its body")
    })
  )

  it.scopedLive("hangs up when it is interrupted, whatever it waits for, and goes on with the next", () =>
    Effect.gen(function* () {
      const { server, make } = yield* publisher
      const worker = yield* real
      const answers: ReadonlyArray<FeedServer.Behaviour> = [
        { _tag: "Silence" },
        { _tag: "Stall", body: rows(1) },
        { _tag: "Stall", body: gzipSync(rows(5000)).subarray(0, 5000) },
        { _tag: "Endless", piece: rows(1000) }
      ]
      for (const [index, answer] of answers.entries()) {
        const fiber = yield* Effect.fork(make(worker, order(), answer))
        yield* until(() => server.received.length > index)
        yield* pause(20)
        yield* Fiber.interrupt(fiber)
        yield* until(() => server.abandoned() === index + 1)
      }
      yield* make(worker, order(), document(rows(1)))
    })
  )

  it.scopedLive("ends its thread, and what that has open, with its scope", () =>
    Effect.gen(function* () {
      const { server } = yield* publisher
      const scope = yield* Scope.make()
      const worker = yield* Scope.extend(
        thread(
          "beats.mjs",
          `import { BroadcastChannel } from "node:worker_threads"
          const channel = new BroadcastChannel("beats of FeedWorker.test")
          for (;;) { channel.postMessage(0); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5) }`
        ),
        scope
      )
      let beats = 0
      const channel = new BroadcastChannel("beats of FeedWorker.test")
      channel.onmessage = () => beats++
      yield* Effect.fork(worker.get(request("x:")))
      yield* until(() => beats > 2)
      yield* Scope.close(scope, Exit.void)
      yield* pause(20)
      const atEnd = beats
      yield* pause(50)
      channel.close()
      assert.strictEqual(beats, atEnd)

      server.serve("/stall", { _tag: "Stall", body: rows(1) })
      yield* Effect.scoped(Effect.flatMap(real, (worker) => worker.get(request(server.url("/stall")))))
      yield* until(() => server.abandoned() === 1)
    })
  )

  it.scopedLive("reads a body no further ahead than it is taken in", () =>
    Effect.gen(function* () {
      const { server } = yield* publisher
      const worker = yield* real
      server.serve("/endless", { _tag: "Endless", piece: Buffer.alloc(65_536, "http://a.example/\n") })
      const { heard } = yield* worker.get(request(server.url("/endless")))
      yield* pause(100)
      assert.strictEqual(Atomics.load(heard, 0), 0)
    })
  )

  it.scopedLive("gives its thread nothing of the environment", () =>
    Effect.gen(function* () {
      const worker = yield* thread(
        "environment.mjs",
        `import { parentPort } from "node:worker_threads"
        parentPort.on("message", ({ id }) =>
          parentPort.postMessage({ _tag: "Failed", id, reason: "Empty", detail: JSON.stringify(process.env) }))`
      )
      assert.strictEqual(yield* failure(worker.get(request("x:"))), "Empty ({})")
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
