import { inspect } from "node:util"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import * as HashList from "../../../src/Lists/HashLists/HashList.ts"
import * as ListDownload from "../../../src/Lists/HashLists/ListDownload.ts"
import { type ListError, orDefect } from "../../../src/Lists/ListError.ts"
import type { FeedResponse, Get } from "../../../src/Lists/ListWorker/Download.ts"
import {
  type EarlierList,
  UPDATE_LIMITS,
  type UpdatedList,
  type UpdatedLists,
  type UpdateRequest
} from "../../../src/Lists/ListWorker/Messages.ts"
import { errorOfVector, hashesOf } from "../../fixtures/HashListMessages.ts"
import vectors from "../../fixtures/local-lists-vectors.json" with { type: "json" }

type Sent = { readonly url: string } & Parameters<Get>[1]

/** A server: a response, the code of the error with which the connection fails, or silence. */
type Answer = FeedResponse | { readonly code: string } | "silence"

const bodyOf = async function* (...chunks: ReadonlyArray<string | Uint8Array>) {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

const response = (
  body: string | Uint8Array | AsyncIterable<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
  status = 200
): FeedResponse => ({
  status,
  headers: { "content-type": "application/x-protobuf", ...headers },
  body: typeof body === "string" || body instanceof Uint8Array ? bodyOf(body) : body
})

const earlierList = (name: string, changes: Partial<EarlierList> = {}): EarlierList => ({
  name,
  version: undefined,
  bytes: undefined,
  ...changes
})

/** Updates lists; `answer` gets each request. */
const update = async (
  lists: ReadonlyArray<EarlierList>,
  answer: (sent: Sent) => Answer,
  changes: Partial<UpdateRequest> = {}
) => {
  const sent: Array<Sent> = []
  const get: Get = async (url, options) => {
    sent.push({ url, ...options })
    const given = answer({ url, ...options })
    if (given === "silence") return new Promise(() => undefined)
    if ("code" in given) throw Object.assign(new Error(`cannot connect to ${url}`), given)
    return given
  }
  const updated = await ListDownload.update(
    {
      _tag: "UpdateLists",
      baseUrl: "https://lists.example",
      headers: { "user-agent": "us" },
      authHeaders: { "x-goog-api-key": "SECRET" },
      lists,
      limits: UPDATE_LIMITS,
      ...changes
    },
    get,
    new AbortController().signal
  ).catch(orDefect)
  return { sent, updated }
}

const queryOf = ({ url }: { readonly url: string }) => url.slice(url.indexOf("?") + 1)

/** The names of the lists that are updated, or the reason with its detail. */
const shown = (response: UpdatedLists | ListError) => {
  if ("lists" in response) return response.lists.map(({ name }) => name).join()
  return response.detail === undefined ? response.reason : `${response.reason} (${response.detail})`
}

const outcomeOf = async (...parameters: Parameters<typeof update>) =>
  shown((await update(...parameters)).updated)

const listsOf = (response: UpdatedLists | ListError): ReadonlyArray<UpdatedList> =>
  "lists" in response ? response.lists : assert.fail(shown(response))

const base64 = (text: string) => Uint8Array.from(Buffer.from(text, "base64"))

const sequence = (name: string) =>
  vectors.update_sequences.find((sequence) => sequence.name === name) ?? assert.fail(name)

const [firstStep] = sequence("two_threat_lists").steps

/** se-4b and mw-4b, both whole. */
const bothLists = base64(firstStep?.body_base64 ?? "")

/** A list as a vector expects it, as it is sent in the next request. */
const storedOf = (expected: {
  readonly name: string
  readonly version_base64: string
  readonly hashes_hex: string
}) =>
  earlierList(expected.name, {
    version: expected.version_base64,
    bytes: Uint8Array.from(Buffer.from(expected.hashes_hex, "hex"))
  })

/** The lists after an update: those that were not requested stay. */
const after = (before: ReadonlyMap<string, EarlierList>, outcomes: ReadonlyArray<UpdatedList>) => {
  const lists = new Map(before)
  for (const outcome of outcomes)
    lists.set(
      outcome.name,
      earlierList(outcome.name, {
        version: outcome.version,
        bytes: outcome.bytes ?? before.get(outcome.name)?.bytes ?? new Uint8Array()
      })
    )
  return lists
}

const asVector = ({ name, version, bytes = new Uint8Array() }: EarlierList) => {
  const width = HashList.widthOf(name)
  const hashes = hashesOf({ width, bytes })
  return {
    name,
    version_base64: version ?? assert.fail("no version"),
    hash_length: width as number,
    count: hashes.length,
    hashes_hex: hashes.join("")
  }
}

describe("ListDownload", () => {
  describe.each(vectors.update_sequences.filter(({ name }) => name !== "eight_and_sixteen_bytes"))(
    "in the sequence $name",
    ({ steps, lists: names }) => {
      it("sends each query and has each list, one independent of the other", async () => {
        let lists: ReadonlyMap<string, EarlierList> = new Map(names.map((name) => [name, earlierList(name)]))
        for (const step of steps) {
          const query = step.request.query
          const requested = new URLSearchParams(query).getAll("names")
          const { sent, updated } = await update(
            requested.map((name) => lists.get(name) ?? assert.fail(name)),
            () => response(base64(step.body_base64))
          )
          deepStrictEqual(sent.map(queryOf), [query], step.title)
          assert.strictEqual(sent[0]?.url.split("?")[0], `https://lists.example${step.request.path}`)

          const outcomes = listsOf(updated)
          lists = after(lists, outcomes)
          deepStrictEqual(
            Array.from(lists.values(), asVector),
            step.expected.lists.map(({ sha256_checksum: _, ...list }) => list),
            step.title
          )
          const waits = "next_fetch_after_s_per_list" in step.expected ? step.expected : undefined
          for (const outcome of outcomes) {
            const perList: Readonly<Record<string, number>> = { ...waits?.next_fetch_after_s_per_list }
            const seconds = perList[outcome.name] ?? step.expected.next_fetch_after_s
            assert.strictEqual(outcome.waitMillis, seconds * 1000, step.title)
          }
        }
      })
    }
  )

  describe("with a faulty update", () => {
    const [se, mw] = firstStep?.expected.lists ?? []
    const base: ReadonlyMap<string, EarlierList> = new Map(
      [se, mw].flatMap((list) => (list === undefined ? [] : [[list.name, storedOf(list)] as const]))
    )
    const contentTypes: Readonly<Record<string, string>> = {
      json_body: "application/json",
      html_body: "text/html; charset=utf-8"
    }

    it.each(vectors.update_errors.cases)(
      "of the kind $name has the outcome $expected.outcome",
      async (vector) => {
        const { name, body_base64, expected } = vector
        const requested = "requested" in vector ? vector.requested : undefined
        const names = requested ?? ["se-4b"]
        const isFirst = "base" in vector && vector.base !== undefined
        const { updated } = await update(
          names.map((name) => (isFirst ? earlierList(name) : (base.get(name) ?? assert.fail(name)))),
          () =>
            response(base64(body_base64), { "content-type": contentTypes[name] ?? "application/x-protobuf" })
        )
        if (expected.outcome === "refuse") {
          if ("lists" in updated) return assert.fail("was applied")
          assert.strictEqual(updated.reason, errorOfVector(expected.error ?? ""))
          assert.strictEqual(
            isFirst || updated.reason === "ChecksumMismatch",
            expected.next_request === "full"
          )
          return
        }
        const [outcome] = listsOf(updated)
        const [list] = expected.lists ?? []
        assert.strictEqual(outcome?.version, list?.version_base64)
        assert.strictEqual(Buffer.from(outcome?.bytes ?? []).toString("hex"), list?.hashes_hex)
        assert.strictEqual(outcome?.waitMillis, (expected.next_fetch_after_s ?? Number.NaN) * 1000)
      }
    )

    it("changes no list of the response, for instance with additions of an unexpected coding", async () => {
      // The additions of se-4b, in field 4, come as the unknown field 12.
      const body = Buffer.from(bothLists)
      const field = body.indexOf(Buffer.from("22e501", "hex"))
      body[field] = 0x62
      assert.strictEqual(
        await outcomeOf([earlierList("se-4b"), earlierList("mw-4b")], () => response(body)),
        "ChecksumMismatch"
      )
    })
  })

  it("does not let a full update of one list change another", async () => {
    const [se, mw] = firstStep?.expected.lists.map(storedOf) ?? []
    if (se === undefined || mw === undefined) return assert.fail("no lists")
    const [, , , , reset] = sequence("two_threat_lists").steps
    const body = base64(reset?.body_base64 ?? "")
    const [first, second] = listsOf((await update([se, mw], () => response(body))).updated)
    assert.deepInclude(first, { name: "se-4b", version: "+//+BQ==" })
    assert.deepInclude(second, { name: "mw-4b", bytes: undefined })
  })

  describe("the request", () => {
    it("has the headers, the key among them, and may go to a private address that the operator configured", async () => {
      const { sent } = await update([earlierList("se-4b"), earlierList("mw-4b")], () => response(bothLists), {
        baseUrl: "http://127.0.0.1:8080/mirror"
      })
      assert.strictEqual(sent.length, 1)
      assert.deepInclude(sent[0], {
        url: "http://127.0.0.1:8080/mirror/v5/hashLists:batchGet?names=se-4b&names=mw-4b&alt=proto",
        headers: { accept: "application/x-protobuf", "user-agent": "us", "x-goog-api-key": "SECRET" },
        connectTimeoutMs: 10_000,
        allowsPrivateAddress: true
      })
    })

    it("is repeated list by list when the service refuses the batch, and names the refused ones", async () => {
      for (const status of [400, 404]) {
        const single = base64(sequence("global_cache_32_bytes").steps[0]?.body_base64 ?? "")
        const lists = [earlierList("unknown-4b"), earlierList("gc-32b")]
        const { sent, updated } = await update(lists, ({ url }) =>
          url.includes("unknown") ? response("no such list", {}, status) : response(single)
        )
        deepStrictEqual(sent.map(queryOf), [
          "names=unknown-4b&names=gc-32b&alt=proto",
          "names=unknown-4b&alt=proto",
          "names=gc-32b&alt=proto"
        ])
        assert.strictEqual(shown(updated), "gc-32b")
        assert.deepInclude(updated, { refused: ["unknown-4b"] })
      }
    })

    it("that is refused for each list is refused", async () => {
      const lists = [earlierList("a-4b"), earlierList("b-4b")]
      const { sent, updated } = await update(lists, () => response("", {}, 404))
      assert.strictEqual(sent.length, 3)
      assert.strictEqual(shown(updated), "Status (404)")
    })

    it("is not repeated for another status, nor for a single list", async () => {
      const lists = [earlierList("se-4b"), earlierList("mw-4b")]
      for (const status of [401, 403, 429, 500, 503]) {
        const { sent } = await update(lists, () => response("", {}, status))
        assert.strictEqual(sent.length, 1, String(status))
      }
      assert.strictEqual((await update([earlierList("se-4b")], () => response("", {}, 400))).sent.length, 1)
    })
  })

  describe("a response", () => {
    const one = [earlierList("se-4b")]
    const both = [earlierList("se-4b"), earlierList("mw-4b")]

    it.each([201, 204, 304, 404, 429, 500, 503])("of status %i changes no list", async (status) => {
      const { updated } = await update([earlierList("se-4b", { version: "AQ==" })], () =>
        response("no", { "retry-after": "120" }, status)
      )
      if ("lists" in updated) return assert.fail("was applied")
      const { detail, reason, retryAfterMillis } = updated
      deepStrictEqual([reason, detail, retryAfterMillis], ["Status", String(status), 120_000])
    })

    it("that redirects is not followed, so that the key goes nowhere else", async () => {
      for (const status of [301, 302, 303, 307, 308]) {
        const { sent, updated } = await update(one, () =>
          response("", { location: "https://elsewhere.example/" }, status)
        )
        assert.strictEqual(sent.length, 1)
        assert.strictEqual(shown(updated), `Status (${status})`)
      }
    })

    it("that refuses the key says so, also with status 400", async () => {
      const body = JSON.stringify({ error: { code: 400, details: [{ reason: "API_KEY_INVALID" }] } })
      const headers = { "content-type": "application/json" }
      deepStrictEqual(await outcomeOf(both, () => response(body, headers, 400)), "KeyRefused (400)")
      const compressed = { ...headers, "content-encoding": "gzip" }
      deepStrictEqual(
        await outcomeOf(one, () => response(gzipSync(body), compressed, 400)),
        "KeyRefused (400)"
      )
      for (const status of [401, 403])
        deepStrictEqual(await outcomeOf(one, () => response("", {}, status)), `KeyRefused (${status})`)
      deepStrictEqual(await outcomeOf(one, () => response("{}", headers, 400)), "RequestRefused (400)")
    })

    it("with an endless description of an error is read at its beginning only", async () => {
      let chunks = 0
      const endless = async function* () {
        for (; chunks < 1000; chunks++) yield Buffer.alloc(1000, "a")
      }
      deepStrictEqual(await outcomeOf(one, () => response(endless(), {}, 400)), "RequestRefused (400)")
      assert.strictEqual(chunks, 4)
    })

    it("whose description of an error cannot be read is refused all the same", async () => {
      const broken = { "content-encoding": "gzip" }
      deepStrictEqual(await outcomeOf(one, () => response("no gzip", broken, 400)), "RequestRefused (400)")
      const unknown = { "content-encoding": "br" }
      deepStrictEqual(await outcomeOf(one, () => response("", unknown, 400)), "RequestRefused (400)")
    })

    it("is protobuf by its Content-Type, whatever its parameters and case", async () => {
      for (const type of [
        "application/x-protobuf",
        "application/protobuf",
        "application/octet-stream",
        "Application/X-Protobuf; charset=utf-8"
      ])
        deepStrictEqual(
          await outcomeOf(both, () => response(bothLists, { "content-type": type })),
          "se-4b,mw-4b"
        )
      for (const type of ["application/json", "text/html", "text/plain", ""])
        deepStrictEqual(
          await outcomeOf(both, () => response(bothLists, { "content-type": type })),
          "Malformed (content type)"
        )
      const untyped = { status: 200, headers: {}, body: bodyOf(bothLists) }
      deepStrictEqual(await outcomeOf(one, () => untyped), "Malformed (content type)")
    })

    it("is decompressed if its Content-Encoding says so", async () => {
      for (const [encoding, body] of [
        ["gzip", gzipSync(bothLists)],
        ["GZIP", gzipSync(bothLists)],
        ["identity", bothLists]
      ] as const)
        deepStrictEqual(
          await outcomeOf(both, () => response(body, { "content-encoding": encoding })),
          "se-4b,mw-4b"
        )
      deepStrictEqual(
        await outcomeOf(one, () => response(brotliCompressSync(bothLists), { "content-encoding": "br" })),
        "Malformed"
      )
      deepStrictEqual(
        await outcomeOf(one, () =>
          response(gzipSync(bothLists).subarray(0, 50), { "content-encoding": "gzip" })
        ),
        "Corrupt (gzip)"
      )
    })

    it("that begins like a page is read as protobuf", async () => {
      // A list of 60 bytes: the body begins with "\n<".
      const body = Buffer.concat([
        Buffer.from("0a3c0a0573652d3462", "hex"),
        Buffer.from("7a33", "hex"),
        Buffer.alloc(51)
      ])
      deepStrictEqual(
        await outcomeOf([earlierList("se-4b", { version: "AQ==" })], () => response(body)),
        "Malformed (no version)"
      )
    })

    it("broken off changes no list", async () => {
      const breaking = async function* () {
        yield bothLists.subarray(0, 100)
        throw Object.assign(new Error("SECRET"), { code: "ECONNRESET" })
      }
      deepStrictEqual(await outcomeOf(one, () => response(breaking())), "Unreachable (ECONNRESET)")
    })

    it("above the size limit is not read on, compressed or not", async () => {
      const limits = { limits: { ...UPDATE_LIMITS, maxBodyBytes: 100_000 } }
      let sent = 0
      const endless = async function* () {
        for (; sent < 1000; sent++) yield Buffer.alloc(1000)
      }
      deepStrictEqual(await outcomeOf(one, () => response(endless()), limits), "TooLarge")
      assert.strictEqual(sent, 100)
      const bomb = gzipSync(Buffer.alloc(100_001))
      deepStrictEqual(
        await outcomeOf(one, () => response(bomb, { "content-encoding": "gzip" }), limits),
        "TooLarge"
      )
    })

    it("with more entries than a list may have changes no list", async () => {
      const limits = { limits: { ...UPDATE_LIMITS, maxKeys: 63 } }
      deepStrictEqual(
        await outcomeOf(both, () => response(bothLists), limits),
        "TooLarge (more entries than a list may have)"
      )
    })

    it("about more lists than requested changes none", async () => {
      deepStrictEqual(await outcomeOf(one, () => response(bothLists)), "UnexpectedList")
    })

    it("in chunks of any size is the same", async () => {
      for (const size of [1, 7, 100]) {
        const chunks = Array.from({ length: Math.ceil(bothLists.length / size) }, (_, i) =>
          bothLists.subarray(i * size, (i + 1) * size)
        )
        deepStrictEqual(await outcomeOf(both, () => response(bodyOf(...chunks))), "se-4b,mw-4b")
      }
    })
  })

  it.each([
    ["ECONNREFUSED", "Unreachable (ECONNREFUSED)"],
    ["ENOTFOUND", "Unreachable (ENOTFOUND)"],
    ["CERT_HAS_EXPIRED", "Unreachable (CERT_HAS_EXPIRED)"],
    ["ECONNECTTIMEOUT", "Timeout (ECONNECTTIMEOUT)"]
  ])("whose connection fails with %s is %s, without the key", async (code, message) => {
    const { updated } = await update([earlierList("se-4b")], () => ({ code }))
    assert.strictEqual(shown(updated), message)
    assert.notInclude(inspect(updated, { depth: 10 }), "SECRET")
  })

  describe("a timeout", () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    /** The outcome of an update; undefined while it goes on. */
    const started = (answer: Answer) => {
      const state = { shown: undefined as string | undefined }
      void outcomeOf([earlierList("se-4b")], () => answer).then((shown) => {
        state.shown = shown
      })
      return state
    }

    it("ends the wait for a response after 40 seconds", async () => {
      const state = started("silence")
      await vi.advanceTimersByTimeAsync(39_999)
      assert.isUndefined(state.shown)
      await vi.advanceTimersByTimeAsync(1)
      deepStrictEqual(state.shown, "Timeout (no answer)")
    })

    it("ends a response that trickles after 60 seconds", async () => {
      const trickling = async function* () {
        for (;;) {
          await new Promise((resume) => setTimeout(resume, 29_000))
          yield Buffer.alloc(1)
        }
      }
      const state = started(response(trickling()))
      await vi.advanceTimersByTimeAsync(59_999)
      assert.isUndefined(state.shown)
      await vi.advanceTimersByTimeAsync(1)
      deepStrictEqual(state.shown, "Timeout (no complete answer)")
    })
  })
})
