import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as LookupPlan from "../../../src/Checkers/ReputationLookup/LookupPlan.ts"
import type { ReputationMode } from "../../../src/Layers/AppConfig.ts"
import { type ListsAge, type LocalLists, noLists } from "../../../src/Lists/HashLists.ts"
import * as ExpressionHash from "../../../src/Url/ExpressionHash.ts"
import { localLists, prefixesOf } from "../../fixtures/ReputationDoubles.ts"

const [page, host, parent, other] = [
  "a.example.com/x",
  "a.example.com/",
  "example.com/",
  "b.example.net/"
] as const

const hashesOf = (...expressions: ReadonlyArray<string>) => expressions.map(ExpressionHash.ofExpression)

const one = [hashesOf(page, host, parent)]
const two = [...one, hashesOf(other)]

const plan = (
  mode: ReputationMode,
  lists: LocalLists,
  addresses: ReadonlyArray<ReadonlyArray<ExpressionHash.ExpressionHash>>,
  ...missing: ReadonlyArray<string>
) => {
  const isMissing = new Set(prefixesOf(...missing))
  const all = addresses.flat().map(ExpressionHash.prefix)
  const cached = new Map(all.flatMap((prefix) => (isMissing.has(prefix) ? [] : [[prefix, []]])))
  const { prefixes, localHits, isLeftToLists } = LookupPlan.make(mode, lists, addresses, cached)
  const sorted = (all: Iterable<string>): ReadonlyArray<string> => [...all].sort()
  return { prefixes: sorted(prefixes), localHits: sorted(localHits), isLeftToLists }
}

const nothing = { prefixes: [], localHits: [], isLeftToLists: true }

describe("make", () => {
  const hit = localLists({ threats: [host] })
  const bothHit = localLists({ threats: [page, host, other] })

  it("in no-storage asks about every missing prefix", () => {
    const rest = { localHits: [], isLeftToLists: false }
    assert.deepStrictEqual(plan("no-storage", noLists, one, page, host, parent), {
      prefixes: prefixesOf(page, host, parent),
      ...rest
    })
    assert.deepStrictEqual(plan("no-storage", noLists, one, parent), {
      prefixes: prefixesOf(parent),
      ...rest
    })
  })

  it("in local-list asks about every missing prefix that a list has, not only the first", () => {
    assert.deepStrictEqual(plan("local-list", localLists(), two, page, host, parent, other), nothing)
    assert.deepStrictEqual(plan("local-list", hit, one, page, host, parent), {
      prefixes: prefixesOf(host),
      localHits: prefixesOf(host),
      isLeftToLists: true
    })
    assert.deepStrictEqual(plan("local-list", bothHit, two, page, host, parent, other), {
      prefixes: prefixesOf(page, host, other),
      localHits: prefixesOf(page, host, other),
      isLeftToLists: true
    })
  })

  it("lets a cached answer win over a list", () => {
    assert.deepStrictEqual(plan("local-list", hit, one, page, parent), nothing)
    assert.deepStrictEqual(plan("local-list", hit, one, host), {
      prefixes: prefixesOf(host),
      localHits: prefixesOf(host),
      isLeftToLists: false
    })
  })

  it("in real-time asks about every missing prefix, and notes those in a list", () => {
    assert.deepStrictEqual(plan("real-time", hit, two, page, host, parent, other), {
      prefixes: prefixesOf(page, host, parent, other),
      localHits: prefixesOf(host),
      isLeftToLists: false
    })
  })

  it("in real-time leaves an address to the lists if the global cache has one of its whole hashes", () => {
    for (const likelySafe of [page, host, parent])
      assert.deepStrictEqual(
        plan("real-time", localLists({ likelySafe: [likelySafe] }), one, page, host, parent),
        nothing
      )
    const lists = localLists({ threats: [host], likelySafe: [page] })
    assert.deepStrictEqual(plan("real-time", lists, one, page, host, parent), {
      prefixes: prefixesOf(host),
      localHits: prefixesOf(host),
      isLeftToLists: true
    })
    assert.deepStrictEqual(plan("real-time", lists, two, page, host, parent, other), {
      prefixes: prefixesOf(host, other),
      localHits: prefixesOf(host),
      isLeftToLists: true
    })
  })

  it("does not take a shared prefix for a whole hash of the global cache", () => {
    const prefixOnly: LocalLists = {
      ...localLists(),
      isLikelySafe: (hash) => hash === `${prefixesOf(page)[0]}${"0".repeat(56)}`
    }
    assert.deepStrictEqual(plan("real-time", prefixOnly, one, page).prefixes, prefixesOf(page))
  })

  it("asks about a prefix that one address leaves to the lists and another does not", () => {
    const lists = localLists({ likelySafe: [page] })
    const siblings = [hashesOf(page, parent), hashesOf(host, parent)]
    assert.deepStrictEqual(plan("real-time", lists, siblings, page, host, parent), {
      prefixes: prefixesOf(host, parent),
      localHits: [],
      isLeftToLists: true
    })
  })

  it("has nothing to ask without addresses, as of private hosts", () => {
    assert.deepStrictEqual(plan("real-time", localLists(), [[]]), { ...nothing, isLeftToLists: false })
  })
})

describe("decide", () => {
  const hits = prefixesOf(host)
  const others = prefixesOf(page)

  const cases: ReadonlyArray<
    readonly [
      title: string,
      left: boolean,
      unanswered: ReadonlyArray<string>,
      decisions: Readonly<Record<ListsAge, LookupPlan.Decision>>
    ]
  > = [
    ["everything is answered", false, [], { fresh: "ok", stale: "ok", unusable: "ok" }],
    ["the rest is in no list", true, [], { fresh: "ok", stale: "stale", unusable: "unknown" }],
    ["no hit, but not answered", false, others, { fresh: "stale", stale: "stale", unusable: "unknown" }],
    [
      "no hit, some of it not answered",
      true,
      others,
      { fresh: "stale", stale: "stale", unusable: "unknown" }
    ],
    ["a hit that is not confirmed", false, hits, { fresh: "unknown", stale: "unknown", unusable: "unknown" }],
    [
      "a hit among others, not confirmed",
      true,
      [...others, ...hits],
      { fresh: "unknown", stale: "unknown", unusable: "unknown" }
    ]
  ]

  it.each(cases)("%s", (_, isLeftToLists, unanswered, decisions) => {
    for (const age of ["fresh", "stale", "unusable"] as const)
      assert.strictEqual(
        LookupPlan.decide({ prefixes: unanswered, localHits: new Set(hits), isLeftToLists, age }, unanswered),
        decisions[age],
        age
      )
  })
})

describe("LookupPlan.requestsFor", () => {
  it("has the first 6,400 prefixes of lookups, each once, 400 in each of at most 16 requests", () => {
    const arbitraryLookup = FastCheck.uniqueArray(FastCheck.nat(9000).map(String), {
      minLength: 0,
      maxLength: 150
    })
    const tooMany = Array.from({ length: 50 }, (_, number) =>
      Array.from({ length: 150 }, (_, index) => String(140 * number + index))
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(arbitraryLookup, { maxLength: 200, size: "max" }), (lookups) => {
        const requests = LookupPlan.requestsFor(lookups)
        const distinct = [...new Set(lookups.flat())].slice(0, 6400)
        assert.lengthOf(requests, Math.ceil(distinct.length / 400))
        assert.isAtMost(requests.length, LookupPlan.MAX_REQUESTS)
        for (const [index, request] of requests.entries())
          assert.deepStrictEqual(request, distinct.slice(400 * index, 400 * (index + 1)).sort())
      }),
      { numRuns: 100, examples: [[tooMany]] }
    )
  })
})
