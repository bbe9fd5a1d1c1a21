import { Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import { FileSystem } from "@effect/platform"
import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { Checkers } from "../../src/Checkers/Checkers.ts"
import * as Commands from "../../src/Cli/Commands.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import * as Submission from "../../src/Url/Submission.ts"
import { finding } from "../fixtures/Findings.ts"
import * as Recording from "../fixtures/RecordedOutput.ts"
import { environment, fakeCheckers } from "../fixtures/ServiceUnderTest.ts"

const HOST = "trelba-mund.example"
const LISTED = `https://${HOST}/pay`

/** A feed has HOST. */
const services = () =>
  Layer.merge(
    Layer.succeed(
      Checkers,
      fakeCheckers({
        checkAll: (submitted) => {
          const { addresses, url } = Submission.read(submitted, 0)
          const isMalformed = Either.isLeft(url) && url.left.reason !== "OpaqueScheme"
          const isListed = addresses.some(({ url }) => url.host === HOST)
          return Effect.succeed([
            {
              checker: "feed_a",
              status: "ok",
              elapsed: 0.5,
              findings: isMalformed ? [finding("malformed")] : isListed ? [finding("listedHost")] : []
            }
          ])
        }
      })
    ),
    AppConfig.layer.pipe(Layer.provide(environment({})))
  )

const run = (args: ReadonlyArray<string>, stdin: Uint8Array | string) =>
  Effect.gen(function* () {
    const recorded = Recording.make()
    const ending = yield* Effect.either(
      Commands.run(
        args,
        {
          output: recorded.output,
          stdin: () => Readable.from([Buffer.from(stdin)]),
          isStdinTerminal: false,
          isStdoutTerminal: false,
          hasColours: false,
          environment: {}
        },
        services
      )
    )
    return {
      status: Either.getOrElse(ending, () => 2 as const),
      message: Either.match(ending, { onLeft: ({ message }) => message, onRight: () => "" }),
      written: recorded.written.join(""),
      noticed: recorded.noticed.join("")
    }
  }).pipe(Effect.provide(NodeFileSystem.layer))

const mail = (type: string, body: string) =>
  `From: a@a.example\r\nTo: b@b.example\r\nSubject: x\r\nMIME-Version: 1.0\r\n${type}\r\n\r\n${body}`
const base64 = (text: string) =>
  (
    Buffer.from(text)
      .toString("base64")
      .match(/.{1,76}/g) ?? []
  ).join("\n")
const html = `<p>Hello</p><a href="${LISTED}">Pay</a>`

/** Inputs that are not one URL a line, with LISTED somewhere. */
const inputs: ReadonlyArray<readonly [name: string, input: string]> = [
  ["a mail", mail("Content-Type: text/plain", `Pay at ${LISTED}.`)],
  ["a mail in HTML", mail("Content-Type: text/html", html)],
  ["a mail in base64", mail("Content-Type: text/html\r\nContent-Transfer-Encoding: base64", base64(html))],
  [
    "a mail in quoted-printable",
    mail(
      "Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable",
      html.replaceAll("=", "=3D").replace("mund", "mu=\r\nnd")
    )
  ],
  [
    "a mailbox",
    `From a Sat Aug  1 2026\n${mail("Content-Type: text/plain", "x")}\nFrom b Sat Aug  1 2026\n${mail("Content-Type: text/html", html)}`
  ],
  [
    "a part of a mail",
    `--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(html)}\r\n--b--`
  ],
  ["a page", `<!doctype html><html><body>${html}</body></html>`],
  ["an anchor", html],
  ["a sentence", `Please pay at ${LISTED} today.`],
  ["sentences", `Hello,\nyour parcel waits.\n\nPay at ${LISTED}\nThanks`],
  ["Markdown", `# Pay\n\nPlease [pay](${LISTED}).`],
  ["a table with tabs", `${HOST}\tkit\nother.example\tnote\n`],
  ["one row with a tab", `${LISTED}\tkit`],
  ["counts and a tab", `3\t${LISTED}\n4\thttps://other.example/\n`],
  ["a CSV", `id,url\n1,${LISTED}\n2,https://other.example/\n`],
  ["a CSV in quotes", `"id","url"\n"1","${LISTED}"\n`],
  ["a CSV with semicolons", `id;url;date\n1;${LISTED};2026\n`],
  ["a CSV with bars", `id|url|date\n1|${LISTED}|2026\n`],
  ["a CSV with the URL first", `url,date\n${LISTED},2026\n`],
  ["a row", `1,${LISTED},x`],
  ["JSON", `{"url":"${LISTED}"}`],
  ["a list in JSON", `[\n  "${HOST}",\n  "other.example"\n]`],
  ["a short list in JSON", `["${HOST}"]`],
  ["JSON with escapes", `{"url":"${LISTED.replaceAll("/", "\\/")}"}`],
  ["JSON Lines", `{"url":"${LISTED}","id":1}\n{"url":"https://other.example/","id":2}\n`],
  ["JSON strings", `"${HOST}",\n"other.example",\n`],
  ["JSON with a page", JSON.stringify({ body: html })],
  ["an access log", `192.0.2.1 - - [01/Aug/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "${LISTED}" "curl"\n`],
  ["a log of hosts", `${HOST}:443 192.0.2.1 - - [01/Aug/2026] "GET /pay HTTP/1.1" 200 1 "-" "curl"\n`],
  ["a log of a proxy", `192.0.2.1 - - [01/Aug/2026] "GET ${LISTED} HTTP/1.1" 200 1 "-" "curl"\n`],
  ["a log of tunnels", `192.0.2.1 - - [01/Aug/2026] "CONNECT ${HOST}:443 HTTP/1.1" 200 1 "-" "curl"\n`],
  ["a syslog", `Aug  1 10:00:00 host app[1]: fetched ${LISTED} in 3 ms\n`],
  ["a quote", `> see ${LISTED}\n> and tell`],
  ["a list in a sentence", `Links: ${LISTED}, https://other.example/`],
  ["two links on a line", `https://other.example/ ${LISTED}`],
  ["a hosts file", `0.0.0.0 ${HOST}\n0.0.0.0 other.example\n`],
  ["YAML", `url: "x"\nlinks:\n  - "${LISTED}"\n`],
  ["a shell command", `curl -L '${LISTED}' -o x`],
  ["a contact card", `BEGIN:VCARD\nVERSION:3.0\nURL:${LISTED}\nEND:VCARD\n`],
  ["an assignment", `const url = "${LISTED}"`]
]

describe("an input that is not one URL a line", () => {
  it("is in the table 40 times", () => assert.strictEqual(inputs.length, 40))

  for (const [name, input] of inputs) {
    it.effect(`does not end with 0: ${name}`, () =>
      Effect.gen(function* () {
        const { message, noticed, status } = yield* run(["check"], input)
        assert.notStrictEqual(status, 0)
        if (status === 2) assert.match(message + noticed, /[Ll]ine \d|--extract/)
      })
    )

    it.effect(`is read with --extract: ${name}`, () =>
      Effect.gen(function* () {
        const { noticed, status, written } = yield* run(["check", "--extract"], input)
        assert.strictEqual(status, 1, noticed)
        const results = written
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
        assert.isTrue(
          results.some(({ score }) => score > 0),
          written
        )
        assert.isTrue(results.every(({ line }) => line >= 1))
        assert.strictEqual(new Set(results.map(({ url }) => url)).size, results.length)
      })
    )
  }
})

const attachment = (type: string, content = "x") =>
  mail(
    'Content-Type: multipart/mixed; boundary="b"',
    `--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(content)}\r\n--b--\r\n`
  )
const SAFE = "https://other.example/"
const nested = Array.from(
  { length: 300 },
  (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`
).join("")

/** Inputs without a listed address that are read in part or not at all, and what is said of them. */
const partlyRead: ReadonlyArray<
  readonly [name: string, args: ReadonlyArray<string>, input: string | Uint8Array, message: RegExp]
> = [
  [
    "a PDF",
    ["--extract"],
    "%PDF-1.7\n1 0 obj\n<</Length 9>>stream\nx\u0001\u0002\nendstream",
    /Line 1 is .* no text/
  ],
  ["a log in gzip", ["--extract"], gzipSync("a ".repeat(9)), /no text but application\/gzip/],
  [
    "a log in zstd",
    ["--extract"],
    Buffer.from("28b52ffd04004100006161616197", "hex"),
    /but application\/zstd/
  ],
  ["a log in xz", ["--extract"], Buffer.from("fd377a585a000004e6d6b446", "hex"), /but application\/x-xz/],
  ["a file of Outlook", ["--extract"], "!BDN\u0001\u0002\u0003", /but application\/vnd\.ms-outlook/],
  ["a document of an office program", ["--extract"], "PK\u0003\u0004\u0014document.xml", /no text/],
  ["an old document", ["--extract"], Buffer.from("d0cf11e0a1b11ae1", "hex"), /no text/],
  ["a database", ["--extract"], "SQLite format 3\0", /no text/],
  ["UTF-16 without its mark", ["--extract"], Buffer.from(SAFE, "utf16le"), /no text/],
  [
    "base64 of a ZIP in JSON",
    ["--extract"],
    '{"data":"UEsDBBQAAAAIAAAAIQAAAAAAAAAAAAAA"}',
    /application\/zip cannot/
  ],
  ["a PGP message", ["--extract"], "Hi\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n", /encoded text cannot/],
  ["a mail with a PDF", ["--extract"], attachment("application/pdf"), /application\/pdf cannot be read/],
  [
    "a mail with a document",
    ["--extract"],
    attachment("application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    /wordprocessingml\.document cannot/
  ],
  ["a mail with an archive", ["--extract"], attachment("application/zip"), /application\/zip cannot/],
  [
    "a mail with a program",
    ["--extract"],
    attachment("application/octet-stream; name=a.exe"),
    /octet-stream cannot/
  ],
  [
    "a mail with Outlook's file",
    ["--extract"],
    attachment("application/ms-tnef; name=winmail.dat"),
    /ms-tnef cannot/
  ],
  [
    "a mail with a part of a mail",
    ["--extract"],
    attachment("message/partial; id=a; number=1"),
    /message\/partial cannot/
  ],
  [
    "a mail with a mail elsewhere",
    ["--extract"],
    attachment("message/external-body; access-type=URL"),
    /external-body cannot/
  ],
  [
    "an encrypted mail",
    ["--extract"],
    mail(
      "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\r\nContent-Transfer-Encoding: base64",
      base64("x")
    ),
    /pkcs7-mime cannot/
  ],
  [
    "a mail encrypted with PGP",
    ["--extract"],
    mail(
      'Content-Type: multipart/encrypted; boundary="b"',
      "--b\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--b\r\nContent-Type: application/octet-stream\r\n\r\nx\r\n--b--"
    ),
    /pgp-encrypted cannot/
  ],
  [
    "a text encrypted with PGP",
    ["--extract"],
    mail("Content-Type: text/plain", "-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA\r\n-----END PGP MESSAGE-----"),
    /encoded text cannot/
  ],
  [
    "a text with a uuencoded file",
    ["--extract"],
    mail("Content-Type: text/plain", "begin 644 a.html\r\n#86)C\r\n`\r\nend"),
    /encoded text cannot/
  ],
  [
    "a mail in an unknown encoding",
    ["--extract"],
    mail("Content-Type: text/plain\r\nContent-Transfer-Encoding: x-uuencode", "#86)C"),
    /x-uuencode cannot/
  ],
  [
    "a mail of 300 levels",
    ["--extract"],
    `From: a@a.example\r\n${nested}Content-Type: text/plain\r\n\r\n${SAFE}`,
    /rfc822 cannot/
  ],
  [
    "a mail without its boundary",
    ["--extract"],
    mail("Content-Type: multipart/mixed", `--b\r\n\r\n${SAFE}`),
    /multipart\/mixed cannot/
  ],
  ["a link that is too long", ["--extract"], `see ${SAFE}${"a".repeat(70_000)}`, /too long for a URL/],
  [
    "one file of two that is missing",
    ["--extract", "package.json", "missing.eml"],
    "",
    /"missing\.eml" does not exist/
  ],
  ["a folder", ["--extract", "src"], "", /"src" is a directory/],
  ["a line that is too long", [], `${SAFE}\n${SAFE}${"a".repeat(70_000)}\n`, /Line 2 is too long/],
  [
    "a line that is not UTF-8",
    [],
    Buffer.from(`${SAFE}\nhttps://a.example/\u00fc\n`, "latin1"),
    /Line 2 is not UTF-8/
  ],
  ["a link in base64", [], `${SAFE}\n${btoa(LISTED)}\n`, /Line 2 is not one URL/],
  [
    "a link in hexadecimal digits in a column",
    ["--column", "url"],
    `id,url\n1,${SAFE}\n2,${Buffer.from(LISTED).toString("hex")}\n`,
    /Line 3 is not one URL/
  ],
  ["a line with a note", [], `${SAFE}\n${SAFE} # a kit\n`, /Line 2 is not one URL/],
  ["a line with a word", [], `${SAFE}\n${SAFE} kit\n`, /Line 2 is not one URL/],
  ["a line with two URLs", [], `${SAFE}\n${SAFE} https://a.example/\n`, /Line 2 is not one URL/],
  [
    "a cell of a CSV with two lines",
    ["--column", "url"],
    `id,url\n1,${SAFE}\n2,"a.example\nb.example"\n`,
    /is not one URL/
  ],
  ["a row with a tab", [], `${SAFE}\nhttps://a.example/\tnote\n`, /Line 2 is a row with tabs/],
  ["a log in gzip as lines", [], gzipSync(`${SAFE}\n`), /The input is no text but application\/gzip/],
  ["a line that is no URL", [], `${SAFE}\nnot a link\n`, /1 is not a URL \(line 2\)/],
  ["a heading above the lines", [], `Links of August\n${SAFE}\n`, /1 is not a URL \(line 1\)/],
  [
    "a cell of a CSV with a second host",
    ["--column", "url"],
    `id,url\n1,${SAFE}\n2,"${SAFE}, ${HOST}"\n`,
    /Line 3 is not one URL/
  ],
  [
    "a row of a CSV whose URL has a comma without quotes",
    ["--column", "url"],
    `id,url\n1,${SAFE},\n2,${SAFE}/x,1\n`,
    /Line 3 is longer than the header/
  ],
  ["a short row of a CSV", ["--column", "url"], `id,url\n1,${SAFE}\n2\n`, /Line 3 is shorter/],
  [
    "a quote of a CSV that is not closed",
    ["--column", "url"],
    `id,url\n1,"${SAFE}\n2,${SAFE}\n`,
    /The CSV cannot be read/
  ],
  ["a CSV without the column", ["--column", "link"], `id,url\n1,${SAFE}\n`, /no column "link"/],
  [
    "a table for Excel without --column",
    [],
    `sep=;\r\n"id";"url"\r\n"1";"${SAFE}"\r\n`,
    /looks like a table/
  ],
  [
    "a CSV with two such columns",
    ["--column", "url"],
    `url,url\n${SAFE},${SAFE}\n`,
    /several columns are named "url"/
  ],
  [
    "a CSV with words in place of a link",
    ["--column", "url"],
    `id,url\n1,not known\n2,${SAFE}\n`,
    /1 is not a URL/
  ],
  ["a file that is missing", ["--file", "missing.txt"], "", /"missing\.txt" does not exist/],
  ["a folder as a file", ["--file", "src"], "", /"src" is a directory/],
  ["the name of a file", ["package.json"], "", /is a file/],
  ["a mail that is missing", ["missing.eml"], "", /"missing\.eml" does not exist/],
  ["a list in a folder that is missing", ["logs/urls.txt"], "", /"logs\/urls\.txt" does not exist/],
  ["a list in a folder of a month", ["lists/2026.08/urls.txt"], "", /urls\.txt" does not exist/],
  ["a file of Windows", ["C:\\Users\\a\\a.eml"], "", /does not exist/],
  ["a date in a column of URLs", ["--column", "url"], "id,url\n1,8/3/2026 10:00\n", /is not one URL/],
  ["an empty argument", ["--strict", ""], "", /./],
  ["an empty argument without --strict", [""], "", /./],
  ["nothing", ["--strict"], "", /./],
  ["comments alone", ["--strict"], "# none today\n\n", /./],
  ["no link", ["--extract", "--strict"], "See you tomorrow.", /./],
  ["a URL and words", [SAFE, "see below"], "", /1 is not a URL/]
]

describe("an input that is not read whole", () => {
  it("is in the table 40 times", () => assert.isAtLeast(partlyRead.length, 40))

  for (const [name, args, input, expected] of partlyRead)
    it.effect(`ends with 2, and what was not read is said: ${name}`, () =>
      Effect.gen(function* () {
        const { message, noticed, status } = yield* run(["check", ...args], input)
        assert.strictEqual(status, 2, noticed)
        assert.match(message + noticed, expected)
      })
    )
})

describe("several files", () => {
  it.scoped("are named in each result, and in what is said of what was not read", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      const [one, two] = [`${folder}/one.eml`, `${folder}/two.eml`]
      yield* files.writeFileString(one, mail("Content-Type: text/plain", `Pay at ${LISTED}.`))
      yield* files.writeFileString(two, attachment("application/pdf"))
      const { noticed, status, written } = yield* run(["check", "--extract", one, two], "")
      assert.strictEqual(status, 2)
      assert.strictEqual(JSON.parse(written).file, one)
      assert.strictEqual(
        noticed,
        `${two}, line 1 is the beginning of a mail whose application/pdf cannot be read and was not checked\n`
      )
      const { message } = yield* run(["check", "--extract", folder], "")
      assert.strictEqual(
        message,
        `--extract: "${folder}" is a directory; give its files, such as ${folder}/*`
      )
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

describe("the encoding of an input", () => {
  const text = `${LISTED}\nhttps://other.example/\n`
  const marked = Buffer.from(`\ufeff${text}`, "utf16le")
  it.effect.each([
    ["UTF-16", marked],
    ["UTF-16 in the other order", Buffer.from(marked).swap16()],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${text}`)]
  ] as const)("may be %s", ([, bytes]) =>
    Effect.gen(function* () {
      for (const args of [["check"], ["check", "--extract"]]) {
        const { noticed, status, written } = yield* run(args, bytes)
        assert.deepStrictEqual([status, noticed], [1, ""])
        assert.strictEqual(written.trimEnd().split("\n").length, 2)
      }
    })
  )

  it.effect("is that of Windows for a text that is not UTF-8", () =>
    Effect.gen(function* () {
      const { status, written } = yield* run(
        ["check", "--extract"],
        // With the character that ends files in DOS.
        Buffer.from(`F\u00fcr https://a.example/caf\u00e9, ${LISTED}\r\n\u001a`, "latin1")
      )
      assert.strictEqual(status, 1)
      assert.include(written, '"url":"https://a.example/caf\u00e9"')
    })
  )

  it.effect.each<[name: string, bytes: string]>([
    ["a picture", "89504e470d0a1a0a0000000d49484452"],
    ["encrypted, without a NUL", "8c0d04090302b7d1e69f11a2c4f360d27a01"]
  ])("is said if it is %s", ([, bytes]) =>
    Effect.gen(function* () {
      const { noticed, status } = yield* run(["check", "--extract"], Buffer.from(bytes, "hex"))
      assert.deepStrictEqual(
        [status, noticed],
        [2, "Line 1 is the beginning of what is no text and was not checked\n0 checked\n"]
      )
    })
  )
})

describe("one URL a line", () => {
  it.effect("may end its lines with CR alone", () =>
    Effect.gen(function* () {
      const { status, written } = yield* run(["check"], `https://a.example/\r${LISTED}\r`)
      assert.strictEqual(status, 1)
      assert.deepStrictEqual(
        written
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line).line),
        [1, 2]
      )
    })
  )

  it.effect("names the first line that is not one", () =>
    Effect.gen(function* () {
      const { noticed, status } = yield* run(
        ["check"],
        "https://a.example/\nnot a link\nhttps://b.example/\nnor this\n"
      )
      assert.deepStrictEqual([status, noticed], [2, "2 are not URLs, the first in line 2\n"])
    })
  )

  it.effect("is nothing for an empty input, which --strict does not accept", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run(["check"], "")).status, 0)
      assert.strictEqual((yield* run(["check", "--strict"], "")).status, 2)
      assert.strictEqual((yield* run(["check", "--strict", ""], "")).status, 2)
      assert.strictEqual((yield* run(["check", "--extract", "--strict"], "nothing here")).status, 2)
    })
  )

  it.effect("is not the name of a file", () =>
    Effect.gen(function* () {
      const { message } = yield* run(["check", "package.json"], "")
      assert.strictEqual(
        message,
        '"package.json" is a file. Read it with --file "package.json", or any text with --extract "package.json"'
      )
    })
  )

  it.effect("keeps the other columns of a CSV, also of rows without a URL", () =>
    Effect.gen(function* () {
      const { written } = yield* run(
        ["check", "--column", "url", "-o", "csv"],
        `id,url\n1,${LISTED}\n2,\n3,N/A\n4,-\n5,none\n6,NaN\n7,#N/A\n`
      )
      assert.deepStrictEqual(written.split("\n").slice(0, 8), [
        "id,url,url,score,verdict,reasons,kinds,incomplete,override",
        written.split("\n")[1] ?? "",
        "2,,,,,,,,",
        "3,N/A,,,,,,,",
        "4,'-,,,,,,,",
        "5,none,,,,,,,",
        "6,NaN,,,,,,,",
        "7,#N/A,,,,,,,"
      ])
      assert.match(written.split("\n")[1] ?? "", /^1,https:\/\/trelba-mund\.example\/pay,https:/)
    })
  )
})
