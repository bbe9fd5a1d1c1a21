import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as PathSignals from "../../../../src/Checkers/Heuristics/Signals/PathSignals.ts"
import type { Signal } from "../../../../src/Checkers/Kinds.ts"
import * as CanonicalUrl from "../../../../src/Url/CanonicalUrl.ts"

const signalsOf = (url: string): ReadonlyArray<Signal> => {
  const signals: Array<Signal> = []
  PathSignals.addSignals(Either.getOrThrow(CanonicalUrl.parse(url)), signals)
  return signals
}
const signals = (pathAndQuery: string) => signalsOf(`https://www.example.com${pathAndQuery}`)

describe("a path and a query", () => {
  it.each([
    ["/wp-includes/css/otp.php", { kind: "pageAmongSoftware", folder: "wp-includes" }],
    ["/blog/wp-content/plugins/x/", { kind: "pageAmongSoftware", folder: "wp-content" }],
    ["/.well-known/signin/index.html", { kind: "pageAmongSoftware", folder: ".well-known" }],
    [`/ipfs/baf${"a".repeat(56)}/x.html`, { kind: "contentIdentifier", identifier: `baf${"a".repeat(56)}` }],
    ["/go?to=someone@example.org", { kind: "mailAddress" }],
    ["/go/someone%40example.org", { kind: "mailAddress" }]
  ] as const)("%s has %j", (pathAndQuery, signal) => {
    assert.deepStrictEqual(signals(pathAndQuery), [signal])
  })

  it.each([
    "/",
    "/wp-content/uploads/2024/05/menu.html",
    "/wp-content/themes/plain/style.css",
    "/wp-content/plugins/x/logo.png",
    "/wp-admin/admin-ajax.php",
    "/wp-login.php",
    "/.well-known/security.txt",
    "/page?about",
    "/?q=word",
    "/@someone",
    "/@someone@example/posts",
    "/mirror/example.com/",
    "/index.html",
    "/archive/"
  ])("%s has no signal", (pathAndQuery) => {
    assert.deepStrictEqual(signals(pathAndQuery), [])
  })

  it("has a signal for a page with a slash after it", () => {
    assert.deepStrictEqual(signals("/news/index.html/"), [{ kind: "pageAsFolder", page: "index.html" }])
  })
})
