import { readFileSync } from "node:fs"
import { assert, describe, expect, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { FastCheck, Schema } from "effect"
import * as FeedChecker from "../src/Checkers/FeedChecker.ts"
import * as Curve from "../src/Checkers/Heuristics/Model/Curve.ts"
import * as Heuristics from "../src/Checkers/Heuristics.ts"
import { factsByKind } from "../src/Checkers/Kinds/KindNames.ts"
import { type Details, type FindingKind, kinds, sentenceOf, shortHost } from "../src/Checkers/Kinds.ts"
import * as OperatorDecisions from "../src/Checkers/OperatorDecisions.ts"
import * as ReputationLookup from "../src/Checkers/ReputationLookup.ts"
import * as Verdict from "../src/Checkers/Verdict.ts"
import { ScanResult } from "../src/Http/Api/ScanResult.ts"
import * as CanonicalUrl from "../src/Url/CanonicalUrl.ts"
import * as ExpressionHash from "../src/Url/ExpressionHash.ts"
import * as Submission from "../src/Url/Submission.ts"
import { exampleOf, openApi } from "./fixtures/OpenApiDocument.ts"
import { model } from "./fixtures/SmallModel.ts"
import { listOf } from "./fixtures/ThreatLists.ts"

const phishTank = {
  list: listOf([
    "https://listed.example/login?id=1",
    "https://files.example/dir/",
    "https://drive.google.com/file/d/1/view",
    "evil.example",
    "daily.example",
    ...Array.from({ length: 35 }, (_, i) => `https://busy.example/${i}`)
  ]),
  fetchedAt: Date.UTC(2026, 10, 21, 9),
  isStale: false
}
const popularSites = { isSite: (host: string) => host === "daily.example", isOnSite: () => false }
const newDomains = { isNew: (domain: string) => domain === "new-login.top", days: 30 }
const google = [
  { hash: ExpressionHash.ofExpression("severe.example/"), threats: ["SOCIAL_ENGINEERING"] },
  { hash: ExpressionHash.ofExpression("malware.example/"), threats: ["MALWARE"] },
  { hash: ExpressionHash.ofExpression("unwanted.example/"), threats: ["UNWANTED_SOFTWARE"] },
  { hash: ExpressionHash.ofExpression("app.example/"), threats: ["POTENTIALLY_HARMFUL_APPLICATION"] }
] as const

/** What the local checker, a threat list, Safe Browsing and a list of the operator say together. */
const judge = (url: string) => {
  const submission = Submission.read(url, 0)
  const { addresses } = submission
  const { findings } = ReputationLookup.resultFor(submission, ReputationLookup.hashesOf(submission), google)
  return Verdict.judge(
    [
      ...Heuristics.findings(model, submission, undefined, newDomains),
      ...FeedChecker.findings("feed_c", phishTank, "PhishTank", addresses, popularSites),
      ...findings
    ],
    addresses.map((address, addressIndex) =>
      address.url.host === "blocked.example"
        ? OperatorDecisions.blockedFinding(address, addressIndex)
        : undefined
    )
  )
}

/** For each kind a URL that has it. One that only explains is shown beside another. */
const examples: Readonly<Record<FindingKind, string>> = {
  blocked: "https://blocked.example/",
  listedUrl: "https://listed.example/login?id=1",
  listedHost: "https://login.evil.example/a",
  listedDirectory: "https://files.example/dir/a.html",
  listedPage: "https://listed.example/login?id=2",
  otherPagesListed: "https://busy.example/a",
  unconfirmedListing: "https://daily.example/news",
  severeThreat: "https://severe.example/",
  unwantedSoftware: "https://unwanted.example/",
  carriedListing: "https://example.com/?next=https://evil.example/a",
  carriedUnwantedSoftware: "https://example.com/?next=https://unwanted.example/",
  model: "http://paypa1-secure.example/login",
  malformed: "https://exa mple.com/",
  scriptScheme: "javascript:alert(1)",
  otherScheme: "mailto:someone@example.com",
  notHttps: "http://example.com/",
  brandInUserInfo: "https://www.paypal.com@shop.example/",
  deceptiveUserInfo: "https://www.example.com@shop.example/",
  userInfo: "https://someone@shop.example/invoice.lnk",
  privateHost: "https://192.168.1.1/",
  ipHost: "https://www.example.com@203.0.113.7/",
  internationalHost: "https://www.example.com@b\u00fccher.example.top/",
  mixedScripts: "https://\u0431ank.example/",
  decoyDomain: "https://www.example.com@www.example.com.shop.example/",
  dynamicDns: "https://www.example.com@nas.duckdns.org/",
  abusedSuffix: "https://www.example.com@shop.example.top/",
  freeHosting: "https://www.example.com@someone.pages.dev/login",
  shortener: "https://bit.ly/abc",
  machineName: "https://www.example.com@modern-table-729055.example/",
  brandDomainInHost: "https://paypal.com.shop.example/",
  brandHomograph: "https://paypa1.example/",
  brandSplit: "https://myetherw.allet.example/",
  brandLure: "https://paypal-login.example/",
  brandLookAlike: "https://paypa1-info.example/",
  brandInDomain: "https://paypal-info.example/",
  brandInSubdomain: "https://paypal.shop.example/",
  brandAmongWords: "https://orchard-paypal.example/",
  bankCodeLure: "https://sparkasse-pushtan.example/login",
  lureInDomain: "https://www.example.com@secure-login.example/",
  lureInHost: "https://www.example.com@login-shop.example.top/",
  lureInPath: "https://www.example.com@shop.example.top/login",
  newDomain: "https://www.example.com@new-login.top/",
  mailAddress: "https://www.example.com@shop.example/?to=user@example.org",
  brandInPath: "https://www.example.com@sites.google.com/view/paypal-login",
  unreadDestination: `https://steamcommunity.com/linkfilter?${["u", "u", "url", "url"].map((name, i) => `${name}=https://www.youtube.com/redirect?q=https://${i}.example/`).join("&")}`,
  brandDomainInPath: "https://shop.example/paypal.com/signin",
  disguisedFile: "https://example.com/invoice.pdf.exe",
  harmfulFile: "https://example.com/invoice.lnk",
  executablePath: "https://www.example.com@example.com/invoice.exe",
  pageAmongSoftware: "https://www.example.com@example.com/wp-includes/pay.php"
}

/** Who finds a kind, in docs/reasons.md. */
const finders = {
  feeds: "feeds",
  heuristics: "`heuristics`",
  lists: "feeds, `reputation_lookup`, `operator_lists`",
  operator_lists: "`operator_lists`",
  reputation_lookup: "`reputation_lookup`"
} as const

/** The finding of a kind in its example. */
const exampleFinding = (kind: FindingKind): Verdict.ReportedFinding => {
  const found = judge(examples[kind]).findings.find((finding) => finding.kind === kind)
  return Verdict.reported(found ?? assert.fail(`${kind} is not found in ${examples[kind]}`))
}

/** The words that the shipped weights quote may change. */
const sentenceOfExample = (kind: FindingKind): string => {
  const { reason } = exampleFinding(kind)
  return kind === "model" ? sentenceOf(kind, { pieces: ["paypa1-secure", "login"] }) : reason
}

const allKinds = Object.keys(kinds) as ReadonlyArray<FindingKind>

/** The table of docs/reasons.md in which a kind is. */
const tableOf = (kind: FindingKind): string => {
  const { checker, strength } = kinds[kind]
  if (checker !== "heuristics") return "lists"
  return typeof strength === "number" ? "decides" : strength
}

const code = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

/** The columns of a table, by its head. */
const columns: Readonly<Record<string, (kind: FindingKind) => string | number>> = {
  kind: (kind) => `\`${kind}\``,
  checker: (kind) => finders[kinds[kind].checker],
  score: (kind) => kinds[kind].strength,
  sentence: sentenceOfExample,
  details: (kind) => code(kinds[kind].details.map((name) => name.replace("?", ""))),
  meaning: (kind) => kinds[kind].meaning
}

const rowOf = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`

const tableNamed = (table: string): string => {
  const shown = Object.entries(columns).filter(
    ([head]) =>
      (head !== "checker" || table === "lists") &&
      (head !== "score" || table === "lists" || table === "decides")
  )
  return [
    rowOf(shown.map(([head]) => head)),
    rowOf(shown.map(() => "---")),
    ...allKinds
      .filter((kind) => tableOf(kind) === table)
      .map((kind) => rowOf(shown.map(([, cellOf]) => cellOf(kind))))
  ].join("\n")
}

const page = readFileSync(new URL("../docs/reasons.md", import.meta.url), "utf8")

/** The lines of a table by kind, of those that have any. */
const factLines = (isOfSome: boolean, rows = Object.values(kinds)): string =>
  rows
    .map(({ details, kind }) => [kind, details.filter((name) => name.endsWith("?") === isOfSome)] as const)
    .filter(([, names]) => !isOfSome || names.length > 0)
    .map(([kind, names]) => `  ${kind}: [${names.map((name) => `"${name.replace("?", "")}"`).join(", ")}]`)
    .join(",\n")

const KIND_NAMES = `// Written by \`npm run reference\` from the rows of kinds.tsv. Without Effect and sentences: clients load this file.

/** What the sentence of each kind shows. All have \`innerHost\` too if they are about an address inside the URL. */
export const factsByKind = {
${factLines(false)}
} as const

/** What only some findings of a kind show. A \`carriedListing\` has what says so: a list, Google's threat, or your block list. */
export const factsOfSome = {
${factLines(true)}
} as const

export type FindingKind = keyof typeof factsByKind

/** The kinds of findings, in the order of the contract. */
export const kindNames = Object.keys(factsByKind) as ReadonlyArray<FindingKind>
`

/** `npm run reference` runs this file with `--update`, which writes both. */
describe("what `npm run reference` writes from the rows of kinds.tsv", () => {
  it("is current in docs/reasons.md", () => {
    for (const kind of allKinds) assert.include(page, `<!-- kinds: ${tableOf(kind)} -->`)
    const written = page.replaceAll(
      /(<!-- kinds: (\w+) -->\n\n).*?(?=\n\n<!-- end -->)/gs,
      (_, start: string, table: string) => start + tableNamed(table)
    )
    return expect(written).toMatchFileSnapshot("../docs/reasons.md")
  })

  it("is current in src/Checkers/Kinds/KindNames.ts", () =>
    expect(KIND_NAMES).toMatchFileSnapshot("../src/Checkers/Kinds/KindNames.ts"))
})

describe("the shares in docs/reasons.md", () => {
  it("are what the curve is fitted to", () => {
    const rows = Array.from(
      page.matchAll(/^\| (\d\d) \| ([\d.]+) % \| ([\d,]+) \|$/gm),
      ([, ...cells]) => cells
    )
    assert.deepStrictEqual(
      rows.map(([score]) => Number(score)),
      [20, 30, 40, 50, 60, 70, 80, 90]
    )
    for (const [score, percent, count] of rows) {
      const share = Number(Curve.shareOf(Number(score)).toPrecision(2))
      assert.strictEqual(Number(percent), Number((share * 100).toPrecision(2)))
      assert.strictEqual(count, Math.round(share * 100_000).toLocaleString("en-US"))
    }
  })
})

describe("the sentences", () => {
  const carried = (host: string) => `https://garden.example/?next=https://${host}/`
  const wrapped = (address: string) => `https://www.google.com/url?q=https://${address}`

  it.each([
    [
      "https://drive.google.com/file/d/1/edit",
      "Another address of the same content on drive.google.com is listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)"
    ],
    [
      "https://malware.example/",
      "Suspected malware: the page on malware.example may harm the visitor's device"
    ],
    [
      "https://app.example/",
      "Suspected harmful applications: the page on app.example may offer an app that does harm"
    ],
    [
      carried("severe.example"),
      "The link contains the address severe.example, which is suspected of phishing: it may trick visitors into revealing personal information"
    ],
    [
      carried("malware.example"),
      "The link contains the address malware.example, which is suspected of malware: it may harm the visitor's device"
    ],
    [
      carried("blocked.example"),
      "The link contains the address blocked.example, which is blocked by the operator of this service"
    ],
    [
      carried("app.example"),
      "The link contains the address app.example, which is suspected of harmful applications: it may offer an app that does harm"
    ],
    [
      wrapped("evil.example/a"),
      "The link leads to evil.example, which belongs to a site that is listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)"
    ],
    [
      wrapped("severe.example/"),
      "Suspected phishing: the link leads to severe.example, which may trick visitors into revealing personal information"
    ],
    [
      wrapped("paypal-login.pages.dev/"),
      "The link leads to paypal-login.pages.dev: the page is on pages.dev, where anyone can publish for free"
    ]
  ])("about %s are those of their kinds, without the link of Google", (url, sentence) => {
    assert.include(
      judge(url).findings.map(({ reason }) => reason.replace(ADVISORY, "")),
      sentence
    )
  })

  it.each([
    ["https://www.example.com@pub-1f0c2a9b.example/", "machineName", "it contains a long code"],
    ["https://www.example.com@ip-192-0-2-7.example/", "machineName", "it contains the number of a computer"],
    ["https://www.example.com@shop123456.example/", "machineName", "it contains a long number"],
    ["https://www.example.com@bcdfghj.example/", "machineName", "its letters form no word"],
    ["https://www.example.com@a1b2c.example/", "machineName", "its letters and digits take turns"],
    [
      "https://www.example.com@modern-table-729055.example/",
      "machineName",
      "free hosting gives such names to new pages"
    ],
    ["https://", "malformed", 'This is not a web address: "https://" names no site']
  ])("in docs/reasons.md have the words about %s", (url, kind, words) => {
    const found = judge(url).findings.find((finding) => finding.kind === kind)
    assert.include(found?.reason, words)
    assert.include(page.replaceAll("\n", " "), words)
  })

  it("in docs/reasons.md are about the address that a link leads to", () => {
    const rows = Array.from(
      page.matchAll(/^\| `(https:[^`]+)` \| (.*) \|$/gm),
      ([, url = "", sentence = ""]) => [url, sentence]
    )
    assert.isAtLeast(rows.length, 2)
    for (const [url = "", sentence] of rows)
      assert.include(
        judge(url).findings.map(({ reason }) => reason),
        sentence
      )
  })
})

const ajv = new Ajv2020({ strict: false })
ajv.addSchema({ ...openApi, $id: "openapi" })
const isFinding = ajv.compile({ $ref: "openapi#/components/schemas/ScanFinding" })

/** Fails if a finding has not the details that the contract has for its kind, or others. */
const conforms = (finding: Verdict.ReportedFinding): void => {
  const value = JSON.parse(JSON.stringify(finding))
  assert.isTrue(isFinding(value), `${JSON.stringify(value)}: ${ajv.errorsText(isFinding.errors)}`)
}

describe("the details of findings in the contract", () => {
  it.each(allKinds)("are what %s has", (kind) => {
    const found = exampleFinding(kind)
    conforms(found)
    const [fact] = factsByKind[kind]
    if (fact === undefined) return
    const { [fact]: _, ...without } = found.details
    assert.throws(() => conforms({ ...found, details: without }))
    assert.throws(() => conforms({ ...found, details: { ...found.details, unread: "TooMany", pages: 1 } }))
  })

  const detailsOf: ReadonlyArray<readonly [url: string, details: Details]> = [
    ["https://example.com/?next=https://blocked.example/", { address: "blocked.example" }],
    [
      "https://example.com/?next=https://evil.example/a",
      {
        address: "evil.example/a",
        list: { publisher: "PhishTank", category: "phishing", date: "2026-11-21 09:00 UTC" }
      }
    ],
    ["https://example.com/?next=https://malware.example/", { address: "malware.example", threat: "malware" }],
    [
      "https://www.google.com/url?q=https://unwanted.example/",
      { host: "unwanted.example", threat: "unwanted software", innerHost: "unwanted.example" }
    ],
    [
      "https://www.google.com/url?q=https://paypal-login.pages.dev/",
      { suffix: "pages.dev", innerHost: "paypal-login.pages.dev" }
    ],
    [
      `https://example.com/${"a".repeat(100)}.pdf.exe`,
      { file: `\u2026${"a".repeat(52)}.pdf.exe`, isReversed: false }
    ],
    [
      `http://<${"b.".repeat(40)}example/`,
      { problem: "ForbiddenHostCharacter", shown: `http://<${"b.".repeat(26)}\u2026` }
    ],
    [
      "https://someone:secret@exa<mple.com/",
      { problem: "ForbiddenHostCharacter", shown: "https://...@exa<mple.com/" }
    ]
  ]
  it.each(detailsOf)("of %s are facts without parts of sentences", (url, details) => {
    const { findings } = judge(url)
    for (const finding of findings) conforms(Verdict.reported(finding))
    assert.deepInclude(
      findings.map((finding) => finding.details),
      details
    )
  })
})

describe("the example with findings at /openapi.json", () => {
  it("is what the service responds with such a list", () => {
    const shown = Schema.decodeUnknownSync(ScanResult)(exampleOf("ScanResult", 1))
    const { findings, ...judged } = judge(shown.url)
    const { executionTimeMs: _times, url: _url, ...rest } = { ...shown }
    assert.deepStrictEqual(JSON.parse(JSON.stringify(rest)), {
      ...judged,
      reasons: findings.map(({ reason }) => reason),
      findings: findings.map(Verdict.reported)
    })
  })
})

const oneOf = (words: string) => FastCheck.constantFrom(...words.split(" "))

const label = FastCheck.array(
  oneOf(
    "garden news city paypal paypa1 netfilx apple wells-fargo secure login verify account support xn--ank-9cd 4f9a01bc77de modern-table-729055"
  ),
  { minLength: 1, maxLength: 3 }
).map((words) => words.join("-"))
const host = FastCheck.oneof(
  FastCheck.tuple(
    FastCheck.array(FastCheck.oneof(label, oneOf("paypal.com www a b")), { minLength: 1, maxLength: 5 }),
    oneOf("com example de top xyz pages.dev weebly.com duckdns.org")
  ).map(([labels, end]) => `${labels.join(".")}.${end}`),
  oneOf(
    "listed.example files.example evil.example login.evil.example busy.example daily.example severe.example unwanted.example blocked.example"
  ),
  oneOf("203.0.113.7 192.168.1.1 localhost [2001:db8::7] bit.ly exa<mple.com")
)
const segment = FastCheck.oneof(
  label,
  oneOf(
    `login login?id=1 dir/ dir/a index.html/ wp-includes .well-known pay.php a.exe a.zip %252541 ${"a".repeat(500)}`
  ),
  FastCheck.constantFrom("?to=someone@example.org", "?next=https://evil.example/a")
)
const address = FastCheck.tuple(
  oneOf("https:// http:// ftp:// http:// https:// hxxps://"),
  FastCheck.option(oneOf("someone someone:secret www.paypal.com paypal.com:secret"), { nil: undefined }),
  host,
  FastCheck.option(oneOf(":8081 :443"), { nil: "" }),
  FastCheck.array(segment, { maxLength: 5 })
).map(
  ([scheme, user, host, port, segments]) =>
    `${scheme}${user === undefined ? "" : `${user}@`}${host}${port}/${segments.join("/")}`
)
const invented = FastCheck.oneof(
  { arbitrary: address, weight: 8 },
  { arbitrary: address.map((to) => `https://www.google.com/url?q=${encodeURIComponent(to)}`), weight: 2 },
  { arbitrary: address.map((to) => `https://garden.example/?next=${encodeURIComponent(to)}`), weight: 2 },
  {
    arbitrary: oneOf(
      "http:// https:///x javascript:alert(1) mailto:someone@example.com not-a<url> user:secret@exa<mple.com"
    ),
    weight: 1
  }
)

/** Whether a reason has a host or a quoted piece of the URL. */
const quotes = (url: string, reason: string): boolean => {
  const { addresses } = Submission.read(url, 0)
  if (addresses.some((address) => reason.includes(shortHost(address.url.host)))) return true
  const text = [url, ...addresses.map((address) => CanonicalUrl.format(address.url))].join(" ").toLowerCase()
  return Array.from(reason.matchAll(/"([^"]+)"/g), ([, piece = ""]) => piece).some((piece) =>
    piece
      .toLowerCase()
      // The dots in place of a secret may themselves be cut.
      .split(/\.{1,3}\u2026|\.\.\.|\u2026/)
      .every((part) => text.includes(part))
  )
}

/** One sentence; Google's attribution follows its own. */
const SENTENCE = /^[A-Z0-9](?:(?!\. )[\x20-\x7e\u2026])*[^.]$/
const ADVISORY = /\. (Advisory provided by Google: https:\/\/[a-z0-9./-]+)$/

describe("the reasons of every URL", () => {
  it("are single sentences without a period, and quote the URL from 40 points on", () => {
    let suspicious = 0
    FastCheck.assert(
      FastCheck.property(invented, (url) => {
        const { findings, score } = judge(url)
        for (const finding of findings) conforms(Verdict.reported(finding))
        const reasons = findings.map(({ reason }) => reason)
        for (const reason of reasons) {
          const sentence = reason.replace(ADVISORY, "")
          assert.match(sentence, SENTENCE)
          assert.strictEqual(reason !== sentence, /suspected /i.test(sentence))
          assert.isAtMost(reason.length, 400)
          assert.notInclude(reason, "secret")
        }
        // It is about an address that cannot be quoted.
        if (score < 40 || findings.some(({ kind }) => kind === "unreadDestination")) return
        suspicious++
        assert.isTrue(
          reasons.some((reason) => quotes(url, reason)),
          `${url} ${reasons.join("\n")}`
        )
      }),
      { numRuns: 500 }
    )
    assert.isAbove(suspicious, 250)
  })

  it("say that a URL of any scheme with a host but https is not HTTPS", () => {
    for (const url of ["http://example.com/", "ftp://example.com/", "whatsapp://send?text=x", "example.com"])
      assert.deepStrictEqual(
        judge(url).findings.map(({ kind, reason }) => [kind, reason]),
        [["notHttps", "URL is not HTTPS"]]
      )
    for (const url of ["https://example.com/", "mailto:someone@example.com"])
      assert.notInclude(
        judge(url).findings.map(({ reason }) => reason),
        "URL is not HTTPS"
      )
  })
})
