import { FileSystem } from "@effect/platform"
import { SystemError } from "@effect/platform/Error"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Context, Effect, Fiber, Layer, Option } from "effect"
import type { Finding } from "../../src/Checkers/Checker.ts"
import * as OperatorDecisions from "../../src/Checkers/OperatorDecisions.ts"
import type { Decision } from "../../src/Checkers/Verdict.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { OperatorLists } from "../../src/Lists/OperatorLists.ts"
import * as Submission from "../../src/Url/Submission.ts"
import * as HangingDisk from "../fixtures/HangingDisk.ts"
import * as LogLines from "../fixtures/LogLines.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { adjust } from "../fixtures/NextTurn.ts"
import { environment } from "../fixtures/ServiceUnderTest.ts"

const ALLOW = "/lists/allow.txt"
const BLOCK = "/lists/block.txt"
const both = { ALLOW_LIST: ALLOW, BLOCK_LIST: BLOCK }

const diskWith = (files: Readonly<Record<string, string>>) => {
  const disk = MemoryDisk.make()
  for (const [path, content] of Object.entries(files)) disk.files.set(path, Buffer.from(content))
  return disk
}

const listsOn = (
  disk: { readonly layer: Layer.Layer<FileSystem.FileSystem> },
  env: Readonly<Record<string, string>>
) =>
  Layer.build(
    OperatorLists.layer.pipe(
      Layer.provide(disk.layer),
      Layer.provide(AppConfig.layer),
      Layer.provide(environment(env))
    )
  ).pipe(
    Effect.map((context) => {
      const lists = Context.get(context, OperatorLists)
      const decisionsOn = OperatorDecisions.make(lists)
      return {
        ...lists,
        isAsked: decisionsOn !== undefined,
        decisionsOn: (url: string) => decisionsOn?.(Submission.read(url, 0)) ?? []
      }
    })
  )

const blocked = (host: string): Finding => ({
  checker: "operator_lists",
  kind: "blocked",
  points: 100,
  reason: `The address ${host} is blocked by the operator of this service`,
  details: { host },
  addressIndex: 0
})

const poll = adjust("10 seconds")

const accessDenied = new SystemError({
  module: "FileSystem",
  method: "open",
  reason: "PermissionDenied",
  cause: Object.assign(new Error("secret"), { code: "EACCES" })
})

describe("OperatorLists", () => {
  it.scoped("reads no file and says nothing if no list is configured", () =>
    Effect.gen(function* () {
      const disk = diskWith({ [ALLOW]: "example.com" })
      const lists = yield* listsOn(disk, {})
      assert.isFalse(lists.isAsked)
      assert.deepStrictEqual(disk.done, [])
      deepStrictEqual(yield* lists.status, { allow: Option.none(), block: Option.none() })
    })
  )

  it.scoped(
    "says of each address what the more specific entry says, and nothing of text that is no URL",
    () =>
      Effect.gen(function* () {
        const disk = diskWith({
          [ALLOW]: "www.example.com\nexample.net",
          [BLOCK]: "example.com\nexample.net/a"
        })
        const { decisionsOn } = yield* listsOn(disk, both)
        const carried: Finding = {
          checker: "operator_lists",
          kind: "carriedListing",
          points: 65,
          reason:
            "The link contains the address example.com, which is blocked by the operator of this service",
          details: { address: "example.com" },
          addressIndex: 1
        }
        const leadsToBlocked: Finding = {
          ...blocked("example.com"),
          reason: "The link leads to example.com, which is blocked by the operator of this service",
          details: { host: "example.com", innerHost: "example.com" },
          addressIndex: 1
        }
        const expected: Readonly<Record<string, ReadonlyArray<Decision>>> = {
          "https://www.example.com/x": ["allow"],
          "HTTP://Login.Example.com./x": [blocked("login.example.com")],
          "https://example.net/": ["allow"],
          "https://example.net/a?b": [blocked("example.net")],
          "https://example.org/": [undefined],
          "https://www.google.com/url?q=https://example.com/": [undefined, leadsToBlocked],
          "https://example.net/?next=https://www.example.com/": ["allow", "allow"],
          "https://example.net/?next=https://example.com/": ["allow", carried],
          "mailto:somebody@example.com": [],
          "http://": []
        }
        for (const [url, decisions] of Object.entries(expected))
          assert.deepStrictEqual(decisionsOn(url), decisions, url)
      })
  )

  it.scoped("works with one of the two lists, and shows its state", () =>
    Effect.gen(function* () {
      const { lines, layer } = LogLines.collect()
      const disk = diskWith({ [BLOCK]: "example.com\nno URL\n# comment\nexample.com/a\n" })
      yield* adjust("1 minute")
      const lists = yield* Effect.provide(listsOn(disk, { BLOCK_LIST: BLOCK }), layer)
      assert.deepStrictEqual(lists.decisionsOn("https://example.com/"), [blocked("example.com")])
      deepStrictEqual(yield* lists.status, {
        allow: Option.none(),
        block: Option.some({
          entries: 2,
          skipped: 1,
          firstSkipped: [{ line: 2, reason: "Not a URL or host" }],
          fetchedAt: 60_000,
          isStale: false,
          lastError: Option.none()
        })
      })
      const fields = {
        list: "BLOCK_LIST",
        path: BLOCK,
        entries: 2,
        skipped: 1
      }
      assert.deepStrictEqual(lines, [
        { level: "info", message: `BLOCK_LIST was read: 2 entries from "${BLOCK}"`, ...fields },
        {
          level: "warning",
          message: `BLOCK_LIST: "${BLOCK}" has 1 line that is not used. Correct them: line 2: Not a URL or host`,
          ...fields,
          lines: "line 2: Not a URL or host"
        }
      ])
    })
  )

  it.scoped("reads a changed file again at the next poll, and no other", () =>
    Effect.gen(function* () {
      const disk = diskWith({ [ALLOW]: "example.com", [BLOCK]: "example.net" })
      const { decisionsOn, status } = yield* listsOn(disk, both)
      yield* poll
      assert.deepStrictEqual(disk.done, [`read ${ALLOW}`, `read ${BLOCK}`])
      disk.files.set(BLOCK, Buffer.from("example.org"))
      assert.deepStrictEqual(decisionsOn("https://example.net/"), [blocked("example.net")])
      yield* poll
      assert.deepStrictEqual(disk.done, [`read ${ALLOW}`, `read ${BLOCK}`, `read ${BLOCK}`])
      assert.deepStrictEqual(decisionsOn("https://example.net/"), [undefined])
      assert.deepStrictEqual(decisionsOn("https://example.org/"), [blocked("example.org")])
      const { allow, block } = yield* status
      assert.deepStrictEqual(
        [Option.getOrThrow(allow).fetchedAt, Option.getOrThrow(block).fetchedAt],
        [0, 20_000]
      )
    })
  )

  const disk16MiB = 16 * 1024 * 1024
  const damages: ReadonlyArray<readonly [message: string, damage: (disk: MemoryDisk.MemoryDisk) => void]> = [
    ["cannot be read (NotFound)", ({ files }) => files.delete(ALLOW)],
    ["is not a regular file", ({ types }) => types.set(ALLOW, "FIFO")],
    ["is not a regular file", ({ types }) => types.set(ALLOW, "Directory")],
    ["is larger than 16 MiB", ({ files }) => files.set(ALLOW, Buffer.alloc(disk16MiB + 1))],
    [
      "cannot be read (EACCES)",
      (disk) => {
        disk.files.set(ALLOW, Buffer.from("example.org"))
        disk.error = Effect.fail(accessDenied)
      }
    ]
  ]

  it.scoped.each(damages)("keeps the last entries and reports once when the file %s", ([message, damage]) =>
    Effect.gen(function* () {
      const { lines, layer } = LogLines.collect()
      const disk = diskWith({ [ALLOW]: "example.com" })
      const original = disk.files.get(ALLOW) ?? Buffer.alloc(0)
      const { decisionsOn, status } = yield* Effect.provide(listsOn(disk, { ALLOW_LIST: ALLOW }), layer)
      damage(disk)
      for (let polls = 0; polls < 3; polls++) {
        yield* poll
        assert.deepStrictEqual(decisionsOn("https://example.com/"), ["allow"])
        deepStrictEqual(
          (yield* status).allow,
          Option.some({
            entries: 1,
            skipped: 0,
            firstSkipped: [],
            fetchedAt: 0,
            isStale: true,
            lastError: Option.some({ message, at: 10_000 })
          })
        )
      }
      const warnings = () => lines.filter(({ level }) => level === "warning")
      assert.deepStrictEqual(warnings(), [
        {
          level: "warning",
          message: `ALLOW_LIST: "${ALLOW}" ${message}. The list stays as it was read before`,
          list: "ALLOW_LIST",
          path: ALLOW,
          reason: message
        }
      ])
      disk.types.clear()
      disk.error = undefined
      disk.files.set(ALLOW, original)
      yield* poll
      deepStrictEqual(
        Option.flatMap((yield* status).allow, ({ lastError }) => lastError),
        Option.none()
      )
      assert.lengthOf(warnings(), 1)
    })
  )

  it.scoped("keeps its entries when the file is emptied, as a download that failed leaves it", () =>
    Effect.gen(function* () {
      const { lines, layer } = LogLines.collect()
      const disk = diskWith({ [BLOCK]: "example.com" })
      const lists = yield* Effect.provide(listsOn(disk, { BLOCK_LIST: BLOCK }), layer)
      for (const emptied of ["", "# none\n"]) {
        disk.files.set(BLOCK, Buffer.from(emptied))
        yield* poll
        assert.deepStrictEqual(lists.decisionsOn("https://example.com/"), [blocked("example.com")])
      }
      const message = "has no entries any more: restart the service if that is meant"
      deepStrictEqual(
        Option.map((yield* lists.status).block, ({ lastError }) => lastError),
        Option.some(Option.some({ message, at: 10_000 }))
      )
      assert.lengthOf(
        lines.filter(({ level }) => level === "warning"),
        1
      )
    })
  )

  it.scoped("reads a file that is not a list once, and again when it has changed", () =>
    Effect.gen(function* () {
      const disk = diskWith({ [BLOCK]: "example.com" })
      const { decisionsOn, status } = yield* listsOn(disk, { BLOCK_LIST: BLOCK })
      const lastError = Effect.map(status, ({ block }) => Option.flatMap(block, ({ lastError }) => lastError))
      disk.files.set(BLOCK, Buffer.from("no URL"))
      for (let polls = 0; polls < 3; polls++) yield* poll
      assert.isTrue(Option.isSome(yield* lastError))
      assert.lengthOf(disk.done, 2)
      disk.files.set(BLOCK, Buffer.from("example.org"))
      yield* poll
      assert.deepStrictEqual(decisionsOn("https://example.org/"), [blocked("example.org")])
      deepStrictEqual(yield* lastError, Option.none())
    })
  )

  it.scoped("reports a read that hangs once, and reads the file again when it has returned", () =>
    Effect.gen(function* () {
      const { lines, layer } = LogLines.collect()
      const { files, hang, made, restore } = HangingDisk.make()
      const bounded = Layer.succeed(FileSystem.FileSystem, files)
      const lists = yield* Effect.provide(listsOn({ layer: bounded }, both), layer)
      hang(ALLOW)
      for (let polls = 0; polls < 5; polls++) yield* poll
      const { allow, block } = yield* lists.status
      deepStrictEqual(
        Option.map(allow, ({ lastError }) => lastError),
        Option.some(Option.some({ message: "did not respond within 10 seconds", at: 20_000 }))
      )
      deepStrictEqual(
        Option.map(block, ({ lastError }) => lastError),
        Option.some(Option.none())
      )
      const warnings = lines.filter(
        ({ level, message }) => level === "warning" && !String(message).endsWith("has no entries")
      )
      assert.deepStrictEqual(warnings, [
        {
          level: "warning",
          message: `ALLOW_LIST: "${ALLOW}" did not respond within 10 seconds. The list stays as it was read before`,
          list: "ALLOW_LIST",
          path: ALLOW,
          reason: "did not respond within 10 seconds"
        }
      ])
      const looks = () => made.filter((call) => call === `stat ${ALLOW}`).length
      const before = looks()
      restore(ALLOW)
      yield* poll
      assert.isAbove(looks(), before)
      deepStrictEqual(
        Option.flatMap((yield* lists.status).allow, ({ lastError }) => lastError),
        Option.none()
      )
    })
  )

  it.scoped("fails at the start with a line for a file that hangs", () =>
    Effect.gen(function* () {
      const { files, hang } = HangingDisk.make()
      hang(ALLOW, "readAlloc")
      const layer = Layer.succeed(FileSystem.FileSystem, files)
      const starting = yield* Effect.fork(Effect.flip(listsOn({ layer }, both)))
      yield* poll
      assert.strictEqual(
        (yield* Fiber.join(starting)).message,
        `ALLOW_LIST: "${ALLOW}" did not respond within 10 seconds`
      )
    })
  )

  it.scoped("opens only a regular file of at most 16 MiB", () =>
    Effect.gen(function* () {
      for (const [, damage] of damages.slice(0, 4)) {
        const disk = diskWith({ [ALLOW]: "example.com" })
        damage(disk)
        const error = yield* Effect.flip(listsOn(disk, { ALLOW_LIST: ALLOW }))
        assert.strictEqual(error._tag, "InvalidConfig")
        assert.deepStrictEqual(disk.done, [])
      }
      const largest = diskWith({ [ALLOW]: `${"#".repeat(disk16MiB - 12)}\nexample.com` })
      assert.deepStrictEqual((yield* listsOn(largest, { ALLOW_LIST: ALLOW })).decisionsOn("example.com"), [
        "allow"
      ])
    })
  )

  /** A disk on which a file becomes another one while it is opened. */
  const replacing = (disk: MemoryDisk.MemoryDisk, replacement: Partial<FileSystem.File>) =>
    Layer.map(disk.layer, (context) => {
      const files = Context.get(context, FileSystem.FileSystem)
      return Context.add(context, FileSystem.FileSystem, {
        ...files,
        open: (path, options) =>
          Effect.map(files.open(path, options), (file) => ({ ...file, ...replacement }))
      })
    })

  it.scoped("checks the file that it opened, and stops reading one that grows beyond 16 MiB", () =>
    Effect.gen(function* () {
      const disk = diskWith({ [ALLOW]: "example.com" })
      const { stat } = yield* Effect.orDie(
        Effect.flatMap(FileSystem.FileSystem, (files) => files.open(ALLOW, { flag: "r" })).pipe(
          Effect.provide(disk.layer)
        )
      )
      const fifo = { stat: Effect.map(stat, (info) => ({ ...info, type: "FIFO" as const })) }
      const growing = { readAlloc: () => Effect.succeedSome(Buffer.alloc(1_048_576, "#")) }
      for (const [replacement, message] of [
        [fifo, "is not a regular file"],
        [growing, "is larger than 16 MiB"]
      ] as const) {
        const layer = replacing(disk, replacement)
        const error = yield* Effect.flip(listsOn({ layer }, { ALLOW_LIST: ALLOW }))
        assert.strictEqual(error.message, `ALLOW_LIST: "${ALLOW}" ${message}`)
      }
    })
  )

  it.scoped("fails with one line that names each variable, its path and why", () =>
    Effect.gen(function* () {
      const disk = diskWith({ "/a\nb\u009b": "" })
      disk.types.set("/a\nb\u009b", "Directory")
      const error = yield* Effect.flip(listsOn(disk, { ALLOW_LIST: "/a\nb\u009b", BLOCK_LIST: BLOCK }))
      assert.strictEqual(
        error.message,
        `ALLOW_LIST: "/a\\nb\u009b" is not a regular file; BLOCK_LIST: "${BLOCK}" cannot be read (NotFound)`
      )
    })
  )
})
