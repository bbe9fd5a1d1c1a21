import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, FastCheck, Stream } from "effect"
import { MAX_URL_LENGTH } from "../../src/Cli/Lines/OneUrl.ts"
import { batches, type InvalidInput } from "../../src/Cli/Lines.ts"
import { leastCpuMs } from "../fixtures/LeastCpuTime.ts"

const MAX_MS = 500

const reading = (pieces: ReadonlyArray<Uint8Array>, column?: string) =>
  Stream.runCollect(batches(Stream.fromIterable(pieces), column)).pipe(Effect.map(Chunk.toReadonlyArray))

const read = (...input: Parameters<typeof reading>) =>
  Effect.runSync(reading(...input)).map(({ bytesRead, unreadable, urls }) => ({
    urls,
    unreadable,
    bytesRead
  }))

const messageOf = (...input: Parameters<typeof reading>) =>
  Effect.runSync(Effect.map(Effect.flip(reading(...input)), ({ message }: InvalidInput) => message))

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
    const long = "x".repeat(MAX_URL_LENGTH + 1)
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

  it("contain a line of MAX_URL_LENGTH", () => {
    assert.deepStrictEqual(
      urlsOf([bytes(`${"x".repeat(MAX_URL_LENGTH)}\n`)]).map((url) => url.length),
      [MAX_URL_LENGTH]
    )
  })

  for (const line of [
    "id,url",
    "id, url",
    "url,date,note",
    '"url","date"',
    "1,http://a.example/,x",
    "\ufeffa b,c"
  ])
    it(`notice that ${JSON.stringify(line)} is CSV`, () => {
      assert.strictEqual(
        messageOf([bytes(`# links\n\n${line}\nhttp://a.example/\n`)]),
        "Line 3 looks like CSV; name its column of URLs with --column, or read all links with --extract"
      )
    })

  for (const line of [
    ...[
      "https://a.example/b,kit,2026",
      "https://a.example/b;kit",
      "https://a.example/b|0.93",
      "https://a.example/b,"
    ],
    ...["https://a.example/b,a.example,x,2026-08-22T18:05:25+00:00", "https://a.example/b,192.0.2.1,12.5"],
    ...['"https://a.example/b","note, x"', "'https://a.example/b',", "https://a.example/b,Booking.com"],
    ...["https://a.example/b.", "https://a.example/b)", "https://a.example/b>", "https://a.example/b\u2026"],
    ...[
      "https://a.example/b]",
      "https://a.example/b\\",
      "https://a.example/b**",
      "https://a.example/b\\r\\n"
    ],
    ...[
      "https://a.example/b[Form]",
      "https://a.example/b[]",
      "https://a.example/b{{x",
      "https://a.example/b\\par"
    ],
    ...["https://a.example/b，", "https://a.example/b&quot", "https://a.example/b\u2014then"]
  ])
    it(`read ${line} also without what follows the URL`, () =>
      assert.deepStrictEqual(urlsOf([bytes(`https://c.example/\n${line}\n`)]), [
        "https://c.example/",
        line,
        "https://a.example/b"
      ]))

  for (const [line, url] of [
    ["https://a.example/#u=https://b.example,kit", "https://a.example/#u=https://b.example"],
    ["https://a.example/b;c=1,kit", "https://a.example/b;c=1"],
    ["https://a.example/b;c/d,kit", "https://a.example/b;c/d"],
    ["https://a.example/it's,kit", "https://a.example/it's"],
    ["https://[2001:db8::1]/b,kit", "https://[2001:db8::1]/b"],
    ["https://u:p|w@a.example/b,kit", "https://u:p|w@a.example/b"],
    ["hxxps[:]//a[.]example/b,kit", "hxxps[:]//a[.]example/b"],
    ["-a.example", "a.example"],
    ["_a.example/b_", "a.example/b"],
    ["-https://a.example/b-", "https://a.example/b-"],
    ["\u{1f517}a.ws/b", "a.ws/b"]
  ])
    it(`read ${line} also as ${url}`, () =>
      assert.deepStrictEqual(urlsOf([bytes(`https://c.example/\n${line}\n`)]), [
        "https://c.example/",
        line,
        url
      ]))

  it.each([
    ...["[2001:db8::1]/b", "[::1]:8080/b", "_dmarc.a.example", "192.0.2.1-9.dsl.example", "192.0.2.1/99"],
    ...["1.fm/b", "4chan.org/b", "163.com/", "24.hu/b", "192.0.2.1:8080/b", "0x7f.1/b", "1-2-3.example"],
    ...["3221225985", "1785715200/b", "20260803.example"]
  ])("read %s as it is", (line) =>
    assert.deepStrictEqual(urlsOf([bytes(`https://c.example/\n${line}\n`)]), ["https://c.example/", line])
  )

  for (const line of [
    ...["https://nota.com/b,a.com", 'https://a.com/b","b.com"', "[https://a.com/b,b.com]"],
    ...["a[.]com/b,b[.]com", "hxxps[:]//a[.]com/b,b[.]com", "https://a.com/b.com,b.com"],
    ...["https://a.example/b,evil.com", "https://a.example/;evil.com", "https://a.example/|evil.com"],
    ...["https://a.example/b,https://b.example/", "['https://a.example/b','https://b.example/']"],
    ...["a.example/b kit", "https://a.example/b kit", "a.example / b.example"],
    ...["8/3/2026 10:00 a.example", "and/or a.example", "What? a.example", "24/7 a.example/b"],
    ...["03/08/2026,a.example/b", "2026/08/03;a.example", "03.08,a.example/b", "404", "12:30"],
    ...["192.0.2.0/24", "192.0.2.1-9", "192.0.2.1-192.0.2.9"],
    ...["2026-08-03", "3-8-2026", "2026-08-03,a.example/b"],
    "https://a.example/\0https://b.example/x",
    ...["20260803", "1785715200", "1785715200.123", "20260803,a.example/b"]
  ])
    it(`do not read ${line} as one URL`, () =>
      assert.deepStrictEqual(read([bytes(`https://c.example/\n${line}\n`)])[0], {
        urls: ["https://c.example/"],
        unreadable: [{ line: 2, reason: "not one URL" }],
        bytesRead: line.length + 20
      }))

  for (const line of [
    "http://a.example/b,c.html",
    "http://a.example/?b=1;c=2",
    ...['"http://a.example/b"', "<http://a.example/b>", "a.example."],
    "url",
    "http://a.example/b_(c)"
  ])
    it(`read ${JSON.stringify(line)} as a line`, () => {
      assert.deepStrictEqual(urlsOf([bytes(`${line}\nid,url\n`)]), [line, "id,url"])
    })

  it("read a URL with NUL behind it", () =>
    assert.deepStrictEqual(urlsOf([bytes("https://a.example/b\0\0\n")]), ["https://a.example/b\0\0"]))

  it.each(["%20", "%22%3E", "(fake)"])("read a line also without %s behind its URL", (end) =>
    assert.deepStrictEqual(urlsOf([bytes(`https://a.example/b${end}\n`)]), [
      `https://a.example/b${end}`,
      "https://a.example/b"
    ])
  )

  it.each([
    ["cells", `https://a.example/${"x".repeat(30_000)}${",".repeat(30_000)}`],
    ["hosts", Array.from({ length: 4000 }, (_, index) => `a${index}.example`).join("\uff0c")]
  ])("read a long line with many %s in linear time", async (_, written) => {
    const line = bytes(`https://c.example/\n${written}\n`)
    assert.isBelow(await leastCpuMs(MAX_MS, () => urlsOf([line])), MAX_MS)
  })
})

describe("batches of a column", () => {
  it.each(["\r\n", "\n", "\r"])(
    "contain its values: quoted ones, with commas and line breaks, in lines that end with %j",
    (end) => {
      const text =
        '\ufeffid, url ,note\r\n1,"http://a.example/?a,b=""c""",x\r\n2,"d\ne",\r\n\r\n3,,\r\n4, f ,"#"\r\n5,#g,\r\n6,"h"i,'
      const whole = bytes(text.replaceAll("\r\n", end))
      const expected = ['http://a.example/?a,b="c"', "d\ne", "", "f", "#g", '"h"i']
      for (const size of [1, 7, whole.length]) {
        const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
          whole.subarray(index * size, (index + 1) * size)
        )
        const batchesRead = read(pieces, "url")
        assert.deepStrictEqual(
          batchesRead.flatMap(({ urls }) => urls),
          expected
        )
        assert.deepStrictEqual(
          batchesRead.flatMap(({ unreadable }) => unreadable),
          []
        )
      }
    }
  )

  it.each([
    [";", "semicolons, as spreadsheets write in many countries"],
    ["\t", "tabs"],
    ["|", "bars"]
  ])("contain its values in a table with another delimiter, %j: %s", (delimiter) => {
    const text = [
      ["id", '"url"', "note, and more"],
      ["1", "http://a.example/?a,b", "x"],
      ["2", '"b.example/c"', `"y${delimiter}z"`]
    ]
    const whole = bytes(text.map((fields) => `${fields.join(delimiter)}\r\n`).join(""))
    const places = Effect.runSync(reading([whole.subarray(0, 3), whole.subarray(3)], "url")).flatMap(
      ({ places = [] }) => places
    )
    assert.deepStrictEqual(
      places.map(({ record }) => [...(record ?? [])]),
      [
        [
          ["id", "1"],
          ["url", "http://a.example/?a,b"],
          ["note, and more", "x"]
        ],
        [
          ["id", "2"],
          ["url", "b.example/c"],
          ["note, and more", `y${delimiter}z`]
        ]
      ]
    )
  })

  it.each(["sep=;\r\n", "\ufeff#TYPE Selected.Item\r\n", "Reported in May\r\n\r\n", "# from, to\r\n"])(
    "contain its values behind %j, with the numbers of their lines",
    (title) => {
      const whole = bytes(`${title}"id";"url"\r\n"1";"a.example/b"\r\n2\r\n`)
      for (const size of [1, whole.length]) {
        const pieces = Array.from(whole.keys()).filter((at) => at % size === 0)
        const batchesRead = read(
          pieces.map((at) => whole.subarray(at, at + size)),
          "url"
        )
        assert.deepStrictEqual(
          batchesRead.flatMap(({ urls }) => urls),
          ["a.example/b"]
        )
        assert.deepStrictEqual(
          batchesRead.flatMap(({ unreadable }) => unreadable),
          [{ line: title.split("\n").length + 2, reason: "shorter than the header" }]
        )
      }
    }
  )

  it("contain its values if the name of the first column has a line break", () => {
    const batchesRead = read([bytes('"Reported\non",url\n1,a.example/b\n')], "url")
    assert.deepStrictEqual(
      batchesRead.flatMap(({ urls }) => urls),
      ["a.example/b"]
    )
  })

  it("give the lines that are short, long or not UTF-8", () => {
    const long = "x".repeat(MAX_URL_LENGTH + 1)
    const batchesRead = read(
      [Buffer.concat([bytes(`id,url\n1\n2,${long}\n3,a`), Uint8Array.of(0xe9), bytes("\n4,b\n")])],
      "url"
    )
    assert.deepStrictEqual(
      batchesRead.flatMap(({ urls }) => urls),
      ["b"]
    )
    assert.deepStrictEqual(
      batchesRead.flatMap(({ unreadable }) => unreadable),
      [
        { line: 2, reason: "shorter than the header" },
        { line: 3, reason: "too long for a URL" },
        { line: 4, reason: "not UTF-8" }
      ]
    )
  })

  it("are empty for an empty file", () => {
    assert.deepStrictEqual(read([], "url"), [{ urls: [], unreadable: [], bytesRead: 0 }])
  })

  it("fail for a missing column, of which they name the others, and for a quote that is not closed", () => {
    assert.strictEqual(
      messageOf([bytes("id,link\n1,a\n")], "url"),
      '--column: there is no column "url"; the columns are id, link'
    )
    assert.strictEqual(
      messageOf([bytes("type,value\nurl,a.example\n")], "url"),
      '--column: there is no column "url"; the columns are type, value'
    )
    assert.strictEqual(
      messageOf([bytes("a.example\nurl\nb.example\n")], "url"),
      '--column: there is no column "url"; the columns are a.example'
    )
    assert.strictEqual(
      messageOf([bytes(`${"x\n".repeat(11)}id,url\n`)], "url"),
      '--column: there is no column "url"; the columns are x'
    )
    assert.isAtMost(messageOf([bytes("x".repeat(100_000)), bytes("\n")], "url").length, 400)
    assert.strictEqual(
      messageOf([bytes('id,url\n1,"a\n2,b\n')], "url"),
      "The CSV cannot be read: Quote Not Closed: the parsing is finished with an opening quote at line 3"
    )
    assert.match(
      messageOf([bytes('url\n"'), ...Array.from({ length: 40 }, () => bytes("x".repeat(64_000)))], "url"),
      /^The CSV cannot be read: Max Record Size: record exceed the maximum number of tolerated bytes of 1048576 at line 2$/
    )
  })
})
