import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"
import { leastCpuMs } from "../../fixtures/LeastCpuTime.ts"

const read = (submitted: string): string =>
  Either.match(CanonicalUrl.parse(submitted), {
    onLeft: ({ reason }) => reason,
    onRight: CanonicalUrl.format
  })

const HOST = "trelba-mund.example"

describe("a slip of the pen is read as it is meant", () => {
  it.each([
    ...[
      "https://https://",
      "http://https://",
      "http://https//",
      "https//",
      "https//:",
      "https.//",
      "https;//",
      "//https//"
    ],
    ...[
      "•https://",
      "👉https://",
      "1https://",
      "1.https://",
      "1) https://",
      "— https://",
      "· http://https://"
    ],
    ...["Link: https://", "Website: https://", "RE: AW: https://", "Link:https://", "Адрес: https://"],
    ...["hxxps[:]//", "h**ps://", "htxps://", "h__ps://", "h–ps://", "h@@ps://", "ttps:/"],
    ...["https!://", "(https)://", "https ://", "https : //", "https∶//", "https[:/]/"]
  ])("%o before a host", (start) => assert.strictEqual(read(`${start}${HOST}/x`), `https://${HOST}/x`))

  it.each([
    [`-----https://${HOST}----------`, `https://${HOST}/`],
    [`_https://${HOST}/x_`, `https://${HOST}/x`],
    [`**https://${HOST}/x**`, `https://${HOST}/x`],
    [`(https://${HOST}/x)`, `https://${HOST}/x`],
    ...["”", "’", "»", "」", "…", "🙂", "–", "_", "--", ")", ");", "**", ">", "”).", "，", "）", "→"].map(
      (end) => [`https://${HOST}${end}`, `https://${HOST}/`]
    ),
    ["http://www[.]trelba-mund[.]com”", "http://www.trelba-mund.com/"],
    ["trelba-mund.com:8080)", "http://trelba-mund.com/"],
    ["https://www\\.trelba-mund\\.com/x", "https://www.trelba-mund.com/x"],
    ["trelba-mund\\.com/x", "http://trelba-mund.com/x"],
    ["trelba-mund\\[.\\]com/x", "http://trelba-mund.com/x"],
    ["https://www.trelba-mund\\[.\\]com/x", "https://www.trelba-mund.com/x"],
    ["hxxps\\[:\\]//trelba\\-mund\\[.\\]com/x", "https://trelba-mund.com/x"],
    ["https\\://trelba-mund.com/x", "https://trelba-mund.com/x"],
    ["203.0.113\\[.\\]77/x", "http://203.0.113.77/x"],
    ["203\\.0\\.113\\.77/x", "http://203.0.113.77/x"],
    ["hxxps[:]//kvista-morlen[.]com[/]pay[/]card", "https://kvista-morlen.com/pay/card"],
    ["kvista-morlen [.] com/pay/card", "http://kvista-morlen.com/pay/card"],
    ["kvista-morlen . com/pay", "http://kvista-morlen.com/pay"],
    ["https:// kvista-morlen .com /x", "https://kvista-morlen.com/x"],
    ["kvista-morlen[.com/x", "http://kvista-morlen.com/x"],
    ["kvista-morlen].[com/x", "http://kvista-morlen.com/x"],
    ["kvista-morlen.]com/x", "http://kvista-morlen.com/x"],
    ["kvista-morlen[.[com/x", "http://kvista-morlen.com/x"],
    ["kvista-morlenDOTcom/x", "http://kvista-morlen.com/x"],
    ["kvista-morlen-dot-com/x", "http://kvista-morlen.com/x"],
    ["kvista-morlen·com/x", "http://kvista-morlen.com/x"],
    ["kvista-morlen•com/x", "http://kvista-morlen.com/x"],
    ["kvista-morlen点com/x", "http://kvista-morlen.com/x"],
    ["kvista-morlen점com/x", "http://kvista-morlen.com/x"],
    ["kvista[-]morlen.com/x", "http://kvista-morlen.com/x"],
    ["https://[www].kvista-morlen.com/x", "https://www.kvista-morlen.com/x"],
    ["hxxp__ kvista-morlen( .com[/]x", "http://kvista-morlen.com/x"],
    ["hxxps__kvista-morlen[.]com/x", "https://kvista-morlen.com/x"],
    ["http:__kvista-morlen.com/x", "http://kvista-morlen.com/x"],
    ["hxxps[:][/][/]kvista-morlen[.]com/x", "https://kvista-morlen.com/x"],
    ["https:\\u002f\\u002fkvista-morlen.com\\u002fx", "https://kvista-morlen.com/x"],
    ["https：／／kvista-morlen．com/x", "https://kvista-morlen.com/x"],
    ["ｈｔｔｐｓ：//kvista-morlen.com/x", "https://kvista-morlen.com/x"],
    ["https://www/kvista-morlen.com/x", "https://www.kvista-morlen.com/x"],
    ["www//kvista-morlen.com/x", "http://www.kvista-morlen.com/x"],
    ["- kvista-morlen.com/x", "http://kvista-morlen.com/x"],
    ["• kvista-morlen.com/x", "http://kvista-morlen.com/x"],
    ["\\\\kvista-morlen.com@80\\x", "http://kvista-morlen.com/x"],
    ["Tracking: trelba-mund.com/x", "http://trelba-mund.com/x"],
    ["Visit:trelba-mund.com/x", "http://trelba-mund.com/x"],
    ["Pay:www.trelba-mund.com", "http://www.trelba-mund.com/"],
    ["\\\\trelba-mund.com@SSL\\folder\\a.lnk", "http://trelba-mund.com/folder/a.lnk"],
    ["\\\\trelba-mund.com@SSL@8443\\folder", "http://trelba-mund.com/folder"],
    ["file:\\\\trelba-mund.com@80\\folder", "file://trelba-mund.com/folder"],
    ["\u{1f449}trelba-mund.com\u{1f448}", "http://trelba-mund.com/"],
    ["\u3010trelba-mund.com\u3011", "http://trelba-mund.com/"],
    ["file://203.0.113.7@80/a.zip/a.exe", "file://203.0.113.7/a.zip/a.exe"],
    ["file://trelba-mund.com@SSL@8443/folder", "file://trelba-mund.com/folder"]
  ])("%o", (submitted, meant) => assert.strictEqual(read(submitted), meant))
})

describe("what names no host that can be meant", () => {
  it.each(["kvista-morlen.com · trelba-mund.com", "Home • kvista-morlen.com", "a.com点 b.com"])(
    "%o is a text with a mark between words",
    (submitted) => assert.strictEqual(read(submitted), "ForbiddenHostCharacter")
  )

  it.each([
    ...["http://http", "https//", "1.https://", "-----http://", "https://https://https"],
    // One of two addresses would not be judged.
    "https://a.examplehttps://b.example/"
  ])("%o is not on a private network", (submitted) => assert.strictEqual(read(submitted), "NoHost"))

  it.each([
    ["https://intranet/x", "https://intranet/x"],
    ["https://www/index.html", "https://www/index.html"],
    ["https://http-server/a.example", "https://http-server/a.example"],
    ["https://https__kvista-morlen.com/x", "https://https__kvista-morlen.com/x"],
    ["https://__a.kvista-morlen.com/x", "https://__a.kvista-morlen.com/x"],
    ["http://localhost:3000/", "http://localhost/"],
    ["https://www.evil.example\\.good.example/", "https://www.evil.example/.good.example/"],
    ["https://www.evil.example\\[.\\]good.example/", "https://www.evil.example/[./]good.example/"],
    ["1.https://www.evil.example\\[.\\]good.example/", "https://www.evil.example/[./]good.example/"],
    ["http://203.0.113.77\\[.\\]good.example/", "http://203.0.113.77/[./]good.example/"],
    ["http://3405803853\\.good.example/", "http://203.0.113.77/.good.example/"],
    ["http://203.0.29005\\[.\\]good.example/", "http://203.0.113.77/[./]good.example/"],
    ["http://0xcb.0.0x71.0115\\.good.example/", "http://203.0.113.77/.good.example/"],
    ["https://a.example/http://b.example/", "https://a.example/http:/b.example/"],
    ["mailto:someone@a.example", "OpaqueScheme"],
    ["mailto: someone@a.example", "OpaqueScheme"],
    ["javascript:alert(1)", "OpaqueScheme"],
    ["sip:a.example", "OpaqueScheme"],
    ["ms-settings:display", "OpaqueScheme"],
    ["https://someone@a.example/", "https://a.example/"],
    ["two words", "ForbiddenHostCharacter"],
    ["file:///C:/a.txt", "OpaqueScheme"],
    ["file:////a.example/t.rtf", "file://a.example/t.rtf"],
    ["file:///\\\\a.example\\t\\t.rtf!x", "file://a.example/t/t.rtf!x"]
  ])("%o is read as it is written", (submitted, read_) => assert.strictEqual(read(submitted), read_))
})

describe("64 KiB behind a host without a slash", () => {
  const MAX_MS = 200

  it.each(["a", "a ", "a\\.", "@"])("of %o take linear time", async (piece) => {
    const text = `a.example?${piece.repeat((64 * 1024) / piece.length)}`
    assert.isBelow(await leastCpuMs(MAX_MS, () => CanonicalUrl.parse(text)), MAX_MS)
  })
})
