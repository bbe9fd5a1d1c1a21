import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Duration, Effect, Layer, Schema } from "effect"
import type { CheckerError, CheckerResult } from "../../../src/Checkers/Checker.ts"
import { decode, SearchError } from "../../../src/Checkers/ReputationLookup/HashSearchClient.ts"
import * as ReputationLookup from "../../../src/Checkers/ReputationLookup.ts"
import { AppConfig } from "../../../src/Layers/AppConfig.ts"
import { Cache } from "../../../src/Layers/Cache.ts"
import * as HashList from "../../../src/Lists/HashLists/HashList.ts"
import { type LocalLists, noLists } from "../../../src/Lists/HashLists.ts"
import * as Submission from "../../../src/Url/Submission.ts"
import { adjust } from "../../fixtures/NextTurn.ts"
import { hashLists, hashSearch, type Search, withCheck } from "../../fixtures/ReputationDoubles.ts"

const Mode = Schema.Literal("local_list", "real_time", "no_storage")

const Step = Schema.Struct({
  at_s: Schema.Number,
  /** Another URL than the scenario's. */
  url: Schema.optional(Schema.String),
  prefixes_sent: Schema.Array(Schema.String),
  /** Protobuf. */
  answer_base64: Schema.optional(Schema.String),
  answer_status: Schema.optional(Schema.Number),
  threats: Schema.optional(Schema.Array(Schema.String)),
  /** What a server should report. */
  product: Schema.Literal("listed", "not listed", "unknown")
})

const Vectors = Schema.Struct({
  lookups: Schema.Struct({
    scenarios: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        mode: Mode,
        url: Schema.String,
        expressions: Schema.Array(Schema.Struct({ sha256: Schema.String })),
        state_override: Schema.optional(Schema.String),
        steps: Schema.Array(Step)
      })
    )
  }),
  update_sequences: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      steps: Schema.Array(
        Schema.Struct({
          expected: Schema.optional(
            Schema.Struct({
              lists: Schema.Array(
                Schema.Struct({
                  name: Schema.String,
                  /** 4 or 32 in the lists that are looked up: the vectors have other widths too. */
                  hash_length: Schema.Number,
                  hashes_hex: Schema.optional(Schema.String)
                })
              )
            })
          )
        })
      )
    })
  )
})

const { lookups, update_sequences } = Schema.decodeUnknownSync(Schema.parseJson(Vectors))(
  readFileSync(new URL("../../fixtures/local-lists-vectors.json", import.meta.url), "utf8")
)

/** The lists after the second step of a sequence of updates. */
const listsOf = (sequence: string): ReadonlyArray<HashList.HashList> =>
  update_sequences
    .find(({ name }) => name === sequence)
    ?.steps[1]?.expected?.lists.map(({ hash_length, hashes_hex = "" }) => ({
      width: hash_length === 4 || hash_length === 32 ? hash_length : assert.fail(`${hash_length}`),
      bytes: Uint8Array.from(Buffer.from(hashes_hex, "hex"))
    })) ?? []

const threatLists = listsOf("two_threat_lists")
const globalCache = listsOf("global_cache_32_bytes")

const fresh: LocalLists = {
  age: "fresh",
  hasThreat: (hash) => threatLists.some((list) => HashList.contains(list, hash)),
  isLikelySafe: (hash) => globalCache.some((list) => HashList.contains(list, hash))
}

const modes = {
  local_list: "local-list",
  real_time: "real-time",
  no_storage: "no-storage"
} as const satisfies Record<typeof Mode.Type, string>

const respond =
  ({ answer_base64 = "", answer_status }: typeof Step.Type): Search =>
  () =>
    answer_status === undefined
      ? decode(Buffer.from(answer_base64, "base64"))
      : new SearchError({ reason: "Status", detail: String(answer_status) })

const productOf = (check: Effect.Effect<CheckerResult, CheckerError>) =>
  Effect.match(check, {
    onFailure: ({ reason }) => (reason === "Unavailable" ? "unknown" : reason),
    onSuccess: ({ findings, stale }) => (stale ? "stale" : findings.length > 0 ? "listed" : "not listed")
  })

const phishing =
  "Suspected phishing: the page on phish.example.com may trick visitors into revealing personal information. Advisory provided by Google: https://developers.google.com/safe-browsing/v4/advisory"

describe("the scenarios of lookups", () => {
  it("are 13, with lists of 65, 20 and 19 entries", () => {
    assert.lengthOf(lookups.scenarios, 13)
    assert.deepStrictEqual([...threatLists, ...globalCache].map(HashList.size), [65, 20, 19])
  })

  // The published real-time procedure searches a second time when its search has failed, for the local hits only. Ours does
  // not: those prefixes were in the failed request. The field `prefixes_sent_then` is not read for this reason.
  it.scoped.each(lookups.scenarios)(
    "have the requests and results of $name",
    ({ mode, url, expressions, state_override, steps }) =>
      Effect.gen(function* () {
        let current = steps[0]
        const { sent, layer } = hashSearch((prefixes) =>
          current === undefined ? Effect.dieMessage("no step") : respond(current)(prefixes)
        )
        const lists = state_override === undefined ? fresh : noLists
        const context = yield* Layer.build(
          ReputationLookup.ReputationLookup.layer.pipe(
            Layer.provide([layer, hashLists(modes[mode], () => lists), AppConfig.layer]),
            Layer.provide(Cache.inMemory),
            Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map())))
          )
        )
        const { check } = withCheck(Context.get(context, ReputationLookup.ReputationLookup))
        const hashes = ReputationLookup.hashesOf(Submission.read(url, 0)).flat()
        assert.deepStrictEqual([...hashes].sort(), expressions.map(({ sha256 }) => sha256).sort())
        let now = 0
        for (const step of steps) {
          current = step
          yield* adjust(Duration.seconds(step.at_s - now))
          now = step.at_s
          const before = sent.length
          const checking = check(Submission.read(step.url ?? url, step.at_s * 1000))
          assert.strictEqual(yield* productOf(checking), step.product)
          const searches = sent.slice(before)
          assert.deepStrictEqual(searches, step.prefixes_sent.length === 0 ? [] : [step.prefixes_sent])
          if (step.threats === undefined) continue
          assert.deepStrictEqual(step.threats, ["SOCIAL_ENGINEERING"])
          // From the cache: the answer before is still valid.
          const { findings } = yield* check(Submission.read(url, step.at_s * 1000))
          assert.deepStrictEqual(
            findings.map(({ reason }) => reason),
            [phishing]
          )
          assert.lengthOf(sent, before + searches.length)
        }
      })
  )
})
