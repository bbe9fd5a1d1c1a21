import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { linksInMail } from "../../src/Text/Mail.ts"
import { hasEncoded, kindOf } from "../../src/Text.ts"
import { leastCpuMs } from "../fixtures/LeastCpuTime.ts"

const LINK = "https://bad.example/login?id=1"
const PAGE = `<html><body><p>Dear customer</p><a href="${LINK}">Sign in</a></body></html>`
/** More than a line of base64. */
const LONG = `${PAGE}${" ".repeat(120)}`

const base64 = (content: string | Uint8Array, width = 76) =>
  Buffer.from(content)
    .toString("base64")
    .replaceAll(new RegExp(`.{${width}}(?=.)`, "g"), "$&\r\n")
const utf16 = (text: string, mark = "") => Buffer.from(`${mark}${text}`, "utf16le")

const PDF = Buffer.from("%PDF-1.7\n1 0 obj <<>> endobj\n".repeat(5))
const ZIP = Buffer.concat([Buffer.from("504b0304140000000800", "hex"), Buffer.alloc(300, 7)])
const PNG = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), Buffer.alloc(300, 7)])
const RANDOM = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 7919 + 13 * at * at) % 256))

const HEAD = `Return-Path: <a@b.example>\r\nReceived: from mx.example.org by x.example\r\nFrom: "Bank" <a@b.example>\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n`
const MAIL = `${HEAD}Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(LONG)}\r\n`
const QUOTED = `${HEAD}Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<a href=3D"https://ba=\r\nd.example/login?id=3D1">x</a>\r\n`

const attached = (type: string, name: string, content: string | Uint8Array) =>
  `${HEAD}Content-Type: multipart/mixed; boundary="b1"\r\n\r\n--b1\r\nContent-Type: text/plain\r\n\r\nSee attached.\r\n--b1\r\nContent-Type: ${type}; name="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(content)}\r\n--b1--\r\n`

const replied = (text: string) => `> ${text.replaceAll("\n", "\n> ")}`

type Case = readonly [
  name: string,
  text: string | Uint8Array,
  links: ReadonlyArray<string>,
  ...unread: ReadonlyArray<string>
]

const check = (cases: ReadonlyArray<Case>) =>
  it.effect.each(cases.map((row) => [row[0], row] as const))("%s", ([, [, text, expected, ...unread]]) =>
    Effect.gen(function* () {
      if (typeof text === "string") assert.isTrue(kindOf(text) === "mail" || hasEncoded(text))
      const found = yield* Effect.promise(() => linksInMail(text))
      assert.deepStrictEqual([...new Set(found.links.map(({ url }) => url))], [...expected])
      assert.deepStrictEqual(found.unread, unread)
    })
  )

describe("the headers of a mail, a ticket or a response", () =>
  check([
    ["a subject with a sign", "Subject: Pay @ bad.example/pay\nFrom: a@b.example\n\nhi", ["bad.example/pay"]],
    ["a subject", `Subject: Your account ${LINK}\nFrom: Bank <a@b.example>\n\nNo link here.`, [LINK]],
    [
      "an encoded subject",
      `From: a@b.example\nTo: c@d.example\nSubject: =?utf-8?B?${base64(`Pay at ${LINK}`)}?=\n\nhi`,
      [LINK]
    ],
    ["a field", `Ticket: 12\nSubject: A page\nURL: ${LINK}\nDate: today\n\nPlease check.`, [LINK]],
    ["a redirect", `HTTP/1.1 302 Found\nDate: today\nLocation: ${LINK}\nContent-Type: text/html\n\n`, [LINK]],
    [
      "but not those of mail servers, and not the name of a sender",
      'Received: from mx.example.org by y.example\nFrom: "shop.example" <a@b.example>\nList-Unsubscribe: <https://u.example/>\nX-Url: https://x.example/\nReferences: <a@x.example>\nSubject: hi\n\nhi',
      []
    ]
  ]))

describe("the source of a mail", () =>
  check([
    ["behind the count of an .emlx file", `1234\n${MAIL}`, [LINK]],
    ["behind the line of a POP3 session", `+OK 1234 octets\r\n${MAIL}.\r\n`, [LINK]],
    ["behind the line of an IMAP session", `* 1 FETCH (BODY[] {1234}\r\n${MAIL})\r\na OK\r\n`, [LINK]],
    ["in a code fence", `\`\`\`\n${MAIL}\`\`\`\n`, [LINK]],
    [
      "behind a sentence with a link",
      `See https://a.example/ and this:\n\n${MAIL}`,
      [LINK, "https://a.example/"]
    ],
    ["in a reply", replied(MAIL), [LINK]],
    ["in quoted-printable in a reply", replied(QUOTED), [LINK]],
    [
      "behind another one",
      `${HEAD}Content-Type: text/html\n\n<a href="https://a.example/">x</a>\n\n${MAIL}`,
      ["https://a.example/", LINK]
    ],
    [
      "in quoted-printable behind another one",
      `${HEAD}\r\nhttps://a.example/\r\n\r\n${QUOTED}`,
      // The second mail may be words of the first, and is read as these too.
      [LINK, "https://a.example/", "https://ba=d.example/login?id=3D1"]
    ],
    ["behind a type in a text", `${HEAD}\r\nSend\r\nContent-Type: image/png\r\n\r\nor see ${LINK}`, [LINK]]
  ]))

/** Texts that a reader sees, with words that look like the headers of a part. */
const hidden: ReadonlyArray<readonly [name: string, headers: string]> = [
  ["a signature", "Content-Type: application/pgp-signature\n\n"],
  ["a picture in base64", "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\nor see "],
  ["a comment", "Content-Type: text/html\n\n<!-- "],
  ["a calendar", "Content-Type: text/calendar\n\nUID:"],
  ["a part", "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: image/png\n\n--x--\n"],
  ["a header", "Content-Type: text/plain\nList-Help: "]
]

describe("words that look like headers hide nothing", () => {
  check(hidden.map(([name, headers]) => [`${name} in a mail`, `${HEAD}\nSend\n${headers}${LINK}\n`, [LINK]]))
  check(hidden.map(([name, headers]) => [`${name} in a text`, `Note: pay\n${headers}${LINK}\n`, [LINK]]))
  check([
    [
      "a page with a type in its text",
      `${HEAD}Content-Type: text/html\n\n<pre>\nContent-Type: text/plain\n</pre><a href="&#104;ttps://bad.example/login?id&#61;1">x</a>`,
      [LINK]
    ],
    [
      "what is not base64",
      `Note: pay\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\nor see ${LINK}\n`,
      [LINK],
      "text/plain that is not a text"
    ],
    ["types of files in a log", `GET /a\nContent-Type: application/pdf\n\nGET ${LINK}\n`, [LINK]],
    ["a type of parts in a text", `${HEAD}\nSend\nContent-Type: multipart/form-data\n\nto ${LINK}\n`, [LINK]],
    [
      "the mail servers of a mail in a text",
      `${HEAD}\nSee below.\n\nReceived: from mx.a.example\n by b.example\nMIME-Version: 1.0\n\n${LINK}\n`,
      [LINK]
    ]
  ])
})

const json = JSON.stringify

describe("a text with something encoded", () =>
  check([
    ["lines of base64", base64(LONG), [LINK]],
    ["a line of base64", Buffer.from(LONG).toString("base64"), [LINK]],
    ["base64 between words", `the_attached_page_in_base64_is\n${base64(LONG)}\nThanks\n`, [LINK]],
    ["base64 in a reply", `Hi\n\n${replied(base64(LONG))}\n`, [LINK]],
    ["a part of the Gmail API", json({ body: { data: Buffer.from(PAGE).toString("base64url") } }), [LINK]],
    ["a mail of the Gmail API", json({ raw: Buffer.from(MAIL).toString("base64url") }), [LINK]],
    [
      "attachments of the Graph API",
      json([{ contentBytes: base64(PAGE, 1e9) }, { contentBytes: base64(PDF, 1e9) }]),
      [LINK],
      "application/pdf"
    ],
    ["base64 with escaped line breaks", json({ content: base64(PAGE, 60) }), [LINK]],
    ["JSON in JSON", json({ message: json({ content: base64(PAGE, 60) }) }), [LINK]],
    [
      "folded lines of a calendar",
      `ATTACH;ENCODING=BASE64:${base64(LONG, 1e9)}`.replaceAll(/.{74}(?=.)/g, "$&\r\n "),
      [LINK]
    ],
    ["a value in a log", `2026-01-01 POST /a body=${base64(PAGE, 1e9)} 200\n`, [LINK]],
    ["a cell of a CSV", `id,body\n1,${base64(PAGE, 1e9)}\n`, [LINK]],
    ["a command in UTF-16", json({ args: base64(utf16(`iwr ${LINK}`), 1e9) }), [LINK]],
    ["a ZIP", base64(ZIP), [], "application/zip"],
    ["a PGP message", "Hi\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n", [], "encoded text"],
    ["an S/MIME message", `-----BEGIN PKCS7-----\n${base64(RANDOM)}\n`, [], "encoded text"],
    ["quoted-printable in JSON", json({ mail: `x <a href=3D"https://ba=\nd.example">` }), [], "encoded text"],
    ["an object in RTF", "{\\rtf1{\\object{\\*\\objdata 01050000}}}", [], "encoded text"],
    ["uuencode", "begin 644 a.html\nM12345\n`\nend\n", [], "encoded text"],
    ["yEnc", "=ybegin line=128 size=5 name=a\nabc\n=yend\n", [], "encoded text"]
  ]))

describe("ordinary tokens", () => {
  const token = "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUvIn0.c2lnbmF0dXJl"
  it.each([
    json({ token }),
    json({ integrity: `sha512-${base64(RANDOM, 1e9)}`, hash: RANDOM.toString("hex") }),
    json({ picture: base64(PNG, 1e9), data: `data:text/css;base64,${base64(LONG, 1e9)}` }),
    `https://a.example/?u=${base64(PAGE, 1e9)}`,
    "node_modules/a-long-name-of-a-package/and-a-file\na_long_name_of_a_function_that_is_called",
    "Begin 100 days of code\nwith us\n",
    "RTF has an object behind \\objdata"
  ])("%o are not encoded texts", (text) => {
    assert.isFalse(hasEncoded(text))
  })
})

describe("an attachment is read by what it is", () =>
  check([
    ["UTF-16 with its mark", attached("text/plain", "a.txt", utf16(`see ${LINK}`, "\ufeff")), [LINK]],
    ["UTF-16 without a mark", attached("text/html", "a.html", utf16(PAGE)), [LINK]],
    [
      "UTF-16 in Chinese",
      attached("text/plain; charset=utf-16le", "a.txt", utf16(`请点击登录。${LINK}`)),
      [LINK]
    ],
    ["UTF-16 that is UTF-8", attached("text/plain; charset=utf-16", "a.txt", `see ${LINK}`), [LINK]],
    ["a file in UTF-16", utf16(PAGE, "\ufeff"), [LINK]],
    ["gzip as text", attached("text/plain", "a.txt", gzipSync(PAGE)), [], "application/gzip"],
    ["a PDF as picture", attached("image/png", "a.pdf", PDF), [], "application/pdf"],
    ["a page as picture", attached("image/png", "a.png", PAGE), [LINK]],
    ["a page as PDF", attached("application/pdf", "a.pdf", PAGE), [LINK]],
    ["a mail without a type", attached("application/octet-stream", "a", MAIL), [LINK]],
    ["a picture with the name of a page", attached("image/png", "a.html", PNG), []],
    [
      "a text with the first letters of a sound",
      attached("text/plain", "a.txt", `ID3 tags: ${LINK}`),
      [LINK]
    ],
    [
      "a text that begins as a PDF does",
      attached("text/plain", "a", `%PDF- ${LINK}`),
      [LINK],
      "application/pdf"
    ],
    ["a text that begins as bzip2 does", attached("text/plain", "a", `BZh ${LINK}`), [LINK]],
    [
      "a page with a control",
      attached("text/html", "a.html", `\u0001${PAGE}`),
      [LINK],
      "text/html that is not a text"
    ],
    ["a page that begins as a picture does", attached("text/html", "a.html", `GIF89a\u0001${PAGE}`), [LINK]],
    ["a page that begins as UTF-16 does", attached("text/html", "a.html", `a\0b\0c\0d\0${PAGE}`), [LINK]],
    [
      "a text with a comment on base64",
      `${HEAD}Content-Transfer-Encoding: 7bit (no base64)\n\nsee ${LINK}`,
      [LINK]
    ],
    ["bytes as text", attached("text/plain", "a.txt", RANDOM), [], "text/plain that is not a text"],
    ["other bytes", attached("application/octet-stream", "a.bin", RANDOM), [], "application/octet-stream"]
  ]))

describe("hostile texts", () => {
  const MAX_MS = 1000
  it.effect.each([
    "a",
    "=",
    "> ",
    "\\n",
    "a\n",
    `${"a".repeat(24)}\n`,
    `${"a".repeat(24)} `,
    "Content-Type: a/b\n",
    "Content-Type: a/b\n\n",
    "a: b\n",
    "Content-Type: multipart/mixed; boundary=q\n\n--q--q--q--q--q",
    "YWFh",
    `${base64(PAGE, 1e9)} `
  ])("of %o take linear time", (piece) =>
    Effect.gen(function* () {
      const text = piece.repeat(300_000 / piece.length)
      assert.isBelow(yield* Effect.promise(() => leastCpuMs(MAX_MS, () => linksInMail(text))), MAX_MS)
    })
  )
})
