/** Invented traps are never "safe", and honest sites with the same names hardly ever suspicious. */

import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { rowsOf } from "../../scripts/tables.js"
import brands from "../../src/Checkers/Heuristics/Brand/brands.tsv"
import * as ModelFile from "../../src/Checkers/Heuristics/Model/ModelFile.ts"
import words from "../../src/Checkers/Heuristics/Words/words.tsv"
import { findings } from "../../src/Checkers/Heuristics.ts"
import * as Verdict from "../../src/Checkers/Verdict.ts"
import * as Submission from "../../src/Url/Submission.ts"

const SUSPICIOUS_FROM = 40
const PHISHING_FROM = 70
/** Each brand that is added brings a trap, each namesake an honest host. */
const MIN_ROWS = 200
/** Shares of the honest hosts. They depend on the weights, and have room for any training; 1.5 % suspicious ones are wanted. */
const MAX_SUSPICIOUS_HONEST = 0.03
const MAX_PHISHING_HONEST = 0.01

const fixture = <A extends { readonly url: string }, I>(name: string, row: Schema.Schema<A, I>) =>
  Effect.promise(() =>
    rowsOf(
      readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8"),
      { row, keysOf: ({ url }) => [url] },
      name
    )
  )

const Trap = Schema.Struct({ url: Schema.String, brand: Schema.String, language: Schema.String })
const traps = fixture("trap-hosts.tsv", Trap)
const honest = fixture("honest-hosts.tsv", Schema.Struct({ url: Schema.String, why: Schema.String }))

/** Built once, because it reads the weights. */
const shippedModel = Effect.runSync(Effect.cached(ModelFile.load(ModelFile.shippedFile)))

/** Each URL with its score, the highest first. */
const scored = (rows: ReadonlyArray<{ readonly url: string }>) =>
  Effect.map(shippedModel, (model) =>
    rows
      .map(({ url }) => ({ url, score: Verdict.judge(findings(model, Submission.read(url, 0))).score }))
      .sort((a, b) => b.score - a.score)
  )

const listed = (rows: ReadonlyArray<{ readonly url: string; readonly score: number }>): string =>
  `${rows.length}: ${rows.map(({ score, url }) => `${score} ${url}`).join(", ")}`

const ASKING = new Set(["credential", "code", "payment", "fee", "refund"])

const asking = new Set(
  words.filter(({ roles }) => roles.some((role) => ASKING.has(role))).map(({ word }) => word)
)

const domainsByName = new Map(brands.flatMap(({ names, domains }) => names.map((name) => [name, domains])))

/** Whether a host is under one of a brand's domains. `*.de` is no single firm's. */
const isOwn = (host: string, domains: ReadonlyArray<string>): boolean =>
  domains.some((domain) => {
    const own = domain.replace("+", "")
    if (own.startsWith("*.")) return false
    return own.endsWith(".*") ? host.split(".").at(-2) === own.slice(0, -2) : `.${host}`.endsWith(`.${own}`)
  })

describe("invented traps", () => {
  it.effect("name a brand beside a word that asks for credentials or money, on a foreign host", () =>
    Effect.map(traps, (rows) => {
      assert.isAtLeast(rows.length, MIN_ROWS)
      const wrong = rows.filter(({ brand, url }) => {
        const { hostname } = new URL(url)
        const parts = hostname.split(/[.-]/)
        const domains = domainsByName.get(brand)
        return (
          domains === undefined ||
          !parts.includes(brand) ||
          !parts.some((part) => asking.has(part)) ||
          isOwn(hostname, domains)
        )
      })
      assert.deepStrictEqual(wrong, [])
    })
  )

  it.effect("are suspicious at least", () =>
    Effect.map(Effect.flatMap(traps, scored), (rows) => {
      const safe = rows.filter(({ score }) => score < SUSPICIOUS_FROM)
      assert.isEmpty(safe, listed(safe))
    })
  )
})

describe("honest sites with names of brands", () => {
  it.effect("are suspicious in few cases", () =>
    Effect.gen(function* () {
      const rows = yield* Effect.flatMap(honest, scored)
      assert.isAtLeast(rows.length, MIN_ROWS)
      for (const [from, max] of [
        [SUSPICIOUS_FROM, MAX_SUSPICIOUS_HONEST],
        [PHISHING_FROM, MAX_PHISHING_HONEST]
      ] as const) {
        const wrong = rows.filter(({ score }) => score >= from)
        assert.isAtMost(wrong.length / rows.length, max, listed(wrong))
      }
    })
  )
})
