import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import * as Host from "../../../src/Checkers/Heuristics/Host.ts"
import * as Curve from "../../../src/Checkers/Heuristics/Model/Curve.ts"
import * as ModelFile from "../../../src/Checkers/Heuristics/Model/ModelFile.ts"
import * as ModelReason from "../../../src/Checkers/Heuristics/Model/ModelReason.ts"
import * as ModelTables from "../../../src/Checkers/Heuristics/Model/ModelTables.ts"
import * as ModelText from "../../../src/Checkers/Heuristics/Model/ModelText.ts"
import * as ModelValue from "../../../src/Checkers/Heuristics/Model/ModelValue.ts"
import * as Model from "../../../src/Checkers/Heuristics/Model.ts"
import * as UrlFacts from "../../../src/Checkers/Heuristics/UrlFacts.ts"
import { findings } from "../../../src/Checkers/Heuristics.ts"
import { judge } from "../../../src/Checkers/Verdict.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"
import * as Submission from "../../../src/Url/Submission.ts"
import * as Extraction from "../../../training/Extraction.ts"
import { invented } from "../../fixtures/InventedAddresses.ts"

// The weights of the repository. Every retrained model must pass these tests.
const model = Either.getOrThrow(ModelFile.decode(readFileSync(ModelFile.shippedFile), "model.bin"))

const parse = (url: string) => Either.getOrThrow(CanonicalUrl.parse(url))
const rawValue = (url: string) => Model.rawValue(model, UrlFacts.factsOf(parse(url)))
/** By the model alone. */
const scoreOfModel = (url: CanonicalUrl.CanonicalUrl) =>
  Curve.scoreOf(model.curve, ModelValue.modelValue(model, UrlFacts.factsOf(url)) ?? Number.NEGATIVE_INFINITY)
const scoreOf = (url: string) => judge(findings(model, Submission.read(url, 0))).score

const word = FastCheck.constantFrom(
  ..."garden recipe city news school river bakery photo weather my the secure login verify account wallet paypal netflix parcel support x7 kq 2024 qzkxv".split(
    " "
  )
)
const suffix = FastCheck.constantFrom(
  ..."com org de co.uk com.br dev top xyz icu pages.dev github.io webflow.io weebly.com duckdns.org example".split(
    " "
  )
)
const label = FastCheck.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join("-"))
const host = FastCheck.tuple(FastCheck.array(label, { minLength: 1, maxLength: 3 }), suffix).map(
  ([labels, end]) => `${labels.join(".")}.${end}`
)
const path = FastCheck.array(label, { maxLength: 4 }).map((segments) => `/${segments.join("/")}`)
const query = FastCheck.tuple(word, label).map(([key, value]) => `${key}=${value}`)
const NUM_RUNS = 400
// The seeds are fixed, at night too: no rule enforces these properties of the learned weights, and a few URLs violate them.

describe("the raw value", () => {
  it("is the same for any scheme, and with www", () => {
    FastCheck.assert(
      FastCheck.property(host, path, (host, path) => {
        const plain = rawValue(`https://${host}${path}`)
        assert.strictEqual(rawValue(`http://${host}${path}`), plain)
        assert.strictEqual(rawValue(`https://www.${host}${path}`), plain)
      }),
      { seed: 1, numRuns: NUM_RUNS }
    )
  })

  it("is that of all buckets of each table at once, as in training", () => {
    const urls = invented(300)
    const { count, values: rows } = Extraction.extract(urls.map(parse), model.costs)
    for (const [index, url] of urls.entries()) {
      const facts = UrlFacts.factsOf(parse(url))
      const width = rows.length / count
      const values = rows.slice(index * width, (index + 1) * width)
      const [hostText, pathText] = [ModelText.hostTextOf(facts.host), ModelText.pathTextOf(facts.url)]
      let all = 0
      for (const [table, buckets] of ModelTables.bucketsOf(hostText, pathText).entries()) {
        const { bias, scale, weights } = model.tables[table] ?? assert.fail()
        let sum = 0
        for (const bucket of buckets) sum += weights[bucket] ?? 0
        const logit = buckets.length === 0 ? bias : bias + (scale * sum) / Math.sqrt(buckets.length)
        values[table] = logit
        all += logit
      }
      values[ModelTables.tables.length] = all
      assert.strictEqual(rawValue(url), Model.combined(Model.treesLogOdds(model.trees, values), all))
    }
  })

  it("is higher for a URL that imitates than for an ordinary one", () => {
    for (const [suspicious, ordinary] of [
      ["https://paypal-secure-login.top/verify", "https://garden-recipes.com/verify"],
      ["https://netflix-payment-update.xyz/", "https://weather-photos.org/"],
      ["https://secure-account-verify.pages.dev/login", "https://recipes.pages.dev/login"]
    ] as const)
      assert.isAbove(rawValue(suspicious), rawValue(ordinary) + 2)
  })
})

describe("an attacker who chooses path and query", () => {
  it("raises no score with a query", () => {
    FastCheck.assert(
      FastCheck.property(host, path, query, (host, path, query) => {
        const url = parse(`https://${host}${path}`)
        assert.isAtMost(scoreOfModel({ ...url, query }), scoreOfModel(url))
      }),
      { seed: 2, numRuns: NUM_RUNS }
    )
    for (const url of ["https://garden-recipes.com/", "https://city-library.org/catalogue/new"])
      assert.strictEqual(scoreOf(`${url}?ref=paypal.com`), 0)
  })

  it("makes no URL phishing on an ordinary host", () => {
    for (const host of [
      "garden-recipes.com",
      "city-library.org",
      "www.river-school.co.uk",
      "bakery-photos.de"
    ])
      for (const path of [
        "/paypal/secure/login/verify-account.php",
        "/wp-content/plugins/netflix/signin/index.html",
        "/.well-known/wallet-connect/restore/?id=123"
      ])
        assert.isBelow(scoreOf(`https://${host}${path}`), 70)
  })

  it("makes hardly any URL phishing on hosts of ordinary words", () => {
    const ordinary = FastCheck.constantFrom(
      ..."garden recipe city news school river bakery photo weather library museum orchard choir village".split(
        " "
      )
    )
    const name = FastCheck.tuple(ordinary, ordinary, FastCheck.constantFrom("", "-")).map(
      ([first, second, between]) => `${first}${between}${second}`
    )
    const home = FastCheck.constantFrom(..."com org net de co.uk fr it nl example".split(" "))
    const kit = FastCheck.constantFrom(
      "/paypal/secure/login/verify-account.php",
      "/wp-content/plugins/netflix/signin/index.html",
      "/.well-known/wallet-connect/restore/",
      "/~web/chase/online/logon/otp.php"
    )
    const urls = FastCheck.sample(
      FastCheck.tuple(name, home, kit).map(([name, home, kit]) => `https://www.${name}.${home}${kit}`),
      { seed: 5, numRuns: NUM_RUNS }
    )
    // Some such names look like those of phishing by themselves. Without the policy 325 of 400 are.
    assert.isAtMost(urls.filter((url) => scoreOf(url) >= 70).length / NUM_RUNS, 0.04)
  })

  it("does not clear a suspicious host with an ordinary path", () => {
    for (const host of ["paypal-secure-login-verify.top", "netflix-payment-update-account.xyz"])
      for (const path of [
        "/",
        "/docs/getting-started.html",
        "/news/2024/garden-recipes?lang=en&page=2",
        `/${"library/catalogue/".repeat(8)}index.html?category=books&sort=title`
      ])
        assert.isAtLeast(scoreOf(`https://${host}${path}`), 40)
  })
})

describe("an ordinary URL", () => {
  const names = [
    "garden-recipes",
    "riverside-school",
    "anna-and-tom",
    "bakery-miller",
    "weather-notes",
    "photo-club"
  ]

  it("is not flagged for its hosting firm", () => {
    for (const suffix of [
      "webflow.io weebly.com godaddysites.com square.site wixsite.com wordpress.com blogspot.com carrd.co",
      "github.io gitlab.io netlify.app vercel.app pages.dev web.app firebaseapp.com onrender.com herokuapp.com"
    ].flatMap((row) => row.split(" ")))
      for (const name of names) assert.isBelow(scoreOf(`https://${name}.${suffix}/`), 40, `${name}.${suffix}`)
  })

  it("for signing in on free hosting has no higher score than its host", () => {
    const hosted = FastCheck.constantFrom(
      ..."vercel.app azurewebsites.net herokuapp.com netlify.app pages.dev github.io web.app".split(" ")
    )
    const signIn = FastCheck.constantFrom("/login", "/signin/", "/auth/login", "/Account/Login")
    FastCheck.assert(
      FastCheck.property(label, hosted, signIn, (label, suffix, path) => {
        // `support.` is the firm's own.
        FastCheck.pre(Host.hostingFirmOf(`${label}.${suffix}`) !== undefined)
        assert.isAtMost(
          scoreOfModel(parse(`https://${label}.${suffix}${path}`)),
          scoreOfModel(parse(`https://${label}.${suffix}/`))
        )
      }),
      { seed: 7, numRuns: NUM_RUNS }
    )
    const urls = [...names, "chess-club", "my-app", "team-site"].flatMap((name) =>
      ["herokuapp.com", "vercel.app", "azurewebsites.net"].map((suffix) => `https://${name}.${suffix}/login`)
    )
    const [suspicious, phishing] = [40, 70].map((from) => urls.filter((url) => scoreOf(url) >= from))
    assert.isAtMost(suspicious?.length ?? 0, urls.length / 10, suspicious?.join(" "))
    assert.deepStrictEqual(phishing, [])
  })

  it("for signing in on a subdomain has no higher score than its host or domain", () => {
    const signIn = FastCheck.constantFrom(
      "/login",
      "/saml_login/other",
      "/secure_login.html",
      "/portal/logon.aspx",
      "/user/sign-in.php"
    )
    const ownSuffix = FastCheck.constantFrom(..."com org de co.uk com.br dev top xyz example".split(" "))
    FastCheck.assert(
      FastCheck.property(label, label, ownSuffix, signIn, (subdomain, name, suffix, path) => {
        // A firm of dynamic DNS.
        FastCheck.pre(`${name}.${suffix}` !== "my.de")
        assert.isAtMost(
          scoreOfModel(parse(`https://${subdomain}.${name}.${suffix}${path}`)),
          Math.max(
            scoreOfModel(parse(`https://${subdomain}.${name}.${suffix}/`)),
            scoreOfModel(parse(`https://${name}.${suffix}/`))
          )
        )
      }),
      { seed: 8, numRuns: 4 * NUM_RUNS }
    )
  })

  it("is the same with www", () => {
    FastCheck.assert(
      FastCheck.property(host, path, (host, path) => {
        // A firm of dynamic DNS.
        FastCheck.pre(host !== "my.de")
        assert.strictEqual(
          scoreOfModel(parse(`https://www.${host}${path}`)),
          scoreOfModel(parse(`https://${host}${path}`))
        )
      }),
      { seed: 10, numRuns: NUM_RUNS }
    )
  })

  it("of a phishing domain is suspicious with harmless labels in front, also on a page for signing in", () => {
    for (const host of ["www", "docs", "docs.blog", "freedom", "library.news"])
      for (const path of ["/", "/login/verify.php", "/track/a8f3"]) {
        const url = `https://${host}.mobile-login-verify.com${path}`
        assert.isAtLeast(scoreOf(url), 40, url)
      }
  })

  it("of a phishing host is suspicious with one label more in front", () => {
    for (const path of ["/", "/guide", "/docs/?lang=en"]) {
      const url = `https://docs.amazon.supportbank.xyz${path}`
      assert.isAtLeast(scoreOf(url), 40, url)
    }
  })

  it("of a customer of a sign-in service is that of its name: anybody can be one", () => {
    for (const host of [
      "paypal-verify.auth0.com",
      "paypal-verify.b2clogin.com",
      "paypal-verify.ciamlogin.com"
    ])
      assert.isAtLeast(scoreOf(`https://${host}/login`), 60, host)
  })

  it("of a school or a savings bank is not flagged", () => {
    for (const url of [
      "https://moodle.gymnasium-musterstadt.de/login/index.php",
      "https://www.kreissparkasse-koeln.de/de/home/login.html",
      "https://portal.mycity-utilities.com/account/login",
      "https://www.apple-farm-bakery.com/",
      "https://verificationexcellence.teachable.com/p/uvm-basics"
    ])
      assert.isBelow(scoreOf(url), 40, url)
  })

  it("of a small bank is not flagged for the words of its login page", () => {
    for (const url of [
      "https://www.riverside-savings.com/login",
      "https://online.valleycreditunion.org/signin/account",
      "https://secure.millers-bank.co.uk/ebanking/login.aspx",
      "https://banking.volksbank-musterstadt.de/konto/anmelden",
      "https://login.firstnationalriverbank.com/auth/verify?session=new",
      "https://www.kreissparkasse-musterstadt.de/de/home/login-online-banking.html",
      "https://ebanking.bancorivera.it/accedi/conto?lang=it"
    ])
      assert.isBelow(scoreOf(url), 40, url)
  })

  it("of a brand is never flagged by the model", () => {
    for (const url of [
      "https://www.paypal.com/signin/verify-account",
      "https://accounts.google.com/v3/signin/challenge/pwd",
      "https://secure.bankofamerica.com/login/sign-in/signOnV2Screen.go"
    ])
      assert.strictEqual(scoreOfModel(parse(url)), 0)
  })
})

describe("the pieces that a reason names", () => {
  it("are at most three, and parts of the URL", () => {
    FastCheck.assert(
      FastCheck.property(host, path, (host, path) => {
        const pieces = ModelReason.heaviestPieces(
          model,
          UrlFacts.factsOf(parse(`https://${host}${path}?secure=login`))
        )
        assert.isAtLeast(pieces.length, 1)
        assert.isAtMost(pieces.length, 3)
        for (const piece of pieces) assert.include(`${host}${path}`, piece)
      }),
      { seed: 3, numRuns: NUM_RUNS }
    )
  })

  it("weigh what the n-grams weigh that lie in them, up to both ends of the text", () => {
    const none = new Int8Array(model.tables[0].weights.length)
    /** All n-grams of a text have a weight, those with the edges too. */
    const piecesWith = (text: string, url: string) => {
      const weights = none.slice()
      const host = { host: text, chosen: text, suffix: "" }
      for (const bucket of ModelTables.bucketsOf(host, { text: "", pathEnd: 0 })[0] ?? [])
        weights[bucket] = 10
      const [table, ...others] = model.tables
      return ModelReason.heaviestPieces(
        { ...model, tables: [{ ...table, weights }, ...others] },
        UrlFacts.factsOf(parse(url))
      )
    }
    assert.deepStrictEqual(piecesWith("rotor", "https://garden.example/pilot/rotor.php"), ["rotor"])
    assert.deepStrictEqual(piecesWith("rotor", "https://garden.example/pilot/rotor"), ["rotor"])
    assert.deepStrictEqual(piecesWith("rotor", "https://rotor.example/pilot"), ["rotor"])
    assert.deepStrictEqual(piecesWith("rotor", "https://garden.example/pilot/the-roto"), ["roto"])
    // What lies between two pieces is in none.
    assert.deepStrictEqual(piecesWith("n/p", "https://garden.then/pilot"), ["garden"])
    assert.deepStrictEqual(piecesWith("rotor", "https://garden.example/pilot"), ["garden"])
  })

  it("are never parts of a label in other letters", () => {
    const pieces = ModelReason.heaviestPieces(model, UrlFacts.factsOf(parse("https://www.раураl.com/login")))
    assert.includeMembers(["xn--l-7sba6dbr", "login"], [...pieces])
  })

  it("are whole words, and never the name of a hosting firm", () => {
    const pieces = ModelReason.heaviestPieces(
      model,
      UrlFacts.factsOf(parse("https://paypal-secure-login.webflow.io/verify"))
    )
    assert.isTrue(pieces.some((piece) => piece.includes("paypal")))
    assert.isFalse(pieces.some((piece) => piece.includes("webflow")))
  })
})

const FEATURES = 3

const treesOf = (
  roots: ReadonlyArray<number>,
  nodes: ReadonlyArray<number>,
  numbers: ReadonlyArray<number> = nodes.map(() => 0)
): Model.ModelTrees => ({
  roots: Int32Array.from(roots),
  nodes: Int32Array.from(nodes),
  numbers: Float32Array.from(numbers),
  bias: 0.5
})

const isWellFormed = (...args: Parameters<typeof treesOf>): boolean =>
  Model.areTreesWellFormed(treesOf(...args), FEATURES)

/** A node with two leaves behind it, if it is at this index. */
const stump = (at = 0) => [Model.nodeOf(at + 1), Model.nodeOf(at + 1), Model.nodeOf(at + 2)]

/** A tree in which each left child is a leaf. */
const rightChain = (leaves: number): ReadonlyArray<number> => [
  ...Array.from({ length: leaves - 1 }, (_, leaf) => [
    Model.nodeOf(2 * leaf + 1),
    Model.nodeOf(2 * leaf + 1)
  ]).flat(),
  Model.nodeOf(2 * leaves - 2)
]

describe("the log-odds of a row", () => {
  const at = (trees: Model.ModelTrees, ...row: ReadonlyArray<number>) =>
    Model.treesLogOdds(trees, Float32Array.from(row))

  it("are the bias and a leaf of each tree", () => {
    assert.strictEqual(at(treesOf([0], [Model.nodeOf(0)], [3])), 3.5)
    assert.strictEqual(at(treesOf([0, 1], [Model.nodeOf(0), Model.nodeOf(1)], [1, 2])), 3.5)
    assert.strictEqual(
      at(treesOf([0, 1, 2], [Model.nodeOf(0), Model.nodeOf(1), Model.nodeOf(2)], [1, 2, 4])),
      7.5
    )
  })

  it("go left up to the threshold", () => {
    const trees = treesOf([0], stump(), [10, 1, 2])
    assert.deepStrictEqual(
      [9, 10, 10.5].map((value) => at(trees, value)),
      [1.5, 1.5, 2.5]
    )
  })

  it("are found by each of the features on the way", () => {
    // 0: feature 2; left 1: feature 0 with leaves 3 and 4; right 2: leaf.
    const nodes = [Model.nodeOf(1, 2), Model.nodeOf(3), Model.nodeOf(2), Model.nodeOf(3), Model.nodeOf(4)]
    const trees = treesOf([0], nodes, [5, 1, 40, 10, 20])
    assert.strictEqual(at(trees, 0, 0, 5), 10.5)
    assert.strictEqual(at(trees, 2, 0, 5), 20.5)
    assert.strictEqual(at(trees, 2, 0, 6), 40.5)
  })

  it("are those of each leaf of a long chain", () => {
    const leaves = 32
    const numbers = Array.from({ length: leaves - 1 }, (_, leaf) => [leaf, leaf * 100]).flat()
    const trees = treesOf([0], rightChain(leaves), [...numbers, (leaves - 1) * 100])
    for (let value = -1; value <= leaves; value++)
      assert.strictEqual(at(trees, value), 0.5 + 100 * Math.min(Math.max(value, 0), leaves - 1))
  })
})

describe("trees that can be evaluated", () => {
  it("lead forward to leaves", () => {
    assert.isTrue(isWellFormed([0], [Model.nodeOf(0)]))
    assert.isTrue(isWellFormed([0], stump()))
    assert.isTrue(isWellFormed([0, 3, 4], [...stump(), Model.nodeOf(3), ...stump(4)]))
    assert.isTrue(isWellFormed([0], [Model.nodeOf(2, 2), Model.nodeOf(1), ...stump(2)]))
    assert.isTrue(isWellFormed([0], rightChain(10_000)))
  })

  const wrong: ReadonlyArray<readonly [string, Parameters<typeof isWellFormed>]> = [
    ["a root outside the array", [[3], stump()]],
    ["a root below 0", [[-1], stump()]],
    ["no nodes", [[0], []]],
    ["a child before its node", [[0], [Model.nodeOf(1), Model.nodeOf(0), Model.nodeOf(2)]]],
    ["a child behind the array", [[0], [Model.nodeOf(3), Model.nodeOf(1), Model.nodeOf(2)]]],
    ["a child below 0", [[0], [Model.nodeOf(-1), Model.nodeOf(1), Model.nodeOf(2)]]],
    ["a node without a right child", [[0], [Model.nodeOf(1), Model.nodeOf(1)]]],
    ["a node without children", [[0], [Model.nodeOf(1)]]],
    ["a last node that is not a leaf", [[0], [Model.nodeOf(0), Model.nodeOf(2)]]],
    ["a feature that does not exist", [[0], [Model.nodeOf(1, FEATURES), Model.nodeOf(1), Model.nodeOf(2)]]],
    ["a value that is not a number", [[0], stump(), [0, Number.NaN, 0]]],
    ["a threshold that is not finite", [[0], stump(), [Number.POSITIVE_INFINITY, 0, 0]]]
  ]
  it.each(wrong)("do not have %s", (_, trees) => {
    assert.isFalse(isWellFormed(...trees))
  })
})
