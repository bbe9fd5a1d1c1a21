import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { linksInMail } from "../../src/Text/Mail.ts"
import { kindOf } from "../../src/Text.ts"
import { leastCpuMs } from "../fixtures/LeastCpuTime.ts"
import { mails as fixtures } from "../fixtures/Mails.ts"

const LINK = "https://paypal-konto-sicherheit.example/login?id=1"
/** Of the subject of most mails. */
const SUBJECT = "http://subject.example/"
const base64 = (text: string) =>
  (
    Buffer.from(text)
      .toString("base64")
      .match(/.{1,76}/g) ?? []
  ).join("\r\n")
const quoted = (text: string) =>
  text.replaceAll("=", "=3D").replace(/(?:=3D|[^=]){40}/g, (line) => `${line}=\r\n`)

const head = [
  "Received: from mx.example.org (mx.example.org [203.0.113.9]) by mail.example.net; Sat, 1 Aug 2026 10:00:00 +0000",
  "From: Bank <service@bank.example>",
  "To: you@example.com",
  `Subject: Look at ${SUBJECT}`,
  "MIME-Version: 1.0"
].join("\r\n")

const mail = (headers: string, body: string) => `${head}\r\n${headers}\r\n\r\n${body}`
const part = (headers: string, body: string) => `--b1\r\n${headers}\r\n\r\n${body}\r\n`
const html = `<html><body><p>Dear customer</p><a href="${LINK}">Sign in</a></body></html>`

const mails: ReadonlyArray<readonly [name: string, source: string]> = [
  ["plain", mail("Content-Type: text/plain", `Please open ${LINK}.`)],
  [
    "quoted-printable",
    mail("Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable", quoted(html))
  ],
  [
    "base64",
    mail("Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64", base64(html))
  ],
  [
    "alternative",
    mail(
      'Content-Type: multipart/alternative; boundary="b1"',
      `${part("Content-Type: text/plain", `Open ${LINK} now`)}${part("Content-Type: text/html\r\nContent-Transfer-Encoding: base64", base64(html))}--b1--\r\n`
    )
  ],
  [
    "signed",
    mail(
      'Content-Type: multipart/signed; protocol="application/pkcs7-signature"; boundary="b1"',
      `${part("Content-Type: text/html", html)}${part('Content-Type: application/pkcs7-signature; name="smime.p7s"\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment', base64("x".repeat(300)))}--b1--`
    )
  ],
  [
    "forwarded as attachment",
    mail(
      'Content-Type: multipart/mixed; boundary="b1"',
      `${part("Content-Type: text/plain", "See below")}${part("Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename=a.eml", `From: a@a.example\r\nSubject: x\r\nContent-Type: text/html\r\n\r\n${html}`)}--b1--`
    )
  ],
  [
    "with an attached page",
    mail(
      'Content-Type: multipart/mixed; boundary="b1"',
      `${part("Content-Type: text/plain", "See the page")}${part("Content-Type: text/html; name=a.html\r\nContent-Disposition: attachment; filename=a.html\r\nContent-Transfer-Encoding: base64", base64(html))}--b1--`
    )
  ],
  ["a part in quoted-printable", quoted(html)],
  [
    "a part with its headers",
    part("Content-Type: text/html\r\nContent-Transfer-Encoding: base64", base64(html))
  ],
  [
    "headers of a part",
    `Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${quoted(html)}`
  ]
]

describe("the links of a mail", () => {
  it.effect.each(mails)("%s", ([, source]) =>
    Effect.gen(function* () {
      assert.strictEqual(kindOf(source), "mail")
      const { links, unread } = yield* Effect.promise(() => linksInMail(source))
      assert.deepStrictEqual(
        links.map(({ url }) => url).filter((url) => url !== SUBJECT),
        [LINK]
      )
      assert.deepStrictEqual(unread, [])
    })
  )

  const otherHeads: ReadonlyArray<readonly [name: string, source: string]> = [
    ["behind a byte order mark", `\ufeff${head}\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(html)}`],
    [
      "in a property of a contact",
      `BEGIN:VCARD\r\nVERSION:2.1\r\nNOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:F=C3=BCr ${LINK.replace("://", "=3A/=\r\n/")}\r\nEND:VCARD\r\n`
    ],
    [
      "in a property of an attached contact",
      mail(
        'Content-Type: multipart/mixed; boundary="b1"',
        `${part("Content-Type: text/vcard; name=a.vcf", `BEGIN:VCARD\r\nNOTE;ENCODING=QUOTED-PRINTABLE:Für ${LINK.replace("://", "=3A/=\r\n/").replace("id=", "id=3D")}\r\nEND:VCARD`)}--b1--`
      )
    ],
    ["behind headers without a blank line", `From: A\nSent: x\nTo: B\nSubject: y\n${LINK}\n`]
  ]
  it.effect.each(otherHeads)("%s", ([, source]) =>
    Effect.gen(function* () {
      const { links } = yield* Effect.promise(() => linksInMail(source))
      assert.deepStrictEqual(
        links.map(({ url }) => url).filter((url) => url !== SUBJECT),
        [LINK]
      )
    })
  )

  it.effect("are decoded once, whatever a line of the mail is written like", () =>
    Effect.gen(function* () {
      const body = "N;ENCODING=QUOTED-PRINTABLE:https://a.example/=3D41"
      const source = mail("Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable", body)
      const { links } = yield* Effect.promise(() => linksInMail(source))
      assert.include(
        links.map(({ url }) => url),
        "https://a.example/=41"
      )
    })
  )

  it.effect("are read beside a property of 16 MB", () =>
    Effect.gen(function* () {
      const source = `BEGIN:VCARD\nN;ENCODING=QUOTED-PRINTABLE:${LINK} ${"a".repeat(16_000_000)}`
      const { links } = yield* Effect.promise(() => linksInMail(source))
      assert.deepStrictEqual(
        links.map(({ url }) => url),
        [LINK]
      )
    })
  )

  it.effect("do not join lines below what only a contact may have", () =>
    Effect.gen(function* () {
      const source = `${head}\r\n\r\nx;encoding=quoted: https://a.example=\r\n.b.example\r\n`
      const { links } = yield* Effect.promise(() => linksInMail(source))
      assert.notInclude(
        links.map(({ url }) => url),
        "https://a.example.b.example"
      )
    })
  )

  it("are known of 40 mails at least", () => assert.isAtLeast(fixtures.length, 40))

  it.effect.each(fixtures.map((fixture) => [fixture.name, fixture] as const))("%s", ([, fixture]) =>
    Effect.gen(function* () {
      assert.strictEqual(kindOf(fixture.source.toString("latin1")), "mail")
      const { links, unread } = yield* Effect.promise(() => linksInMail(fixture.source))
      assert.deepStrictEqual(
        links.map(({ url }) => url),
        [...fixture.links, SUBJECT]
      )
      assert.deepStrictEqual(unread, [...fixture.unread])
    })
  )

  it.effect("are those of its charset", () =>
    Effect.gen(function* () {
      const source = Buffer.from(
        mail("Content-Type: text/plain; charset=iso-8859-1", "siehe https://b\u00fccher.example/\u00fc"),
        "latin1"
      )
      const { links } = yield* Effect.promise(() => linksInMail(source))
      assert.deepStrictEqual(
        links.map(({ url }) => url),
        ["https://b\u00fccher.example/\u00fc", SUBJECT]
      )
    })
  )

  it.effect.each([
    ["a mail", `${head}\r\nContent-Type: text/html\r\n\r\n`, SUBJECT],
    ["a file", "<html>"]
  ])("are those of the charset that the page of %s names", ([, start, ...others]) =>
    Effect.gen(function* () {
      const page =
        '<meta charset="windows-1251"><a href="https://\u00ef\u00f0\u00e8\u00ec\u00e5\u00f0.\u00f0\u00f4/">x</a>'
      const { links } = yield* Effect.promise(() => linksInMail(Buffer.from(`${start}${page}`, "latin1")))
      assert.deepStrictEqual(
        links.map(({ url }) => url),
        ["https://\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444/", ...others]
      )
    })
  )

  it.effect.each(["csunicode", "iso-2022-jp"])(
    "are read in a page with Latin letters that names %s",
    (charset) =>
      Effect.gen(function* () {
        const page = `<meta charset="${charset}">\u00fc\u001b$B<a href="https://a.example/x">x</a>`
        const { links } = yield* Effect.promise(() => linksInMail(Buffer.from(page, "latin1")))
        assert.deepStrictEqual(
          links.map(({ url }) => url),
          ["https://a.example/x"]
        )
      })
  )

  it.effect("are not those of attachments that are no text, which are named", () =>
    Effect.gen(function* () {
      const source = mail(
        'Content-Type: multipart/mixed; boundary="b1"',
        `${part("Content-Type: text/plain", "x")}${part("Content-Type: application/pdf\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64", base64("%PDF"))}${part("Content-Type: image/png\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64", base64("PNG"))}--b1--`
      )
      const { unread } = yield* Effect.promise(() => linksInMail(source))
      assert.deepStrictEqual(unread, ["application/pdf"])
    })
  )

  it.effect("are not those of Outlook's own format, which is named", () =>
    Effect.gen(function* () {
      const source = mail(
        'Content-Type: multipart/mixed; boundary="b1"',
        `${part("Content-Type: text/plain", "x")}${part("Content-Type: application/ms-tnef; name=winmail.dat\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64", base64("TNEF"))}--b1--`
      )
      const { unread } = yield* Effect.promise(() => linksInMail(source))
      assert.deepStrictEqual(unread, ["application/ms-tnef"])
    })
  )

  it.effect("of a mail that cannot be decoded are those of its source, and it is named", () =>
    Effect.gen(function* () {
      const parts = Array.from(
        { length: 300 },
        (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`
      )
      const source = `From: a@example.com\r\n${parts.join("")}Content-Type: text/plain\r\n\r\n${LINK}\r\n`
      const { links, unread } = yield* Effect.promise(() => linksInMail(source))
      assert.deepStrictEqual(
        links.map(({ url }) => url),
        [LINK]
      )
      assert.deepStrictEqual(unread, ["message/rfc822"])
    })
  )

  it.effect("of a returned mail are not the names of mail servers", () =>
    Effect.gen(function* () {
      const status =
        "Reporting-MTA: dns; mx.example.org\r\n\r\nRemote-MTA: dns; mx.example.net\r\nDiagnostic-Code: smtp; 550 See https://help.example/550"
      const returned = `${head}\r\nList-Unsubscribe: <https://list.example/>\r\nContent-Type: multipart/mixed; boundary="b2"`
      const source = mail(
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b1"',
        `${part("Content-Type: message/delivery-status", status)}${part("Content-Type: text/rfc822-headers", `${returned}\r\n`)}--b1--`
      ).replace(SUBJECT, "mail")
      const { links, unread } = yield* Effect.promise(() => linksInMail(source))
      assert.deepStrictEqual(
        links.map(({ url }) => url),
        ["https://help.example/550", SUBJECT]
      )
      assert.deepStrictEqual(unread, [])
    })
  )
})

describe("hostile mails", () => {
  /** CPU time, some 50 ms on a quiet machine, 150 ms of delimiters. */
  const MAX_MS = 600
  const LENGTH = 100_000
  const mixed = 'From: a@a.example\nTo: b@b.example\nContent-Type: multipart/mixed; boundary="b"\n\n'

  it.effect.each<[name: string, start: string, piece: string]>([
    ["delimiters", mixed, "--b\n"],
    ["parts", mixed, "--b\nContent-Type: text/html\n\n<p>\n"],
    ["almost delimiters", mixed, "--bx\n"],
    ["parts without a blank line", mixed, "--b\nx: y\n"],
    ["parts in parts", "", 'Content-Type: multipart/mixed; boundary="b"\n\n--b\n'],
    ["mails in mails", "From: a@a.example\nTo: b@b.example\n", "Content-Type: message/rfc822\n\n"],
    ["short lines", "From: a@a.example\rTo: b@b.example\r\r", "x\r"],
    ["soft line breaks", "Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n", "=\n"],
    ["properties of a phone", "BEGIN:VCARD\n", "x;encoding=quoted-printable"],
    ["properties in lines", "BEGIN:VCARD\n", "x;encoding=quoted-printable:=\n"],
    ["hosts", "From: a@a.example\nTo: b@b.example\n\n", "a.example ://\n"],
    ["a long host", "From: a@a.example\nTo: b@b.example\n\nhttp://", "a"],
    ["letters in front of no base64", "Hello\nContent-Type: text/html\n", "A"],
    ["lines in front of no base64", "Hello\nContent-Type: text/html\n!", "A!\n"],
    ["a long type", "From: a@a.example\nContent-Type: ", "a"]
  ])("of %s take linear time", ([, start, piece]) =>
    Effect.gen(function* () {
      const source = start + piece.repeat(LENGTH / piece.length)
      assert.isBelow(yield* Effect.promise(() => leastCpuMs(MAX_MS, () => linksInMail(source))), MAX_MS)
    })
  )

  it.effect("of encoded words take linear time", () =>
    Effect.gen(function* () {
      const source = `From: a@a.example\nSubject: ${"=?utf-8?B?YS5odG1s?= ".repeat(50_000)}\n\nx`
      assert.isBelow(yield* Effect.promise(() => leastCpuMs(MAX_MS, () => linksInMail(source))), MAX_MS)
    })
  )

  it.effect("of parts whose boundary does not follow take linear time", () =>
    Effect.gen(function* () {
      const parts = "--b\nContent-Type: multipart/mixed; boundary=none\n\nx\n".repeat(1900)
      const source = `From: a@a.example\nContent-Type: multipart/mixed; boundary=b\n\n${parts}--b--\n${"text ".repeat(800_000)}`
      assert.isBelow(yield* Effect.promise(() => leastCpuMs(MAX_MS, () => linksInMail(source))), MAX_MS)
    })
  )
})

describe("a mail that is not as it should be", () => {
  const code = base64(html)
  it.effect.each<[name: string, source: string]>([
    [
      "with a comment in its type",
      mail(
        "Content-Type: multipart/mixed (c); boundary=b1",
        `${part("Content-Type: text/html\r\nContent-Transfer-Encoding: base64", code)}--b1--`
      )
    ],
    ["without a semicolon after its type", mail("Content-Type: text/html charset=utf-8", html)],
    ["without a blank line", `${head}\r\nContent-Type: text/html\r\n${html}`],
    [
      "with a page that is called a picture",
      mail(
        "Content-Type: multipart/mixed; boundary=b1",
        `${part("Content-Type: image/png; name=a.html\r\nContent-Transfer-Encoding: base64", code)}--b1--`
      )
    ],
    [
      "after another one in the same file",
      `${mail("Content-Type: multipart/mixed; boundary=b1", `${part("Content-Type: text/plain", "Hello")}--b1--\r\n`)}${mail("Content-Type: text/html\r\nContent-Transfer-Encoding: base64", code)}`
    ],
    [
      "with an encoded mail in its text",
      mail("Content-Type: text/plain", `Hello\r\n\r\nContent-Transfer-Encoding: base64\r\n\r\n${code}`)
    ],
    [
      "whose link stands between its headers",
      `${head}\r\n<a href="${LINK}">x</a>\r\nContent-Type: text/plain\r\n\r\nHello`
    ],
    [
      "with a part without a header or a blank line",
      mail("Content-Type: multipart/mixed; boundary=b1", `--b1\r\nOpen ${LINK}\r\n\r\nBye\r\n--b1--`)
    ],
    [
      "with a part whose blank line is behind its base64",
      mail(
        "Content-Type: multipart/mixed; boundary=b1",
        `--b1\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n${code}\r\n\r\n--b1--`
      )
    ],
    ["whose link is a line of its header", `${head}\r\n${LINK}\r\nX-Mailer: x\r\n\r\nHello`],
    ["that is a page that begins as a mail", `From: a\nX-Mailer: <a href="${LINK}">x</a>\n\nHello`],
    [
      "with more headers than are read",
      `${head}\r\n${`X-Filler: ${"y".repeat(900)}\r\n`.repeat(2400)}Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n${code}`
    ],
    [
      "with two encodings",
      mail(
        "Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\nContent-Transfer-Encoding: 7bit",
        html
      )
    ],
    [
      "with two types and two encodings",
      mail(
        "Content-Type: image/png\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\nContent-Transfer-Encoding: 7bit",
        html
      )
    ],
    [
      "with line breaks of CR alone in quoted-printable",
      mail(
        "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable",
        quoted(LINK).replaceAll("\r\n", "\r")
      )
    ],
    [
      "whose page precedes its first part",
      mail(
        "Content-Type: multipart/mixed; boundary=b1\r\nContent-Type: text/html",
        `${html}\r\n${part("Content-Type: text/plain", "Hello")}--b1--`
      )
    ],
    [
      "with quotes around its charset",
      mail(
        "Content-Type: text/html; charset='utf-16le'\r\nContent-Transfer-Encoding: base64",
        Buffer.from(`\u4f60\u597d\u4f60\u597d${html}`, "utf16le").toString("base64")
      )
    ],
    ...[
      "application/pgp-keys",
      "application/pgp-signature",
      "message/delivery-status",
      "message/disposition-notification",
      "text/rfc822-headers"
    ].map((type): [string, string] => [
      `with a page that is called ${type}`,
      mail(
        "Content-Type: multipart/mixed; boundary=b1",
        `${part(`Content-Type: ${type}\r\nContent-Transfer-Encoding: base64`, code)}--b1--`
      )
    ]),
    ["in a text that only begins as UTF-16", `a\0b\0c\0d\0${html}`],
    ["in a text that is called UTF-16", mail("Content-Type: text/html; charset=utf-16", `\x01${html}`)],
    ...["a.html .", "a%2Ehtml", "=?utf-8?Q?a=2Ehtml?=", 'a.h"; filename*1="tml'].map(
      (name): [string, string] => [
        `with a page that is a picture and is called ${name}`,
        mail(
          "Content-Type: multipart/mixed; boundary=b1",
          `${part(`Content-Type: image/gif\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename*0="${name}"`, base64(`GIF89a\0\0${html}`))}--b1--`
        )
      ]
    ),
    ...["=3A//", "=3A=2F=2F"].map((slashes): [string, string] => [
      `that is a contact whose link has ${slashes}`,
      `BEGIN:VCARD\nVERSION:2.1\nURL;ENCODING=QUOTED-PRINTABLE:${LINK.replace("://", slashes)}\nEND:VCARD`
    ]),
    ["that is a text", `Please open ${LINK}.`]
  ])("%s is read", ([, source]) =>
    Effect.gen(function* () {
      const { links, unread } = yield* Effect.promise(() => linksInMail(source))
      assert.deepStrictEqual(
        [...new Set(links.map(({ url }) => url).filter((url) => url !== SUBJECT))],
        [LINK]
      )
      assert.deepStrictEqual(unread, [])
    })
  )

  it.effect.each(["utf-7", "unicode-1-1-utf-7", "IBM037"])("in %s is said to be unread", (charset) =>
    Effect.gen(function* () {
      const source = mail(`Content-Type: text/html; charset="${charset}"`, "+ADw-a href+AD0-x+AD4-")
      const { unread } = yield* Effect.promise(() => linksInMail(source))
      assert.deepStrictEqual(unread, ["text/html in UTF-7 or EBCDIC"])
    })
  )

  it.effect.each(["cp850", "ANSI", "unknown-8bit", "utf-8"])("in %s is no reason for a doubt", (charset) =>
    Effect.gen(function* () {
      const { unread } = yield* Effect.promise(() =>
        linksInMail(mail(`Content-Type: text/html; charset=${charset}`, html))
      )
      assert.deepStrictEqual(unread, [])
    })
  )
})
