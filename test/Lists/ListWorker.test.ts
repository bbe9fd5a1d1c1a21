import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber, TestClock, TestServices } from "effect"
import * as Files from "../../src/Layers/Files.ts"
import { Tracing } from "../../src/Layers/Tracing.ts"
import * as ListDownload from "../../src/Lists/HashLists/ListDownload.ts"
import { type ListError, orDefect } from "../../src/Lists/ListError.ts"
import * as Download from "../../src/Lists/ListWorker/Download.ts"
import type { BuildRequest, NewDocument, NotModified } from "../../src/Lists/ListWorker/Messages.ts"
import { UPDATE_LIMITS, type UpdateRequest } from "../../src/Lists/ListWorker/Messages.ts"
import { ListWorker } from "../../src/Lists/ListWorker.ts"
import * as ListBuild from "../../src/Lists/ThreatFeed/ListBuild.ts"
import * as ThreatListBytes from "../../src/Lists/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../../src/Lists/ThreatList.ts"
import { build as buildList, buildRequest, getBody, limits } from "../fixtures/BuildRequests.ts"
import { listWorkerProgram } from "../fixtures/BuiltService.ts"
import { expiredCertificate } from "../fixtures/ExpiredCertificate.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import { forkNow } from "../fixtures/ForkNow.ts"
import { field } from "../fixtures/HashListMessages.ts"
import vectors from "../fixtures/local-lists-vectors.json" with { type: "json" }
import { turnsUntil } from "../fixtures/NextTurn.ts"
import { majestic } from "../fixtures/Rankings.ts"
import { isNightly } from "../fixtures/Seed.ts"
import { kindOf } from "../fixtures/ThreatLists.ts"

const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const real = Effect.suspend(() => ListWorker.make(listWorkerProgram))

/**
 * A worker whose program is this text. A thread that hangs at the end of a test is terminated after a second of the test's clock: it
 * would take a core from all tests after it.
 */
const workerOf = (name: string, text: string) =>
  Effect.suspend(() => {
    writeFileSync(join(folder, name), text)
    return Effect.zipRight(
      Effect.addFinalizer(() => TestClock.adjust("1 second")),
      ListWorker.make(pathToFileURL(join(folder, name)))
    )
  })

/** A program that does this with each `request`, and may `reply` to it. */
const serves = (text: string) => `
  const { parentPort, threadId } = require("node:worker_threads")
  parentPort.on("message", (order) => {
    if (order === "end") return parentPort.close()
    const { port, request } = order
    if (request === undefined) return port.close()
    const reply = (detail) => {
      port.postMessage({ failure: { reason: "Empty", detail } })
      port.close()
    }
    ${text}
  })`

/** What the thread does, without the thread: the same build over the same connections. */
const inThisThread = Effect.succeed({
  build: (request: BuildRequest) =>
    Effect.tryPromise({
      try: (signal) => ListBuild.build(request, Download.make(), signal),
      catch: orDefect
    })
})

/** Serves one response at `/list` and builds the list of it. */
const servingTo = <E, R>(worker: Effect.Effect<Pick<ListWorker["Type"], "build">, E, R>) =>
  Effect.gen(function* () {
    const server = yield* FeedServer.make()
    const { build } = yield* worker
    return {
      server,
      build: (behaviour: FeedServer.Behaviour, changes: Partial<BuildRequest> = {}) =>
        Effect.suspend(() => {
          server.serve("/list", behaviour)
          return build(buildRequest({ url: server.url("/list").href, ...changes }))
        })
    }
  })

const serving = servingTo(real)

const document = (bytes: string | Uint8Array) => FeedServer.document(bytes)

const opened = (response: { readonly bytes: ThreatListBytes.Bytes | undefined }) =>
  Effect.map(
    ThreatListBytes.open(response.bytes ?? new Uint8Array(new SharedArrayBuffer(0))),
    (opened) => new ThreatList(opened)
  )

const rows = (count: number, from = 0) =>
  Buffer.from(Array.from({ length: count }, (_, i) => `http://h${from + i}.example/a?b\n`).join(""))

const errorOf = <A, R>(effect: Effect.Effect<A, ListError, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const built = <E>(response: Effect.Effect<NewDocument | NotModified, E>) =>
  Effect.map(response, (response) =>
    response._tag === "NewDocument" ? response : assert.fail(response._tag)
  )

/** Answers of which no build ends by itself. */
const endless: ReadonlyArray<FeedServer.Behaviour> = [
  { _tag: "Silence" },
  { _tag: "Stall", body: rows(1) },
  { _tag: "Stall", body: gzipSync(rows(5000)).subarray(0, 5000) },
  { _tag: "Endless", piece: rows(50) }
]

describe("ListWorker", () => {
  it.scoped("builds the same list as without a thread, compressed or not, with and without a length", () =>
    Effect.gen(function* () {
      const { build } = yield* serving
      const text = Buffer.concat([rows(1000), Buffer.from("no url\nhttps://github.com/\n")])
      const chunks = async function* () {
        for (let at = 0; at < text.length; at += 1000) yield text.subarray(at, at + 1000)
      }
      const expected = yield* Effect.promise(() => buildList(buildRequest(), getBody(chunks())))
      if (expected._tag !== "NewDocument") return assert.fail(expected._tag)
      for (const behaviour of [
        document(text),
        document(gzipSync(text)),
        FeedServer.document(text, { chunked: true }),
        FeedServer.document(gzipSync(text), { headers: { "content-encoding": "gzip" } })
      ]) {
        const built = yield* build(behaviour)
        assert.isTrue(Buffer.from(built.bytes ?? []).equals(Buffer.from(expected.bytes)))
        assert.deepInclude(built, {
          counts: { skipped: 1, ignored: 1, firstSkipped: [{ line: 1001, reason: "Not a URL or host" }] }
        })
      }
    })
  )

  const manyRows = Array.from({ length: 120_000 }, (_, i) => `${i + 1},d${i + 1}.example\n`).join("")

  it.scoped("builds a ranking of the first 100,000 rows, and ends the download there", () =>
    Effect.gen(function* () {
      const { server, build } = yield* serving
      const zipped = gzipSync(manyRows)
      const first = { format: "ranked-csv" } as const
      const answers: ReadonlyArray<FeedServer.Behaviour> = [
        FeedServer.document(zipped, { etag: '"1"' }),
        { _tag: "Endless", piece: manyRows },
        // Cut off after the rows that are read.
        FeedServer.document(zipped.subarray(0, zipped.length - 1000)),
        FeedServer.document(manyRows),
        { _tag: "Short", body: manyRows, announced: 100_000_000 },
        { _tag: "Stall", body: manyRows }
      ]
      for (const [i, answer] of answers.slice(0, isNightly ? undefined : 2).entries()) {
        const built = yield* build(answer, first)
        const list = yield* opened(built)
        assert.strictEqual(list.header.entries, 100_000, String(i))
        assert.isBelow(list.bytes.length / list.header.entries, 13, "bytes an entry")
        assert.isTrue(list.hasHost("d100000.example"))
        assert.isFalse(list.hasHost("d100001.example"))
        if (i === 0) assert.deepInclude(built, { validators: { etag: '"1"', lastModified: undefined } })
      }
      yield* turnsUntil("the downloads are ended", () => server.abandoned() >= (isNightly ? 3 : 1))
    })
  )

  it.scoped("builds a ranking of a file", () =>
    Effect.gen(function* () {
      const { build } = yield* real
      const file = join(folder, "ranking.csv")
      writeFileSync(file, "1,a.example\n2,b.example\n")
      const url = pathToFileURL(file).href
      const ranking = yield* built(build(buildRequest({ url, format: "ranked-csv" })))
      assert.strictEqual((yield* opened(ranking)).header.entries, 2)
      const headers = { "if-none-match": ranking.validators.etag ?? "" }
      const again = yield* build(buildRequest({ url, format: "ranked-csv", headers }))
      assert.strictEqual(again._tag, "NotModified")
    })
  )

  it.scoped("fails for a ranking that is cut off before its end, and for one without a site", () =>
    Effect.gen(function* () {
      const { build } = yield* servingTo(inThisThread)
      const format = { format: "ranked-csv" } as const
      const zipped = gzipSync(manyRows.slice(0, 40_000))
      const cutOff = FeedServer.document(zipped.subarray(0, zipped.length - 1000))
      assert.strictEqual(yield* errorOf(build(cutOff, format)), "Corrupt (gzip)")
      const short: FeedServer.Behaviour = { _tag: "Short", body: "1,a.example\n", announced: 1000 }
      assert.strictEqual(yield* errorOf(build(short, format)), "Unreachable (ECONNRESET)")
      const shared = document("1,google.com\n2,co.uk\n3,192.0.2.1\n")
      assert.strictEqual(yield* errorOf(build(shared, format)), "Empty")
      assert.strictEqual(
        yield* errorOf(build(document("no ranking"), format)),
        "Columns (1 of 1 rows have other columns)"
      )
    })
  )

  it.scoped("counts the rows of a ranking that it leaves out, and takes registrable domains", () =>
    Effect.gen(function* () {
      const { build } = yield* serving
      const domains = [
        "a.example",
        "news.a.example",
        "b.co.uk",
        "docs.google.com",
        "github.io",
        "192.0.2.1",
        "a b"
      ]
      const built = yield* build(document(gzipSync(majestic(domains))), { format: "majestic-csv" })
      assert.deepInclude(built, {
        counts: { skipped: 1, ignored: 3, firstSkipped: [{ line: 8, reason: "Not a URL or host" }] }
      })
      assert.strictEqual((yield* opened(built)).header.entries, 2)
    })
  )

  it.scoped("yields a list in memory that threads share", () =>
    Effect.gen(function* () {
      const { build } = yield* serving
      const { bytes } = yield* built(build(document(rows(1))))
      assert.instanceOf(bytes.buffer, SharedArrayBuffer)
    })
  )

  it.scoped("sends the headers of the request and gives the validators of the response", () =>
    Effect.gen(function* () {
      const { server, build } = yield* serving
      const built = yield* build(FeedServer.document(rows(1), { etag: '"x"', lastModified: "then" }), {
        headers: { "user-agent": "us" },
        authHeaders: { "auth-key": "SECRET" }
      })
      assert.deepInclude(built, { validators: { etag: '"x"', lastModified: "then" } })
      const { host, connection, ...sent } = server.received[0]?.headers ?? {}
      assert.deepStrictEqual(sent, { "user-agent": "us", "auth-key": "SECRET" })
    })
  )

  it.scoped("leaves the auth header at the feed's own origin", () =>
    Effect.gen(function* () {
      const { server, build } = yield* serving
      const elsewhere = yield* FeedServer.make()
      elsewhere.serve("/signed?Signature=a~b", document(rows(1)))
      const redirect = FeedServer.redirect(elsewhere.url("/signed?Signature=a~b"), 301)
      yield* build(redirect, { authHeaders: { "auth-key": "SECRET" } })
      assert.strictEqual(server.received[0]?.headers["auth-key"], "SECRET")
      assert.deepStrictEqual(
        elsewhere.received.map(({ headers }) => headers["auth-key"]),
        [undefined]
      )
    })
  )

  it.scoped("keeps what is left of the earlier list, and leaves that as it is", () =>
    Effect.gen(function* () {
      const { build } = yield* serving
      const day = Duration.toMillis(Duration.days(1))
      const oldestDay = 1
      const first = yield* build(document(rows(2)), { oldestDay })
      if (first._tag !== "NewDocument") return assert.fail(first._tag)
      const before = Buffer.from(first.bytes)
      const earlier = { bytes: first.bytes, fetchedAt: day }
      const second = yield* build(document(rows(1, 7)), { oldestDay, earlier })
      if (second._tag !== "NewDocument") return assert.fail(second._tag)
      assert.isTrue(before.equals(first.bytes))
      const list = yield* opened(second)
      assert.deepInclude(list.header, { entries: 3, entriesInDocument: 1 })
      assert.strictEqual(kindOf(list, "http://h0.example/a?b"), "listedUrl")

      const unchanged: FeedServer.Behaviour = { _tag: "Status", status: 304 }
      const again = { bytes: second.bytes, fetchedAt: 2 * day }
      assert.deepStrictEqual(yield* build(unchanged, { oldestDay, earlier: again }), {
        _tag: "NotModified",
        bytes: undefined
      })
      const rest = yield* build(unchanged, { oldestDay: 2, earlier: again })
      assert.strictEqual(rest._tag, "NotModified")
      assert.deepInclude((yield* opened(rest)).header, { entries: 1, entriesInDocument: 1 })
    })
  )

  it.scoped("fails as a server and its document do, read without the thread", () =>
    Effect.gen(function* () {
      const { build } = yield* servingTo(inThisThread)
      const csv = { format: "phishtank-csv" } as const
      const header =
        "phish_id,url,phish_detail_url,submission_time,verified,verification_time,online,target\n"
      const cases: ReadonlyArray<readonly [FeedServer.Behaviour, string, Partial<BuildRequest>?]> = [
        [document(""), "Empty"],
        [document(`<html>${rows(5000)}`), "NotAFeed (HTML)"],
        [document(gzipSync(rows(5000)).subarray(0, 5000)), "Corrupt (gzip)"],
        [document("phish_id,url\n1,x\n"), 'Columns (no column "submission_time")', csv],
        [document(`${header}1,"x`), "Corrupt", csv],
        [document(gzipSync(rows(5000))), "TooLarge", { limits: { ...limits, maxBodyBytes: 100_000 } }],
        [
          document(rows(10)),
          "TooLarge (more entries than a list may have)",
          { limits: { ...limits, maxKeys: 19 } }
        ],
        [{ _tag: "Status", status: 404 }, "Status (404)"],
        [
          {
            _tag: "Document",
            body: "<html>",
            headers: { "content-type": "text/html", "content-length": "1000000" }
          },
          "NotAFeed (HTML)"
        ],
        [
          { _tag: "Silence" },
          "Timeout (no answer)",
          { limits: { ...limits, connectTimeoutMs: 500, idleTimeoutMs: 1 } }
        ],
        [
          { _tag: "Stall", body: rows(1) },
          "Timeout (no byte for 0.1 seconds)",
          { limits: { ...limits, idleTimeoutMs: 100 } }
        ],
        [
          { _tag: "Stall", body: gzipSync(rows(5000)).subarray(0, 5000) },
          "Timeout (no byte for 0.1 seconds)",
          { limits: { ...limits, idleTimeoutMs: 100 } }
        ]
      ]
      for (const [behaviour, message, changes] of cases)
        assert.strictEqual(yield* errorOf(build(behaviour, changes)), message)
      const cut = gzipSync(rows(5000)).subarray(0, 5000)
      for (const behaviour of [
        { _tag: "Reset", body: cut },
        { _tag: "Reset", body: rows(1) },
        { _tag: "Short", body: rows(1), announced: 1000 }
      ] as const)
        assert.match(yield* errorOf(build(behaviour)), /^Unreachable \([A-Z_]+\)$/)
    })
  )

  it.scoped("fails when nothing listens and when the certificate is not valid", () =>
    Effect.gen(function* () {
      const { build } = yield* real
      const closed = yield* Effect.scoped(Effect.map(FeedServer.make(), (server) => server.url("/")))
      assert.strictEqual(
        yield* errorOf(build(buildRequest({ url: closed.href }))),
        "Unreachable (ECONNREFUSED)"
      )
      const expired = yield* FeedServer.make(expiredCertificate)
      assert.match(
        yield* errorOf(build(buildRequest({ url: expired.url("/").href }))),
        /^Unreachable \((DEPTH_ZERO_SELF_SIGNED_CERT|CERT_HAS_EXPIRED)\)$/
      )
    })
  )

  it.scoped("passes on for how long the server wants no request", () =>
    Effect.gen(function* () {
      const { build } = yield* serving
      const { retryAfterMillis } = yield* Effect.flip(
        build({ _tag: "Status", status: 429, headers: { "retry-after": "120" } })
      )
      assert.strictEqual(retryAfterMillis, 120_000)
    })
  )

  it.scoped("reads a file, without a span of a request, until it is the same", () =>
    Effect.gen(function* () {
      const file = join(folder, "SECRET.txt.gz")
      const url = pathToFileURL(file).href
      const spans: Array<string> = []
      const tracing = Tracing.of({
        isOn: true,
        span: (name) => (effect) => {
          spans.push(name)
          return effect
        }
      })
      const { build } = yield* Effect.provideService(real, Tracing, tracing)
      writeFileSync(file, gzipSync(rows(3000)))
      const first = yield* build(buildRequest({ url }))
      if (first._tag !== "NewDocument") return assert.fail(first._tag)
      assert.deepInclude((yield* opened(first)).header, { entries: 3000 })
      const headers = { "if-none-match": first.validators.etag ?? "" }
      assert.deepStrictEqual(yield* build(buildRequest({ url, headers })), {
        _tag: "NotModified",
        bytes: undefined
      })
      writeFileSync(file, "OK")
      assert.strictEqual(
        yield* errorOf(build(buildRequest({ url, headers }))),
        "NotAFeed (0 of 1 lines can be used; line 1: Not a URL or host)"
      )
      rmSync(file)
      const error = yield* Effect.flip(build(buildRequest({ url })))
      assert.strictEqual(error.message, "Unreachable (ENOENT)")
      assert.notInclude(inspect(error, { depth: 10 }), "SECRET")
      assert.deepStrictEqual(spans, [])

      yield* Effect.flip(build(buildRequest({ url: "http://127.0.0.1:1/" })))
      assert.deepStrictEqual(spans, ["GET"])
    })
  )

  it.scoped("starts no thread while a file does not respond", () =>
    Effect.gen(function* () {
      const turn = yield* Effect.makeSemaphore(1)
      const { build } = yield* real
      const file = join(folder, "slow.txt")
      writeFileSync(file, rows(1))
      const request = buildRequest({ url: pathToFileURL(file).href })
      const inTurn = Effect.provideService(build(request), Files.FileTurn, turn)
      yield* turn.take(1)
      const refused = yield* forkNow(errorOf(inTurn))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(refused), "Timeout (no response for 10 seconds)")
      yield* turn.release(1)
      assert.strictEqual((yield* inTurn)._tag, "NewDocument")
    })
  )

  it.scoped("reads no file that a redirect leads to", () =>
    Effect.gen(function* () {
      const { build } = yield* servingTo(inThisThread)
      const file = join(folder, "list.txt")
      writeFileSync(file, rows(1))
      for (const status of [301, 302, 303, 307, 308])
        assert.strictEqual(
          yield* errorOf(build(FeedServer.redirect(pathToFileURL(file), status))),
          "ForbiddenRedirect"
        )
    })
  )

  it.scoped("runs several builds at once, a slow server delaying none of the others", () =>
    Effect.gen(function* () {
      const { server, build } = yield* serving
      server.serve("/silence", { _tag: "Silence" })
      const slow = yield* Effect.fork((yield* real).build(buildRequest({ url: server.url("/silence").href })))
      yield* turnsUntil("the request has arrived", () => server.received.length === 1)
      const lists = yield* Effect.all([build(document(rows(3))), build(document(rows(3)))], {
        concurrency: "unbounded"
      })
      for (const list of lists) assert.deepInclude((yield* opened(list)).header, { entries: 3 })
      assert.isNull(slow.unsafePoll())
    })
  )

  it.scoped("starts another thread after one that ended", () =>
    Effect.gen(function* () {
      const { build } = yield* workerOf(
        "ends-once.cjs",
        serves('if (request.url === "x:") process.exit(3); reply()')
      )
      assert.strictEqual(yield* errorOf(build(buildRequest({ url: "x:" }))), "WorkerDied (exit 3)")
      assert.strictEqual(yield* errorOf(build(buildRequest({ url: "y:" }))), "Empty")
    })
  )

  it.scoped("lets lists that are due together share a thread, but none that is read from a file", () =>
    Effect.gen(function* () {
      const { build } = yield* workerOf(
        "shared.cjs",
        serves("setTimeout(() => reply(String(threadId)), 100)")
      )
      const file = join(folder, "own.txt")
      writeFileSync(file, rows(1))
      const urls = ["x:", "y:", pathToFileURL(file).href]
      const threads = (urls: ReadonlyArray<string>) =>
        Effect.forEach(urls, (url) => errorOf(build(buildRequest({ url }))), { concurrency: "unbounded" })
      const [x, y, own] = yield* threads(urls)
      assert.strictEqual(x, y)
      assert.notStrictEqual(x, own)
      const [later] = yield* threads(["x:"])
      assert.notStrictEqual(later, x)
    })
  )

  it.scoped("builds a list again when its thread died of another one", () =>
    Effect.gen(function* () {
      const file = join(folder, "the-other-has-died")
      const { build } = yield* workerOf(
        "dies-of-one.cjs",
        serves(`
          if (request.url === "x:") return setTimeout(() => process.exit(3), 100)
          const timer = setInterval(() => {
            if (!require("node:fs").existsSync(${JSON.stringify(file)})) return
            clearInterval(timer)
            reply()
          }, 10)`)
      )
      const died = Effect.map(errorOf(build(buildRequest({ url: "x:" }))), (error) =>
        assert.strictEqual(error, "WorkerDied (exit 3)")
      )
      const other = errorOf(build(buildRequest({ url: "y:" })))
      const first = yield* Effect.fork(other)
      yield* died
      // While the other one is built again, the dead thread is still shared.
      yield* died
      assert.isNull(first.unsafePoll())
      writeFileSync(file, "")
      assert.strictEqual(yield* other, "Empty")
      assert.strictEqual(yield* Fiber.join(first), "Empty")
    })
  )

  /** Whether a thread still writes the file. */
  const isBeating = (file: string) =>
    Effect.zipRight(
      Effect.sync(() => rmSync(file, { force: true })),
      TestServices.provideLive(
        Effect.delay(
          Effect.sync(() => existsSync(file)),
          "200 millis"
        )
      )
    )

  it.scoped("lets no later build wait for a thread that hangs, once one of its builds was interrupted", () =>
    Effect.gen(function* () {
      const file = join(folder, "hangs-for-one")
      const hang = `{ for (;;) require("node:fs").writeFileSync(${JSON.stringify(file)}, "") }`
      const { build } = yield* workerOf(
        "hangs-for-one.cjs",
        serves(`
          if (request.url === "x:") setTimeout(() => ${hang}, 100)
          else setTimeout(reply, 200, String(threadId))`)
      )
      const hanging = yield* Effect.fork(build(buildRequest({ url: "x:" })))
      const other = yield* Effect.fork(build(buildRequest({ url: "y:" })))
      yield* turnsUntil("the thread hangs", () => existsSync(file))
      yield* Fiber.interrupt(hanging)
      assert.match(yield* errorOf(build(buildRequest({ url: "z:" }))), /^Empty /)
      assert.isNull(other.unsafePoll())
      assert.isTrue(yield* isBeating(file))
      yield* Fiber.interrupt(other)
      yield* TestClock.adjust("1 second")
      yield* isBeating(file)
      assert.isFalse(yield* isBeating(file), "the thread has ended with the last of its builds")
    })
  )

  it.scoped(
    "builds a list whose thread hung in a thread of its own the next time, and then with others again",
    () =>
      Effect.gen(function* () {
        const file = join(folder, "hangs-again")
        const hang = `{ require("node:fs").writeFileSync(${JSON.stringify(file)}, ""); for (;;); }`
        const { build } = yield* workerOf(
          "hangs-again.cjs",
          serves(`
          if (request.url === "x:") setTimeout(() => ${hang}, 100)
          else setTimeout(reply, 200, String(threadId))`)
        )
        const started = (url: string) => Effect.fork(errorOf(build(buildRequest({ url }))))
        const all = yield* Effect.forEach(["x:", "y:"], started)
        yield* turnsUntil("the thread hangs", () => existsSync(file))
        yield* Effect.forEach(all, Fiber.interrupt)
        const [hanging, next] = yield* Effect.all([started("x:"), started("y:")])
        assert.match(yield* Fiber.join(next), /^Empty /)
        yield* Fiber.interrupt(hanging)
        const [y, z] = yield* Effect.flatMap(Effect.all([started("y:"), started("z:")]), (both) =>
          Effect.forEach(both, Fiber.join)
        )
        assert.strictEqual(y, z)
      })
  )

  it.scoped("ends its thread, whenever a build is interrupted", () =>
    Effect.gen(function* () {
      const { build } = yield* workerOf("interrupted.cjs", serves("reply(String(threadId))"))
      const threadOf = errorOf(build(buildRequest()))
      // The fiber is interrupted where it yields.
      for (let operations = 28; operations < 60; operations++) {
        const fiber = yield* Effect.fork(Effect.withMaxOpsBeforeYield(build(buildRequest()), operations))
        for (let turn = 0; turn < 3; turn++) yield* Effect.yieldNow()
        yield* Fiber.interrupt(fiber)
      }
      assert.notStrictEqual(yield* threadOf, yield* threadOf)
    })
  )

  it.scoped("ends a thread that hangs when it is interrupted", () =>
    Effect.gen(function* () {
      const file = join(folder, "loops")
      const { build } = yield* workerOf(
        "hangs.cjs",
        `for (;;) require("node:fs").writeFileSync(${JSON.stringify(file)}, "")`
      )
      const hanging = yield* Effect.fork(build(buildRequest()))
      yield* turnsUntil("the thread has started", () => existsSync(file))
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(hanging)))
      yield* TestClock.adjust("1 second")
      yield* isBeating(file)
      assert.isFalse(yield* isBeating(file))
    })
  )

  it.scoped("lets a thread that has answered end by itself", () =>
    Effect.gen(function* () {
      const file = join(folder, "has-ended")
      const { build } = yield* workerOf(
        "ends-late.cjs",
        serves(
          `reply(); setTimeout(() => require("node:fs").writeFileSync(${JSON.stringify(file)}, ""), 100)`
        )
      )
      assert.strictEqual(yield* errorOf(build(buildRequest())), "Empty")
      yield* turnsUntil("the thread has written its file", () => existsSync(file))
    })
  )

  it.scoped("terminates a thread that has answered and does not end within a second", () =>
    Effect.gen(function* () {
      const file = join(folder, "beats")
      const { build } = yield* workerOf(
        "stays.cjs",
        serves(
          `reply(); setInterval(() => require("node:fs").writeFileSync(${JSON.stringify(file)}, ""), 20)`
        )
      )
      assert.strictEqual(yield* errorOf(build(buildRequest())), "Empty")
      assert.isTrue(yield* isBeating(file))
      yield* TestClock.adjust("1 second")
      yield* isBeating(file)
      assert.isFalse(yield* isBeating(file))
    })
  )

  it.scoped("starts no thread before the service is ready", () =>
    Effect.gen(function* () {
      writeFileSync(join(folder, "waits.cjs"), "process.exit(3)")
      const { build } = yield* ListWorker.make(
        pathToFileURL(join(folder, "waits.cjs")),
        Effect.dieMessage("not ready")
      )
      const cause = yield* Effect.sandbox(build(buildRequest())).pipe(Effect.flip)
      assert.include(Cause.pretty(cause), "not ready")
    })
  )

  it.scoped("fails when its thread dies", () =>
    Effect.gen(function* () {
      const deaths = [
        ["exits.cjs", "process.exit(3)", "WorkerDied (exit 3)"],
        ["ends.cjs", "", "WorkerDied (exit 0)"],
        [
          "grows.cjs",
          "const kept = []; for (;;) kept.push(new Array(1e6).fill(0))",
          "WorkerDied (ERR_WORKER_OUT_OF_MEMORY)"
        ]
      ] as const
      for (const [name, text, message] of deaths)
        assert.strictEqual(yield* errorOf((yield* workerOf(name, text)).build(buildRequest())), message)
    })
  )

  it.scoped("takes an exception in its thread for a bug", () =>
    Effect.gen(function* () {
      const { build } = yield* serving
      const throwing = yield* workerOf("throws.cjs", 'throw new Error("a bug")')
      const earlier = { bytes: new Uint8Array(new SharedArrayBuffer(8)), fetchedAt: 0 }
      for (const [work, message] of [
        [throwing.build(buildRequest()), "a bug"],
        [build(document(rows(1)), { earlier }), "getOrThrow called on a None"]
      ] as const) {
        const exit = yield* Effect.exit(work)
        assert.isTrue(Exit.isFailure(exit) && exit.cause._tag === "Die")
        assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", message)
      }
    })
  )

  it.scoped("closes its connection when it is interrupted, and when it fails", () =>
    Effect.gen(function* () {
      const { server, build } = yield* serving
      for (const [index, behaviour] of endless.entries()) {
        const fiber = yield* Effect.fork(build(behaviour))
        yield* turnsUntil("the next request has arrived", () => server.received.length > index)
        yield* Fiber.interrupt(fiber)
        yield* turnsUntil("its connection is closed", () => server.abandoned() === index + 1)
      }
      assert.strictEqual(
        yield* errorOf(build({ _tag: "Endless", piece: `<html>${rows(50)}` })),
        "NotAFeed (HTML)"
      )
      yield* turnsUntil("all connections are closed", () => server.abandoned() === endless.length + 1)
    })
  )

  it.scoped("leaves the other builds of its thread alone when it is interrupted", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      const { build } = yield* real
      const from = (path: string, behaviour: FeedServer.Behaviour) => {
        server.serve(path, behaviour)
        return Effect.fork(build(buildRequest({ url: server.url(path).href })))
      }
      const requests = (path: string) => server.received.filter((request) => request.path === path).length
      const other = yield* from("/other", { _tag: "Stall", body: rows(1) })
      yield* turnsUntil("the other build has begun", () => requests("/other") === 1)
      for (const [index, behaviour] of endless.entries()) {
        const path = `/${index}`
        const fiber = yield* from(path, behaviour)
        yield* turnsUntil("the request has arrived", () => requests(path) === 1)
        yield* Fiber.interrupt(fiber)
        yield* turnsUntil("its connection is closed", () => server.abandoned() === index + 1)
      }
      // A thread that died of one would have begun again.
      const last = yield* from("/last", document(rows(2)))
      assert.strictEqual((yield* Fiber.join(last))._tag, "NewDocument")
      assert.strictEqual(requests("/other"), 1)
      assert.isNull(other.unsafePoll())
    })
  )

  it.scoped("gives its thread nothing of the environment", () =>
    Effect.gen(function* () {
      const { build } = yield* workerOf("environment.cjs", serves("reply(JSON.stringify(process.env))"))
      assert.strictEqual(yield* errorOf(build(buildRequest())), "Empty ({})")
    })
  )

  it.scoped("runs the script that it read first, also when the file is another by then", () =>
    Effect.gen(function* () {
      const script = (detail: string) => serves(`reply("${detail}")`)
      const { build } = yield* workerOf("replaced.cjs", script("first"))
      writeFileSync(join(folder, "replaced.cjs"), script("second"))
      assert.strictEqual(yield* errorOf(build(buildRequest())), "Empty (first)")
    })
  )
})

describe("ListWorker.updateLists", () => {
  const steps = vectors.update_sequences.find(({ name }) => name === "two_threat_lists")?.steps ?? []
  const [first, second] = steps.map(({ request, body_base64 }) => ({
    path: `/v5/hashLists:batchGet?${request.query}`,
    body: Uint8Array.from(Buffer.from(body_base64, "base64"))
  }))

  const protobuf = (body: Uint8Array) =>
    FeedServer.document(body, { headers: { "content-type": "application/x-protobuf" } })

  const updateRequest = (
    server: FeedServer.FeedServer,
    changes: Partial<UpdateRequest> = {}
  ): UpdateRequest => ({
    _tag: "UpdateLists",
    baseUrl: server.url("/").origin,
    headers: { "user-agent": "us" },
    authHeaders: { "x-goog-api-key": "SECRET" },
    lists: ["se-4b", "mw-4b"].map((name) => ({ name, version: undefined, bytes: undefined })),
    limits: UPDATE_LIMITS,
    ...changes
  })

  it.scoped("updates the same lists as without a thread, first whole and then in part", () =>
    Effect.gen(function* () {
      if (first === undefined || second === undefined) return assert.fail("no steps")
      const server = yield* FeedServer.make()
      const { updateLists } = yield* real
      const withoutThread = (request: UpdateRequest, body: Uint8Array) =>
        Effect.promise((signal) =>
          ListDownload.update(
            request,
            async () => ({
              status: 200,
              headers: { "content-type": "application/x-protobuf" },
              body: (async function* () {
                yield body
              })()
            }),
            signal
          )
        )
      server.serve(first.path, protobuf(first.body))
      server.serve(second.path, protobuf(second.body))

      const whole = yield* updateLists(updateRequest(server))
      assert.deepStrictEqual(whole, yield* withoutThread(updateRequest(server), first.body))
      const lists = whole.lists.map((list) => {
        return { name: list.name, version: list.version, bytes: list.bytes }
      })
      const before = lists.map(({ bytes }) => Buffer.from(bytes ?? []))
      const request = updateRequest(server, { lists })
      const inPart = yield* updateLists(request)
      assert.deepStrictEqual(inPart, yield* withoutThread(request, second.body))
      assert.deepStrictEqual(
        inPart.lists.map((list) => list.bytes?.length),
        [260, undefined]
      )
      // The earlier lists are still in use while the thread reads its copies.
      for (const [index, { bytes }] of lists.entries())
        assert.isTrue(before[index]?.equals(bytes ?? new Uint8Array()))

      assert.deepStrictEqual(
        server.received.map(({ path, headers }) => [path, headers["x-goog-api-key"], headers["user-agent"]]),
        [
          [first.path, "SECRET", "us"],
          [second.path, "SECRET", "us"]
        ]
      )
    })
  )

  it.scoped("empties several lists at once", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      const { updateLists } = yield* real
      const emptied = (name: string) =>
        field(
          1,
          Buffer.concat([
            field(1, Buffer.from(name)),
            field(2, Uint8Array.of(9)),
            field(7, createHash("sha256").digest())
          ])
        )
      server.serve(
        "/v5/hashLists:batchGet?names=se-4b&names=mw-4b&version=AQ%3D%3D&version=AQ%3D%3D&alt=proto",
        protobuf(Buffer.concat(["se-4b", "mw-4b"].map(emptied)))
      )
      // Views of one buffer, whose `slice` would copy nothing.
      const pool = Buffer.alloc(8)
      pool.write("0000000100000002", "hex")
      const lists = ["se-4b", "mw-4b"].map((name, index) => ({
        name,
        version: "AQ==",
        bytes: pool.subarray(index * 4, index * 4 + 4)
      }))
      const updated = yield* updateLists(updateRequest(server, { lists }))
      assert.deepStrictEqual(
        updated.lists.map((list) => list.bytes),
        [new Uint8Array(), new Uint8Array()]
      )
      assert.strictEqual(pool.toString("hex"), "0000000100000002")
    })
  )

  it.scoped("fails with the reason when the service fails, without the key", () =>
    Effect.gen(function* () {
      if (first === undefined) return assert.fail("no steps")
      const server = yield* FeedServer.make()
      const { updateLists } = yield* real
      const behaviours: ReadonlyArray<readonly [FeedServer.Behaviour, string]> = [
        [{ _tag: "Status", status: 503, headers: { "retry-after": "120" } }, "Status (503)"],
        [{ _tag: "Status", status: 403 }, "Safe Browsing refuses REPUTATION_API_KEY (403)"],
        [FeedServer.redirect("http://127.0.0.1:1/"), "Status (302)"],
        [FeedServer.document("no list"), "Malformed (content type)"]
      ]
      for (const [behaviour, expected] of behaviours) {
        server.serve(first.path, behaviour)
        const error = yield* Effect.flip(updateLists(updateRequest(server)))
        assert.strictEqual(error.message, expected)
        assert.strictEqual(error.retryAfterMillis, expected === "Status (503)" ? 120_000 : undefined)
        assert.notInclude(inspect(error, { depth: 10 }), "SECRET")
      }
      const closed = yield* Effect.scoped(Effect.map(FeedServer.make(), (server) => server.url("/").origin))
      const error = yield* Effect.flip(updateLists(updateRequest(server, { baseUrl: closed })))
      assert.strictEqual(error.message, "Unreachable (ECONNREFUSED)")
    })
  )

  it.scoped("makes a span of the host only", () =>
    Effect.gen(function* () {
      const spans: Array<unknown> = []
      const tracing = Tracing.of({
        isOn: true,
        span: (name, options) => (effect) => {
          spans.push({ name, ...options })
          return effect
        }
      })
      const { updateLists } = yield* Effect.provideService(real, Tracing, tracing)
      const server = yield* FeedServer.make()
      yield* Effect.ignore(updateLists(updateRequest(server)))
      assert.deepStrictEqual(spans, [
        {
          name: "GET",
          kind: "client",
          attributes: { "http.request.method": "GET", "server.address": "127.0.0.1" }
        }
      ])
    })
  )

  it.scoped("closes its connection when it is interrupted", () =>
    Effect.gen(function* () {
      if (first === undefined) return assert.fail("no steps")
      const server = yield* FeedServer.make()
      const { updateLists } = yield* real
      server.serve(first.path, { _tag: "Silence" })
      const fiber = yield* Effect.fork(updateLists(updateRequest(server)))
      yield* turnsUntil("the request has arrived", () => server.received.length === 1)
      yield* Fiber.interrupt(fiber)
      yield* turnsUntil("the connection is closed", () => server.abandoned() === 1)
    })
  )

  it.scoped("fails when its thread dies, and takes an exception in it for a bug", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      const dying = yield* workerOf("dies.cjs", "process.exit(3)")
      assert.strictEqual(yield* errorOf(dying.updateLists(updateRequest(server))), "WorkerDied (exit 3)")
      const { updateLists } = yield* workerOf("throws-at-update.cjs", 'throw new Error("a bug")')
      const exit = yield* Effect.exit(updateLists(updateRequest(server)))
      assert.isTrue(Exit.isFailure(exit) && exit.cause._tag === "Die")
    })
  )
})
