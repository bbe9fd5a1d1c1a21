import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, FastCheck, Stream } from "effect"
import { batches, MAX_LINE_LENGTH } from "../../src/Cli/Lines.ts"

const read = (pieces: ReadonlyArray<Uint8Array>) =>
  Effect.runSync(
    Stream.runCollect(batches(Stream.fromIterable(pieces))).pipe(Effect.map(Chunk.toReadonlyArray))
  )

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const urlsOf = (pieces: ReadonlyArray<Uint8Array>) => read(pieces).flatMap(({ urls }) => urls)

describe("batches", () => {
  it("contain the lines that end in each chunk, without blank ones", () => {
    assert.deepStrictEqual(read([bytes("a\r\n\n b \nc"), bytes("d\n"), bytes("e")]), [
      { urls: ["a", "b"], unreadable: [], bytesRead: 9 },
      { urls: ["cd"], unreadable: [], bytesRead: 11 },
      { urls: [], unreadable: [], bytesRead: 12 },
      { urls: ["e"], unreadable: [], bytesRead: 12 }
    ])
  })

  it("skip lines that begin with #, but not fragments", () => {
    const text = "\ufeff# list\nhttp://a.example/#b\n  # more \n#\n\n#\u00e9\nb # c\n"
    const [whole] = read([bytes(text)])
    assert.deepStrictEqual(whole?.urls, ["http://a.example/#b", "b # c"])
    assert.deepStrictEqual(read([Uint8Array.of(0x23, 0xe9, 0x0a)])[0]?.unreadable, [])
  })

  it("contain the same lines for any chunks, also if one ends within a character", () => {
    const text = "http://例え.example/é\r\n😀\n\n\u{10ffff}x\nlast"
    const whole = bytes(text)
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.nat(whole.length), { maxLength: 8 }), (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), whole.length]
        const pieces = ends.map((end, index) => whole.subarray(ends[index - 1] ?? 0, end))
        assert.deepStrictEqual(urlsOf(pieces), ["http://例え.example/é", "😀", "\u{10ffff}x", "last"])
      }),
      { numRuns: 50 }
    )
  })

  it("give the numbers of lines that are too long", () => {
    const long = "x".repeat(MAX_LINE_LENGTH + 1)
    const pieces = ["a\n", ...Array.from({ length: 50 }, () => long), "\nb\n", `${long}\nc\n`, long]
    const batchesRead = read(pieces.map(bytes))
    assert.deepStrictEqual(
      batchesRead.flatMap(({ urls }) => urls),
      ["a", "b", "c"]
    )
    assert.deepStrictEqual(
      batchesRead.flatMap(({ unreadable }) => unreadable),
      [2, 4, 6].map((line) => ({ line, reason: "too long for a URL" }))
    )
  })

  it("give the numbers of lines that are not UTF-8", () => {
    const pieces = [
      bytes("http://a.example/"),
      Uint8Array.of(0xe9, 0x0a),
      bytes("b\n"),
      Uint8Array.of(0xe2, 0x82)
    ]
    const batchesRead = read(pieces)
    assert.deepStrictEqual(
      batchesRead.flatMap(({ urls }) => urls),
      ["b"]
    )
    assert.deepStrictEqual(
      batchesRead.flatMap(({ unreadable }) => unreadable),
      [1, 3].map((line) => ({ line, reason: "not UTF-8" }))
    )
  })

  it("contain a line of MAX_LINE_LENGTH", () => {
    assert.deepStrictEqual(
      urlsOf([bytes(`${"x".repeat(MAX_LINE_LENGTH)}\n`)]).map((url) => url.length),
      [MAX_LINE_LENGTH]
    )
  })
})
