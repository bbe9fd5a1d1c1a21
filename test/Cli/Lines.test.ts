import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, FastCheck, Stream } from "effect"
import { batches, LONGEST_LINE } from "../../src/Cli/Lines.ts"

const read = (pieces: ReadonlyArray<Uint8Array>) =>
  Effect.runSync(
    Stream.runCollect(batches(Stream.fromIterable(pieces))).pipe(Effect.map(Chunk.toReadonlyArray))
  )

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const urlsOf = (pieces: ReadonlyArray<Uint8Array>) => read(pieces).flatMap(({ urls }) => urls)

describe("batches", () => {
  it("are the lines that end in each piece, without blank ones", () => {
    assert.deepStrictEqual(read([bytes("a\r\n\n b \nc"), bytes("d\n"), bytes("e")]), [
      { urls: ["a", "b"], unreadable: [], bytesRead: 9 },
      { urls: ["cd"], unreadable: [], bytesRead: 11 },
      { urls: [], unreadable: [], bytesRead: 12 },
      { urls: ["e"], unreadable: [], bytesRead: 12 }
    ])
  })

  it("are the same however the input is cut, also within a character", () => {
    const text = "http://例え.example/é\r\n😀\n\n\u{10ffff}x\nlast"
    const whole = bytes(text)
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.nat(whole.length), { maxLength: 8 }), (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), whole.length]
        const pieces = ends.map((end, index) => whole.subarray(ends[index - 1] ?? 0, end))
        assert.deepStrictEqual(urlsOf(pieces), ["http://例え.example/é", "😀", "\u{10ffff}x", "last"])
      }),
      { seed: 7, numRuns: 50 }
    )
  })

  it("name the lines that are too long, and hold none of them", () => {
    const long = "x".repeat(LONGEST_LINE + 1)
    const pieces = ["a\n", ...Array.from({ length: 50 }, () => long), "\nb\n", `${long}\nc\n`, long]
    const read_ = read(pieces.map(bytes))
    assert.deepStrictEqual(
      read_.flatMap(({ urls }) => urls),
      ["a", "b", "c"]
    )
    assert.deepStrictEqual(
      read_.flatMap(({ unreadable }) => unreadable),
      [2, 4, 6].map((line) => ({ line, why: "too long for a URL" }))
    )
  })

  it("name the lines that are not UTF-8, instead of other URLs than theirs", () => {
    const pieces = [
      bytes("http://a.example/"),
      Uint8Array.of(0xe9, 0x0a),
      bytes("b\n"),
      Uint8Array.of(0xe2, 0x82)
    ]
    const read_ = read(pieces)
    assert.deepStrictEqual(
      read_.flatMap(({ urls }) => urls),
      ["b"]
    )
    assert.deepStrictEqual(
      read_.flatMap(({ unreadable }) => unreadable),
      [1, 3].map((line) => ({ line, why: "not UTF-8" }))
    )
  })

  it("take the longest line that is allowed", () => {
    assert.deepStrictEqual(
      urlsOf([bytes(`${"x".repeat(LONGEST_LINE)}\n`)]).map((url) => url.length),
      [LONGEST_LINE]
    )
  })
})
