import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as DeadlineMap from "../../../src/Layers/Cache/DeadlineMap.ts"

const FOREVER = Number.MAX_SAFE_INTEGER

const setUp = (maxEntries: number) => {
  const state = { evicted: 0 }
  const map = DeadlineMap.make<number>(maxEntries, () => state.evicted++)
  const keys = (keys: string, now = 0) => [...keys].filter((key) => map.get(key, now) !== undefined).join("")
  return { map, keys, state }
}

describe("DeadlineMap", () => {
  it("returns a value before its deadline, not at it", () => {
    const { map } = setUp(10)
    map.set("a", 1, 100, 0)
    assert.strictEqual(map.get("a", 99)?.value, 1)
    assert.strictEqual(map.get("a", 100), undefined)
    assert.strictEqual(map.get("a", 0), undefined)
  })

  it("evicts the entry that expires first, however it was used", () => {
    const { keys, map, state } = setUp(3)
    map.set("a", 1, 300, 0)
    map.set("b", 1, 100, 0)
    map.set("c", 1, 200, 0)
    map.get("b", 0)
    map.set("d", 1, 400, 0)
    assert.strictEqual(keys("abcd"), "acd")
    map.set("e", 1, 50, 0)
    assert.strictEqual(keys("abcde"), "acd")
    assert.strictEqual(state.evicted, 2)
  })

  it("does not count an entry that had expired as evicted", () => {
    const { keys, map, state } = setUp(2)
    map.set("a", 1, 10, 0)
    map.set("b", 1, 100, 0)
    map.set("c", 1, 100, 10)
    assert.strictEqual(keys("abc", 10), "bc")
    assert.strictEqual(state.evicted, 0)
  })

  it("replaces an entry and its deadline", () => {
    const { keys, map, state } = setUp(2)
    map.set("a", 1, 100, 0)
    map.set("a", 2, 300, 0)
    map.set("b", 1, 200, 0)
    map.set("c", 1, 400, 0)
    assert.strictEqual(keys("abc"), "ac")
    assert.strictEqual(map.get("a", 0)?.value, 2)
    map.set("a", 3, 5, 5)
    assert.strictEqual(keys("abc"), "c")
    assert.strictEqual(state.evicted, 1)
  })

  it("behaves as a list ordered by deadline, after any operations", () => {
    const operation = FastCheck.record({
      key: FastCheck.constantFrom("a", "b", "c", "d", "e", "f"),
      kind: FastCheck.constantFrom("get", "set", "set", "delete"),
      timeToLive: FastCheck.integer({ min: -1, max: 8 }),
      pause: FastCheck.integer({ min: 0, max: 2 })
    })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(operation, { maxLength: 80 }), (operations) => {
        const { map, state } = setUp(3)
        let model: ReadonlyArray<{ key: string; value: number; deadline: number }> = []
        let evicted = 0
        let now = 0
        for (const [value, { key, kind, pause, timeToLive }] of operations.entries()) {
          now += pause
          const others = model.filter((entry) => entry.key !== key)
          if (kind === "set") {
            map.set(key, value, now + timeToLive, now)
            model = timeToLive > 0 ? [...others, { key, value, deadline: now + timeToLive }] : others
            model = model.toSorted((a, b) => a.deadline - b.deadline || (a.key < b.key ? -1 : 1))
            const gone = model.slice(0, Math.max(0, model.length - 3))
            evicted += gone.filter(({ deadline }) => deadline > now).length
            model = model.slice(gone.length)
          } else if (kind === "delete") {
            map.delete(key)
            model = others
          } else {
            const own = model.find((entry) => entry.key === key && entry.deadline > now)
            assert.strictEqual(map.get(key, now)?.value, own?.value)
            if (own === undefined) model = others
          }
          assert.strictEqual(state.evicted, evicted)
        }
      }),
      { seed: 1, numRuns: 2000 }
    )
  })

  it("never shows more than its maximum after 100,000 entries", () => {
    const { map, state } = setUp(32_768)
    for (let index = 0; index < 100_000; index++) map.set(`${index}`, index, FOREVER - (index % 1000), 0)
    let stored = 0
    for (let index = 0; index < 100_000; index++) if (map.get(`${index}`, 0) !== undefined) stored++
    assert.strictEqual(stored, 32_768)
    assert.strictEqual(state.evicted, 100_000 - 32_768)
  })
})
