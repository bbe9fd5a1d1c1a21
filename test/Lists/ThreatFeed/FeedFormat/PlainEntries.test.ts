import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as FeedEntry from "../../../../src/Lists/ThreatFeed/FeedFormat/FeedEntry.ts"
import { PlainEntries } from "../../../../src/Lists/ThreatFeed/FeedFormat/PlainEntries.ts"
import * as ListBuild from "../../../../src/Lists/ThreatFeed/ListBuild.ts"
import { ThreatListBuilder } from "../../../../src/Lists/ThreatList/ThreatListBuilder.ts"
import { buildRequest, getBody } from "../../../fixtures/BuildRequests.ts"
import { addAll, hashKey, kindOf } from "../../../fixtures/ThreatLists.ts"

const take = (plain: PlainEntries, text: string): boolean => {
  // Somewhere in a chunk of a document.
  const bytes = Buffer.from(`x\n${text}\nhttp://`)
  return plain.take(bytes, 2, bytes.length - "\nhttp://".length)
}

const isTaken = (text: string) => take(new PlainEntries(new ThreatListBuilder(hashKey), "phishing"), text)

describe("PlainEntries", () => {
  it("takes canonical URLs", () => {
    for (const text of [
      "http://evil.example/login",
      "https://www.evil.example/a/b/?id=1&x=//..",
      "evil.example",
      "evil.example/a?",
      "hxxp.example/",
      "evil.example/a[.]b?to=http://worse[.]example/"
    ])
      assert.isTrue(isTaken(text), text)
  })

  it("leaves other entries to the parser", () => {
    for (const text of [
      "",
      "# comment",
      "http://Evil.example/",
      "http://evil.example/%41",
      "http://evil.example/a/../b",
      "http://192.0.2.7/",
      "http://evil.example?a",
      "http://evil.example:80/",
      "hxxp://evil.example/",
      "evil[.]example/",
      "evil(dot)example/",
      "view-source:http://evil.example/",
      "<http://evil.example/>",
      "evil.example/\u00fc",
      " evil.example",
      "evil.example/a b",
      "ftp://evil.example/",
      "https://github.com/",
      "https://github.com/owner/repository"
    ])
      assert.isFalse(isTaken(text), text)
  })

  it("stays with its host while entries of other hosts are added as texts", () => {
    const builder = new ThreatListBuilder(hashKey)
    const plain = new PlainEntries(builder, "phishing")
    assert.isTrue(take(plain, "http://evil.example/1"))
    addAll(builder, ["http://192.0.2.7:80/x"])
    assert.isTrue(take(plain, "http://evil.example/2"))
    const list = builder.build()
    for (const url of ["http://evil.example/1", "http://192.0.2.7/x", "http://evil.example/2"])
      assert.strictEqual(kindOf(list, url), "listedUrl", url)
    assert.isUndefined(kindOf(list, "http://192.0.2.7/2"))
  })

  it("adds the same expressions as the parser", () => {
    const host = FastCheck.constantFrom(
      "evil.example",
      "a.b.evil.co.uk",
      "github.com",
      "x.vercel.app",
      "vercel.app"
    )
    const path = FastCheck.constantFrom(
      ..." / /a /a/ /a/b? /a?b /a/?b /? ?a /%41 /a[.] /?a[.] //a /./a :80/a . A/ hxxp :// @a #a \\ ".split(
        " "
      )
    )
    const scheme = FastCheck.constantFrom(
      "http://",
      "https://",
      "",
      "hxxp://",
      "hxxp",
      "hxxp[:]//",
      "URL:",
      "url"
    )
    const entry = FastCheck.tuple(scheme, host, path, path).map((parts) => parts.join(""))
    FastCheck.assert(
      FastCheck.property(FastCheck.array(entry, { maxLength: 60 }), (entries) => {
        const expected = new ThreatListBuilder(hashKey)
        addAll(expected, entries)
        const builder = new ThreatListBuilder(hashKey)
        const plain = new PlainEntries(builder, "phishing")
        let taken = 0
        for (const text of entries) {
          if (take(plain, text)) {
            assert.strictEqual(FeedEntry.parse(text)._tag, "Listed", text)
            taken++
          } else addAll(builder, [text])
        }
        assert.strictEqual(plain.used, taken)
        assert.isTrue(Buffer.from(builder.build().bytes).equals(Buffer.from(expected.build().bytes)))
      }),
      { seed: 1, numRuns: 150 }
    )
  })
  it("changes nothing in the list of a document, whatever its bytes and its chunks", async () => {
    const part = FastCheck.constantFrom(
      ...[
        "http://",
        "https://",
        "evil.example",
        "github.com",
        "vercel.app",
        "/",
        "/a",
        "?b",
        "?",
        "%41",
        "."
      ],
      ...["\r", "\0", "\ufeff", "\t", " ", "#", "\u00fc", "\u{1f600}", "[.]", "hxxp://", "\\", ":80", "A"]
    )
    const line = FastCheck.array(part, { maxLength: 6 }).map((parts) => parts.join(""))
    const lines = FastCheck.array(FastCheck.tuple(line, FastCheck.constantFrom("\n", "\r\n", "\n\n")), {
      maxLength: 40
    })
    const cuts = FastCheck.array(FastCheck.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })
    await FastCheck.assert(
      FastCheck.asyncProperty(lines, FastCheck.boolean(), cuts, async (lines, hasLastEnd, cuts) => {
        const all = [
          ...lines.map((parts) => parts.join("")),
          `http://last.example/${hasLastEnd ? "\n" : ""}`
        ].join("")
        const expected = new ThreatListBuilder(hashKey)
        const texts = all.split("\n").map((text) => text.replace(/\r$/, "").trim())
        addAll(
          expected,
          texts.filter((text) => !text.startsWith("#") && !/\s/.test(text))
        )
        const bytes = Buffer.from(all)
        const places = [...cuts.map((cut) => Math.floor(cut * bytes.length)), bytes.length].sort(
          (a, b) => a - b
        )
        const pieces = async function* () {
          for (const [index, place] of places.entries()) yield bytes.subarray(places[index - 1] ?? 0, place)
        }
        const built = await ListBuild.build(buildRequest(), getBody(pieces()))
        if (built._tag !== "NewDocument") return assert.fail(built._tag)
        assert.isTrue(
          Buffer.from(built.bytes).equals(Buffer.from(expected.build().bytes)),
          JSON.stringify(all)
        )
      }),
      { seed: 1, numRuns: 150 }
    )
  })
})
