import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import * as Link from "../../../src/Http/Pages/link.browser.js"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"

const entries = (shown: Link.Shown) => [...shown].map(([link, texts]) => [link, ...texts])

const hidden = (text: string, html: string) => entries(Link.hiddenLinks(text, html))

describe("the links in a text", () => {
  for (const [text, ...links] of [
    // A link alone
    ["https://example.com/", "https://example.com/"],
    ["  https://example.com/a?b=c#d\n", "https://example.com/a?b=c#d"],
    ["example.com", "example.com"],
    ["Example.Club", "Example.Club"],
    ["login.example", "login.example"],
    ["www.example.com/a", "www.example.com/a"],
    ["example.com:8080", "example.com:8080"],
    ["192.0.2.7", "192.0.2.7"],
    ["bücher.example", "bücher.example"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["пример.рф", "пример.рф"],
    ["http://user@example.com/", "http://user@example.com/"],
    ["paypal.example@bad.example/x", "paypal.example@bad.example/x"],
    ["https:example.com", "https:example.com"],
    // With characters that end a link in a sentence, but not in a browser
    ['https://shop.example"@bad.example/x', 'https://shop.example"@bad.example/x'],
    ["https://shop.example)@bad.example/x.", "https://shop.example)@bad.example/x"],
    ["https://shop.com«.bad.example/x", "https://shop.com«.bad.example/x"],
    ["https://shop.com，x。bad.example", "https://shop.com，x。bad.example"],
    ["https://shop.example，谢谢", "https://shop.example"],
    // As reports write it
    ["hxxps://bad[.]example/x", "hxxps://bad[.]example/x"],
    ["hxxps[:]//bad[.]example/x", "hxxps[:]//bad[.]example/x"],
    ["hxxp[://]bad([.])example", "hxxp[://]bad([.])example"],
    ["fxxp://bad.example", "fxxp://bad.example"],
    ["bad[.]example", "bad[.]example"],
    ["We saw bad[.]example today", "bad[.]example"],
    ["Blocked: www(.)bad{dot}example[:]8080/a[.]b.", "www(.)bad{dot}example[:]8080/a[.]b"],
    // With what a browser or a program writes in front of it
    ["view-source:https://example.com/", "view-source:https://example.com/"],
    ["URL:https://example.com/", "https://example.com/"],
    ["intent://example.com/#Intent;scheme=https;end", "intent://example.com/#Intent;scheme=https;end"],
    ["microsoft-edge:?url=https%3A%2F%2Fexample.com", "microsoft-edge:?url=https%3A%2F%2Fexample.com"],
    ["tg://resolve?domain=example", "tg://resolve?domain=example"],
    ["javascript:alert('a b')", "javascript:alert('a b')"],
    ["data:text/html,<b>a b</b>", "data:text/html,<b>a b</b>"],
    ["data:text/html;charset=utf-8;base64,PGI+", "data:text/html;charset=utf-8;base64,PGI+"],
    ["file:///etc/hosts", "file:///etc/hosts"],
    // In a sentence
    ["Your parcel: https://example.com/a.", "https://example.com/a"],
    ["Is it https://example.com/a?", "https://example.com/a"],
    ["Pay at https://example.com/a?b=c, or else!", "https://example.com/a?b=c"],
    ["(see https://example.com/a)", "https://example.com/a"],
    ["(see https://example.com/a_(b))", "https://example.com/a_(b)"],
    ['<a href="https://example.com/a">', "https://example.com/a"],
    ["<https://example.com/a>", "https://example.com/a"],
    ["Click here<https://example.com/a>.", "https://example.com/a"],
    ["“https://example.com/a”", "https://example.com/a"],
    ["'https://example.com/a'", "https://example.com/a"],
    ["*https://example.com/a*", "https://example.com/a"],
    ["[pay](https://example.com/a)", "https://example.com/a"],
    ["请打开https://example.com/a，谢谢", "https://example.com/a"],
    ["visithttps://example.com/a", "https://example.com/a"],
    ["Link=https://example.com/a", "https://example.com/a"],
    ["Go to www.example.com.", "www.example.com"],
    ["Go to \u200bexample.com/a\u200b now", "example.com/a"],
    ["Log in at example.com!", "example.com"],
    ["LOG IN AT EXAMPLE.COM!", "EXAMPLE.COM"],
    ["bit.ly/3abc is yours", "bit.ly/3abc"],
    ["👉https://example.com/a👈🏽", "https://example.com/a"],
    ["❤️https://example.com❤️", "https://example.com"],
    ["👉www.example.com", "www.example.com"],
    ["Pay now →example.com/a← !", "example.com/a"],
    ["•www.example.com", "www.example.com"],
    ["-www.example.com", "www.example.com"],
    ["（https://example.com）", "https://example.com"],
    ["Visit:www.example.com/a now", "www.example.com/a"],
    ["Link:(example.com).", "example.com"],
    // Several
    ["https://a.example https://b.example", "https://a.example", "https://b.example"],
    ["[https://a.example](https://b.example)", "https://a.example", "https://b.example"],
    [
      "https://a.example,https://b.example;http://c.example",
      "https://a.example",
      "https://b.example",
      "http://c.example"
    ],
    ["https://a.example, again https://a.example.", "https://a.example"],
    ["https://a.example/?to=https://b.example", "https://a.example/?to=https://b.example"],
    // What is written as a link goes before what is merely named
    ["Dear shop.com customer, open https://bad.example/x", "https://bad.example/x", "shop.com"],
    ["From shop.com/help to www.bad.example", "www.bad.example", "shop.com/help"],
    // Not a link
    [""],
    [" \n"],
    ["hello"],
    ["Hello, how are you?"],
    ["Hello.How are you"],
    ["Call me at 12.30 or pay 4.99 EUR, e.g. tomorrow ..."],
    ["someone@example.com"],
    ["Write to someone@example.com."],
    ["mailto:someone@example.com"],
    ["mailto:someone@example.com?subject=Hello"],
    ["https://"],
    ["http: what is it?"],
    ["My data: none"],
    ["Data:none"],
    ["About:your parcel, open https://example.com/a", "https://example.com/a"],
    ["Data:12,3 kg, open https://example.com/a", "https://example.com/a"],
    ["File:4711 is open, see https://example.com/a", "https://example.com/a"],
    ["version 1.2.3"],
    ["invoice.pdf"],
    ["Open Invoice.PDF, it is new"],
    ["report.docx/"],
    ["10:30"],
    ["👉👈"],
    ["-.-"],
    ["and/or he.She/they"]
  ] as const)
    it(`of ${JSON.stringify(text)} are ${JSON.stringify(links)}`, () => {
      assert.deepStrictEqual(Link.linksIn(text), links)
    })

  it("of an e-mail is the one to click", () => {
    const mail = `From: Parcel Service <service@parcel.example>
Subject: Your parcel is waiting

Dear customer,
your parcel (no. 4.711) could not be delivered.Please pay the fee of 1.99 EUR:

    <https://parcel-fee.example/pay?id=4711>

Parcel Service, parcel.com`
    assert.deepStrictEqual(Link.linksIn(mail), ["https://parcel-fee.example/pay?id=4711", "parcel.com"])
  })

  it("alone is the whole text for anything that the service reads as a web address", () => {
    const hosts = ["bad.example", "bad[.]example", "192.0.2.1", "www.bad.example:8080"]
    const rests = ["", "/", "/a", "?a=b", "/a_(b)?c=%20&d=[e]"]
    for (const scheme of ["", "http://", "https://", "HXXPS://", "hxxp[:]//", "ftp://"])
      for (const host of hosts)
        for (const rest of rests) {
          const text = `${scheme}${host}${rest}`
          assert.isTrue(Either.isRight(CanonicalUrl.parse(text)), text)
          assert.deepStrictEqual(Link.linksIn(text), [text])
        }
  })

  it("never contain white space at their ends, and are in the text", () => {
    const unit = FastCheck.constantFrom(..."ab.:/[]()<>@ \n\u200b%?#é".split(""), "https://", "www.", ".com")
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit, maxLength: 40 }), (text) => {
        for (const link of Link.linksIn(text)) {
          assert.include(text, link)
          assert.strictEqual(link, link.trim())
          assert.notStrictEqual(link, "")
        }
      }),
      { numRuns: 500 }
    )
  })

  it("are found in a million characters, and in as much HTML", () => {
    assert.deepStrictEqual(Link.linksIn(`word${" ".repeat(990_000)}https://example.com/`), [
      "https://example.com/"
    ])
    const html = `${" ".repeat(990_000)}<a href="https://example.com/">`
    assert.deepStrictEqual(hidden("Pay", html), [["https://example.com/", ""]])
  })

  it("are found in linear time", () => {
    for (const part of [
      "https://",
      "(",
      ")",
      "a.",
      "[.]",
      "a@",
      "http:)",
      "\u200b",
      'href="https:',
      "😀",
      "a,http:",
      "«"
    ])
      assert.isArray(Link.linksIn(part.repeat(50_000 / part.length)))
    for (const part of ['<a href="https:', "<a ", "<a href=https:x ", "<", "</a", "&"])
      assert.isArray(hidden("Pay", `<a href="https://example.com">${part.repeat(250_000 / part.length)}`))
  })
})

describe("a copied text", () => {
  it("has the links that its reader does not see, with what it shows in their place", () => {
    assert.deepStrictEqual(
      hidden(
        "Dear customer, pay, now",
        `<p>Dear <a href="https://example.com/a?b=1&amp;c=2">customer</a>,
<a class="x" href="http://bad.example"><b>pay</b> &amp;
 more</a>, <A HREF='http://bad.example'>now</A> <a href=https://image.example/><img alt=""></a></p>`
      ),
      [
        ["https://example.com/a?b=1&c=2", "customer"],
        ["http://bad.example", "pay & more", "now"],
        ["https://image.example/", ""]
      ]
    )
  })

  it("has a link that it shows as another one, although it names the link elsewhere", () => {
    const html = '<a href="https://bad.co/">https://bad.com/</a>'
    for (const text of ["https://bad.com/", "https://bad.com/ https://bad.co/"])
      assert.deepStrictEqual(hidden(text, html), [["https://bad.co/", "https://bad.com/"]])
  })

  it("has all that it shows in place of a link, pasted or as source, in whatever order", async () => {
    const first = '<a href="https://bad.example/">Unsubscribe</a>'
    const second = '<a href="https://bad.example/">https://bank.example</a>'
    for (const [html, ...shown] of [
      [first + second, "Unsubscribe", "https://bank.example"],
      [second + first + second, "https://bank.example", "Unsubscribe"]
    ] as const) {
      assert.deepStrictEqual(hidden("", html), [["https://bad.example/", ...shown]])
      assert.deepStrictEqual(entries((await Link.linksOf(html)).shown), [["https://bad.example/", ...shown]])
    }
  })

  it("shows at most as many texts as it has, in linear time", () => {
    const html = Array.from({ length: 25_000 }, (_, index) => `<a href="https://bad.example/">${index}</a>`)
    assert.strictEqual(hidden("", html.join(""))[0]?.length, 25_001)
  })

  it("has each address of a link that has several", () => {
    const html = '<a data-href="https://good.example/" href="https://bad.example/">Pay</a>'
    assert.deepStrictEqual(hidden("Pay", html), [
      ["https://good.example/", "Pay"],
      ["https://bad.example/", "Pay"]
    ])
  })

  it("has none if all its links are visible, or lead to no web page", () => {
    for (const [text, html] of [
      ["https://example.com", '<a href="https://example.com/">https://example.com</a>'],
      ["See example.com/a.", 'See <a href="http://example.com/a">example.com/a</a>.'],
      ["Write to me", '<a href="mailto:a@example.com">Write to me</a>'],
      ["Top", '<a href="#top">Top</a>'],
      ["text", ""]
    ] as const)
      assert.deepStrictEqual(hidden(text, html), [])
  })
})

describe("a scheme", () => {
  it("is what browsers open", () => {
    for (const link of ["https://example.com", "HXXP://example.com", "ftp://example.com"])
      assert.isTrue(Link.hasScheme(link), link)
    for (const link of ["example.com", "example.com:8080", "www.example.com/http:"])
      assert.isFalse(Link.hasScheme(link), link)
  })
})

describe("the fragment of the page's address", () => {
  it.each([
    ["#url=https%3A%2F%2Fexample.com%2F%3Fa%2Bb%26c", "https://example.com/?a+b&c"],
    ["#url=https://example.com/?a+b&c#d", "https://example.com/?a+b&c#d"],
    ["#url=https://example.com/100%", "https://example.com/100%"],
    ["#url=", ""],
    ["#result", undefined],
    ["", undefined]
  ])("%s fills the field with %s", (fragment, text) => {
    assert.strictEqual(Link.textOfFragment(fragment), text)
  })
})

describe("what an app shares", () => {
  it.each([
    ["?text=https%3A%2F%2Fexample.com%2Fa", "https://example.com/a"],
    ["?title=Parcel&text=Pay+https%3A%2F%2Fexample.com%2Fa", "Pay https://example.com/a"],
    ["?title=News&text=Read+this&url=https%3A%2F%2Fexample.com", "https://example.com"],
    ["?title=https%3A%2F%2Fexample.com&text=Read+this", "https://example.com"],
    ["?title=Hello&text=Good+day&url=", "Good day\nHello"],
    ["?other=https%3A%2F%2Fexample.com", ""],
    ["", ""]
  ])("%s is %s", (query, text) => {
    assert.strictEqual(Link.sharedText(query), text)
  })
})
