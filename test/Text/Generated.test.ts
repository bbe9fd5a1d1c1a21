import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { linksInMail } from "../../src/Text/Mail.ts"
import { kindOf, linksIn } from "../../src/Text.ts"

const RUNS = 150

const word = FastCheck.constantFrom(
  ..."your account order payment invoice für größe déjà naïve ¿qué? привет 確認 3.14 v1.2.3 report.pdf a@b.example e.g. 1,99 12:30 key=value /etc/hosts".split(
    " "
  )
)
const sentence = FastCheck.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" "))

const label = FastCheck.constantFrom(
  "pay",
  "shop",
  "my-bank",
  "www",
  "login",
  "bücher",
  "xn--bcher-kva",
  "a1"
)
const pathChars = FastCheck.constantFrom(
  ..."abcXYZ019-_~".split(""),
  "%20",
  "é",
  "(1)",
  ".a",
  ":8",
  "@x",
  "=1",
  "+"
)
const segment = FastCheck.array(pathChars, { minLength: 1, maxLength: 6 }).map(
  (parts) => `${parts.join("")}z`
)
/** Links as people have them. Each has a number, so that none is in a text twice. */
const link = FastCheck.tuple(
  FastCheck.constantFrom("https://", "http://", "HTTPS://"),
  FastCheck.array(label, { minLength: 1, maxLength: 3 }),
  FastCheck.constantFrom("example", "example.com", "test", "co.uk", "рф"),
  FastCheck.constantFrom("", ":8443"),
  FastCheck.array(segment, { maxLength: 3 }),
  FastCheck.array(segment, { maxLength: 2 })
).map(
  ([scheme, labels, suffix, port, path, query]) =>
    `${scheme}${labels.join(".")}.${suffix}${port}/${path.join("/")}${query.map((value, index) => `${index === 0 ? "?" : "&"}q${index}=${value}`).join("")}`
)
const links = (min: number, max: number) =>
  FastCheck.uniqueArray(link, { minLength: min, maxLength: max, selector: (url) => url.toLowerCase() })

const sorted = (urls: ReadonlyArray<string>) => urls.toSorted()

const CRLF = "\r\n"

const quotedPrintable = (text: string): string =>
  text
    .split(CRLF)
    .map((line) =>
      Array.from(Buffer.from(line), (byte) =>
        byte === 0x3d || byte > 0x7e || byte < 0x20
          ? `=${byte.toString(16).toUpperCase().padStart(2, "0")}`
          : String.fromCharCode(byte)
      )
        .join("")
        .replace(/(?:=[0-9A-F]{2}|[^=]){70}(?=.)/g, "$&=\r\n")
    )
    .join(CRLF)
const base64 = (text: string): string => Buffer.from(text).toString("base64").replace(/.{76}/g, `$&${CRLF}`)

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")

interface MailPart {
  readonly isPage: boolean
  readonly encoding: "8bit" | "quoted-printable" | "base64"
  readonly before: string
  readonly urls: ReadonlyArray<string>
}

const mailPart: FastCheck.Arbitrary<MailPart> = FastCheck.record({
  isPage: FastCheck.boolean(),
  encoding: FastCheck.constantFrom("8bit", "quoted-printable", "base64"),
  before: sentence,
  urls: links(0, 4)
})

const writtenPart = ({ before, encoding, isPage, urls }: MailPart): string => {
  const text = isPage
    ? `<!DOCTYPE html><html><head><title>${escaped(before)}</title></head><body>${urls.map((url) => `<p>${escaped(before)}</p>${CRLF}<a class="b" href="${escaped(url)}"><img src="https://no.example/a.png">open</a>`).join(CRLF)}</body></html>`
    : urls.map((url) => `${before}:${CRLF}${CRLF}  ${url}${CRLF}${CRLF}`).join("")
  const body =
    encoding === "base64" ? base64(text) : encoding === "quoted-printable" ? quotedPrintable(text) : text
  return `Content-Type: text/${isPage ? "html" : "plain"}; charset=utf-8${CRLF}Content-Transfer-Encoding: ${encoding}${CRLF}${CRLF}${body}`
}

type Tree = MailPart | { readonly kind: string; readonly parts: ReadonlyArray<Tree> }

const { tree } = FastCheck.letrec<{ readonly tree: Tree; readonly parts: Tree }>((tie) => ({
  tree: FastCheck.oneof({ maxDepth: 3 }, mailPart, tie("parts")),
  parts: FastCheck.record({
    kind: FastCheck.constantFrom("mixed", "related", "alternative", "message"),
    parts: FastCheck.array(tie("tree"), { minLength: 1, maxLength: 3 })
  })
}))

const HEADERS = `From: "a.example" <a@a.example>${CRLF}Subject: https://subject.example/${CRLF}List-Unsubscribe: <https://header.example/>${CRLF}MIME-Version: 1.0${CRLF}`

const writtenTree = (node: Tree, path = "0"): string => {
  if (!("kind" in node)) return writtenPart(node)
  const boundary = `b_${path}`
  const parts = node.parts.map(
    (part, index) => `--${boundary}${CRLF}${writtenTree(part, `${path}.${index}`)}${CRLF}`
  )
  const whole = `Content-Type: multipart/${node.kind === "message" ? "mixed" : node.kind}; boundary="${boundary}"${CRLF}${CRLF}${parts.join("")}--${boundary}--${CRLF}`
  return node.kind === "message" ? `Content-Type: message/rfc822${CRLF}${CRLF}${HEADERS}${whole}` : whole
}

const urlsOf = (node: Tree): ReadonlyArray<string> =>
  "kind" in node ? node.parts.flatMap(urlsOf) : node.urls

const found = (text: string, kind: ReturnType<typeof kindOf>) => {
  assert.strictEqual(kindOf(text), kind, text)
  return sorted(linksIn(text).map(({ url }) => url))
}

describe("the links of a generated text are those that were written into it", () => {
  it("in mails", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(tree, async (node) => {
        const source = `${HEADERS}${writtenTree(node)}`
        assert.strictEqual(kindOf(source), "mail")
        const { links, unread } = await linksInMail(source)
        assert.deepStrictEqual(
          [...new Set(links.map(({ url }) => url))].toSorted(),
          [...new Set(["https://subject.example/", ...urlsOf(node)])].toSorted()
        )
        assert.deepStrictEqual(unread, [])
      }),
      { seed: 1, numRuns: RUNS }
    ))

  const request = FastCheck.record({
    address: FastCheck.constantFrom("192.0.2.1", "2001:db8::1", "client.example"),
    method: FastCheck.constantFrom("GET", "POST", "HEAD"),
    target: FastCheck.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join("/")}`),
    agent: FastCheck.constantFrom("Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0", "curl/8.5.0", "-")
  })

  it("in access logs", () =>
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.tuple(request, FastCheck.option(link)), { minLength: 1, maxLength: 8 }),
        (rows) => {
          const log = rows
            .map(
              ([{ address, agent, method, target }, referrer]) =>
                `${address} - - [01/Aug/2026:10:00:00 +0000] "${method} ${target} HTTP/1.1" 200 512 "${referrer ?? "-"}" "${agent}"\n`
            )
            .join("")
          assert.deepStrictEqual(
            found(log, "log"),
            sorted(rows.flatMap(([, referrer]) => (referrer === null ? [] : [referrer])))
          )
        }
      ),
      { seed: 2, numRuns: RUNS }
    ))

  it("in logs that name the host", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.array(request, { minLength: 1, maxLength: 8 }), (rows) => {
        const log = rows
          .map(
            ({ agent, method, target }, index) =>
              `shop${index}.example:443 192.0.2.1 - - [01/Aug/2026] "${method} ${target} HTTP/2.0" 200 1 "-" "${agent}"\n`
          )
          .join("")
        assert.deepStrictEqual(
          found(log, "log"),
          sorted(rows.map(({ target }, index) => `https://shop${index}.example${target}`))
        )
      }),
      { seed: 3, numRuns: RUNS }
    ))

  it.each([
    ["commas", ",", false],
    ["commas and quotes", ",", true],
    ["semicolons", ";", false],
    ["semicolons and quotes", ";", true],
    ["tabs", "\t", false],
    ["tabs and quotes", "\t", true],
    ["bars", "|", false]
  ] as const)("in tables with %s", (_, delimiter, isQuoted) =>
    FastCheck.assert(
      FastCheck.property(links(2, 8), sentence, (urls, note) => {
        const cell = (text: string) =>
          isQuoted ? `"${text.replaceAll('"', '""')}"` : text.replaceAll(delimiter, " ")
        const rows = [
          ["id", "link", "note"],
          ...urls.map((url, index) => [String(index), url, isQuoted ? `${note}, "quoted"; and more` : note])
        ]
        const table = rows.map((cells) => `${cells.map(cell).join(delimiter)}\r\n`).join("")
        assert.deepStrictEqual(found(table, "csv"), sorted(urls))
      }),
      { seed: 4, numRuns: RUNS }
    )
  )

  it.each([
    ["JSON", (rows: ReadonlyArray<unknown>) => JSON.stringify(rows)],
    ["indented JSON", (rows: ReadonlyArray<unknown>) => JSON.stringify({ items: rows }, undefined, 2)],
    ["JSON Lines", (rows: ReadonlyArray<unknown>) => rows.map((row) => `${JSON.stringify(row)}\n`).join("")],
    [
      "JSON with escaped slashes and letters",
      (rows: ReadonlyArray<unknown>) =>
        JSON.stringify(rows)
          .replaceAll("/", "\\/")
          .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    ]
  ] as const)("in %s", (_, written) =>
    FastCheck.assert(
      FastCheck.property(links(1, 8), sentence, (urls, note) => {
        const rows = urls.map((url, index) => ({
          id: index,
          url,
          note: `${note} "quoted"\n`,
          tags: [note],
          score: 0.5
        }))
        assert.deepStrictEqual(found(written(rows), "json"), sorted(urls))
      }),
      { seed: 5, numRuns: RUNS }
    )
  )

  it("in sentences", () =>
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.tuple(sentence, link), { minLength: 1, maxLength: 5 }),
        FastCheck.constantFrom(
          ...["( )", "< >", '" "', "„ “", "** **", "» «", "[ ]", "， 。", " ."].map((pair) => pair.split(" "))
        ),
        (rows, [open = "", close = ""]) => {
          const text = rows.map(([before, url]) => `${before} ${open}${url}${close} ok\n\n`).join("")
          assert.deepStrictEqual(
            sorted(linksIn(text, "text").map(({ url }) => url)),
            sorted(rows.map(([, url]) => url))
          )
        }
      ),
      { seed: 6, numRuns: 2 * RUNS }
    ))
})
