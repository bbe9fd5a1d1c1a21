import { assert, describe, it } from "@effect/vitest"
import type { LabelledUrl } from "../../training/Corpus/LabelledUrl.ts"
import * as SyntheticRows from "../../training/SyntheticRows.ts"

const row = (isPhishing: boolean, url: string, firstSeen = ""): LabelledUrl => ({
  isPhishing,
  firstSeen,
  source: "invented",
  url,
  split: ""
})

const observed = [
  ...Array.from({ length: 2000 }, (_, count) =>
    row(false, `https://www.garden-${count}.example/news/${count}`)
  ),
  ...Array.from({ length: 20 }, (_, count) => row(true, `https://evil-${count}.test/kit.php`, "2026-06-01"))
]
const logins = [
  row(false, "https://online.bank.example/en/logon.aspx?x=1"),
  row(false, "https://bank.example/")
]

/** Login pages, institutions, shops, projects, and ordinary paths on phishing hosts. */
const KINDS_OF_ROWS = 5

const rows = SyntheticRows.makeRows(observed, logins)
const benign = rows.filter(({ isPhishing }) => !isPhishing).map(({ url }) => url)

describe("synthetic rows", () => {
  it("have login pages of real firms, with or without their subdomain, on the domains of other sites", () => {
    assert.isTrue(
      benign.some((url) => /^https:\/\/online\.garden-\d+\.example\/en\/logon\.aspx\?x=1$/.test(url))
    )
    assert.isTrue(benign.some((url) => /^https:\/\/my\.garden-\d+\.example\/en\/logon\.aspx\?x=1$/.test(url)))
  })

  it("have login pages of common software, also in other languages", () => {
    assert.isTrue(benign.some((url) => /garden-\d+\.example\/owa\//.test(url)))
    assert.isTrue(benign.some((url) => /garden-\d+\.example\/iniciar-sesion$/.test(url)))
  })

  it("have names like those of banks and shops, and projects on free hosting", () => {
    assert.isTrue(benign.some((url) => /https:\/\/kreissparkasse-garden-\d+\.example\//.test(url)))
    assert.isTrue(benign.some((url) => /garden-\d+-?bakery\.example\//.test(url)))
    assert.isTrue(benign.some((url) => /^https:\/\/garden-\d+\.vercel\.app\//.test(url)))
    assert.isTrue(benign.some((url) => /^https:\/\/garden-\d+-login\.\w+\.\w+\//.test(url)))
  })

  it("have ordinary paths on phishing hosts, as phishing of the same day", () => {
    const phishing = rows.filter(({ isPhishing }) => isPhishing)
    assert.isNotEmpty(phishing)
    for (const { url, firstSeen } of phishing) {
      assert.match(url, /^https:\/\/evil-\d+\.test\/news\/\d+$/)
      assert.strictEqual(firstSeen, "2026-06-01")
    }
  })

  it("are made from registrable domains only, not from IP addresses, local names and public suffixes", () => {
    const hosts = ["192.0.2.7", "[2001:db8::1]", "intranet", "co.uk", "shop.example.com:8443"]
    const odd = hosts.flatMap((host) => Array.from({ length: 50 }, () => row(false, `http://${host}/a`)))
    const made = SyntheticRows.makeRows([...odd, row(false, "no address")], logins)
    assert.isNotEmpty(made)
    for (const { url } of made) assert.notMatch(url, /192|2001|intranet|\bco\b|8443/)
  })

  it("are none without observed rows of their class", () => {
    assert.deepStrictEqual(SyntheticRows.makeRows([], []), [])
    assert.deepStrictEqual(SyntheticRows.makeRows([], logins), [])
    assert.deepStrictEqual(SyntheticRows.makeRows([row(true, "https://evil.test/kit.php")], logins), [])
    const ofBenign = SyntheticRows.makeRows([row(false, "https://garden.example/news")], [])
    assert.isNotEmpty(ofBenign)
    assert.isTrue(ofBenign.every(({ isPhishing }) => !isPhishing))
  })

  it("are the same each time, at most as many of a kind as there are rows, and never on an observed phishing host if benign", () => {
    assert.deepStrictEqual(SyntheticRows.makeRows(observed, logins), rows)
    assert.isAtMost(rows.length, KINDS_OF_ROWS * observed.length)
    assert.isFalse(benign.some((url) => url.includes("evil-")))
    for (const { source } of rows) assert.strictEqual(source, SyntheticRows.SOURCE)
  })
})
