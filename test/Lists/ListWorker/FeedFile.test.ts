import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { ListError } from "../../../src/Lists/ListError.ts"
import * as Download from "../../../src/Lists/ListWorker/Download.ts"
import type { BuildRequest } from "../../../src/Lists/ListWorker/Messages.ts"
import { buildRequest, limits } from "../../fixtures/BuildRequests.ts"

const rows = "http://a.example/\nhttp://b.example/\n"

let folder = ""
let path = ""

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))
  path = join(folder, "SECRET list #1?.txt")
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What reading the file gives: the document as text, `not modified`, or the error. `meanwhile` runs between its chunks. */
const read = async (changes: Partial<BuildRequest> = {}, meanwhile = () => {}) => {
  const end = new AbortController()
  const reading = async () => {
    const url = pathToFileURL(path).href
    const download = await Download.download(buildRequest({ url, ...changes }), Download.make(), end.signal)
    if (download._tag === "NotModified") return { text: "not modified", version: undefined }
    const chunks: Array<Uint8Array> = []
    for await (const chunk of download.body) {
      chunks.push(chunk)
      meanwhile()
    }
    return { text: Buffer.concat(chunks).toString(), version: download.validators.etag }
  }
  try {
    return await reading()
  } catch (error) {
    if (!(error instanceof ListError)) throw error
    assert.notInclude(inspect(error, { depth: 10 }), "SECRET")
    const text = error.detail === undefined ? error.reason : `${error.reason} (${error.detail})`
    return { text, version: undefined }
  } finally {
    end.abort()
  }
}

const textOf = async (changes?: Partial<BuildRequest>) => (await read(changes)).text

describe("FeedFile", () => {
  it("reads no other file when it was closed before its end", async () => {
    // Its first bytes decide whether it is a feed.
    writeFileSync(path, gzipSync(Buffer.concat([Buffer.from(rows), randomBytes(2_000_000)])))
    const end = new AbortController()
    const request = buildRequest({ url: pathToFileURL(path).href })
    const download = await Download.download(request, Download.make(), end.signal)
    if (download._tag === "Document") for await (const _ of download.body) break
    end.abort()
    // It has the number of the closed one, from which a decompressor still reads.
    const next = openSync(path, "r")
    for (let turn = 0; turn < 100; turn++) await setImmediate()
    const first = Buffer.alloc(2)
    readSync(next, first)
    closeSync(next)
    assert.strictEqual(first.toString("hex"), "1f8b")
  })

  it("reads a file whole, compressed or not, also by a link", async () => {
    for (const bytes of [rows, gzipSync(rows), gzipSync(gzipSync(rows))]) {
      writeFileSync(path, bytes)
      assert.strictEqual(await textOf(), rows)
    }
    const long = rows.repeat(10_000)
    writeFileSync(path, long)
    assert.strictEqual(await textOf(), long)
    symlinkSync(path, join(folder, "link"))
    path = join(folder, "link")
    assert.strictEqual(await textOf(), long)
  })

  it("says that a file is not modified until it is", async () => {
    const time = new Date("2026-11-22T10:00:00Z")
    writeFileSync(path, rows)
    utimesSync(path, time, time)
    const first = await read()
    const headers = { "if-none-match": first.version ?? "" }
    assert.strictEqual(await textOf({ headers }), "not modified")

    writeFileSync(`${path}.new`, rows.replace("a", "c"))
    utimesSync(`${path}.new`, time, time)
    renameSync(`${path}.new`, path)
    const second = await read({ headers })
    assert.strictEqual(second.text, rows.replace("a", "c"))

    utimesSync(path, time, new Date(time.getTime() + 1))
    assert.strictEqual(await textOf({ headers: { "if-none-match": second.version ?? "" } }), second.text)
  })

  it("opens only regular files, and waits for none", async () => {
    assert.strictEqual(await textOf(), "Unreachable (ENOENT)")
    mkdirSync(path)
    assert.strictEqual(await textOf(), "Unreachable (NotAFile)")
    rmSync(path, { recursive: true })
    execFileSync("mkfifo", [path])
    assert.strictEqual(await textOf(), "Unreachable (NotAFile)")
    assert.strictEqual(await textOf({ url: "file:///dev/zero" }), "Unreachable (NotAFile)")
    path = join(path, "below")
    assert.strictEqual(await textOf(), "Unreachable (ENOTDIR)")
  })

  it("refuses what is too large, also decompressed", async () => {
    const small = { limits: { ...limits, maxBodyBytes: 1000 } }
    writeFileSync(path, "a".repeat(1000))
    assert.strictEqual(await textOf(small), "a".repeat(1000))
    writeFileSync(path, "a".repeat(1001))
    assert.strictEqual(await textOf(small), "TooLarge")
    writeFileSync(path, gzipSync("a".repeat(1001)))
    assert.strictEqual(await textOf(small), "TooLarge")
  })

  it("refuses pages and archives as a download does", async () => {
    writeFileSync(path, "<!doctype html><title>x</title>")
    assert.strictEqual(await textOf(), "NotAFeed (HTML)")
    writeFileSync(path, "PK\x03\x04invented bytes")
    assert.strictEqual(await textOf(), "NotAFeed (zip)")
  })

  it("refuses a file that is written to while it is read, not one that is replaced", async () => {
    const long = rows.repeat(10_000)
    writeFileSync(path, long)
    const written = await read({}, () => writeFileSync(path, long.slice(18)))
    assert.strictEqual(written.text, "Corrupt (changed while it was read)")

    writeFileSync(path, long)
    let isReplaced = false
    const replaced = await read({}, () => {
      if (isReplaced) return
      isReplaced = true
      writeFileSync(`${path}.new`, "c.example")
      renameSync(`${path}.new`, path)
    })
    assert.strictEqual(replaced.text, long)
    assert.strictEqual(await textOf({ headers: { "if-none-match": replaced.version ?? "" } }), "c.example")
  })
})
