import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import * as Places from "../../../src/Http/Serve/Places.ts"

describe("Places", () => {
  it("gives places in the order of arrival, but an address without a free one does not delay others", () => {
    const places = Places.make({ max: 3, maxPerAddress: 2 })
    const entered: Array<string> = []
    const enter = (name: string) => places.enter(name.slice(0, 1), () => entered.push(name))
    const [leaveA1] = ["a1", "a2", "a3", "b1"].map(enter)
    assert.deepStrictEqual(entered, ["a1", "a2", "b1"])
    const leaveB2 = enter("b2")
    leaveA1?.()
    leaveA1?.()
    assert.deepStrictEqual(entered.slice(3), ["a3"])
    leaveB2()
    assert.deepStrictEqual(entered.slice(4), [])
  })

  it("gives a free place to the address with the fewest, whoever came before", () => {
    const places = Places.make({ max: 4, maxPerAddress: 2 })
    const entered: Array<string> = []
    const enter = (name: string) => places.enter(name.slice(0, 1), () => entered.push(name))
    const leaves = ["a1", "a2", "b1", "b2"].map(enter)
    for (const name of ["a3", "b3", "c1"]) enter(name)
    leaves[0]?.()
    leaves[1]?.()
    assert.deepStrictEqual(entered.slice(4), ["c1", "a3"])
  })

  it("forgets a request that leaves while it waits", () => {
    const places = Places.make({ max: 1, maxPerAddress: 1 })
    const leave = places.enter("a", () => undefined)
    places.enter("b", () => assert.fail("entered"))()
    let entered = false
    places.enter("c", () => {
      entered = true
    })
    leave()
    assert.isTrue(entered)
  })

  it("never has more than its limits, nor lets a request wait that could have a place", () => {
    const limits = { max: 4, maxPerAddress: 2 }
    const steps = fc.array(fc.record({ address: fc.integer({ min: 0, max: 3 }), leaves: fc.nat({ max: 9 }) }))
    fc.assert(
      fc.property(steps, (steps) => {
        const places = Places.make(limits)
        const inside = new Map<number, string>()
        const waiting = new Map<number, string>()
        const leaves: Array<() => void> = []
        const count = (address: string) => [...inside.values()].filter((other) => other === address).length
        for (const [id, { address, leaves: who }] of steps.entries()) {
          waiting.set(id, `${address}`)
          leaves[id] = places.enter(`${address}`, () => {
            inside.set(id, `${address}`)
            waiting.delete(id)
          })
          if (who < id) {
            inside.delete(who)
            waiting.delete(who)
            leaves[who]?.()
          }
          if (inside.size > limits.max) return assert.fail("too many")
          for (const address of inside.values()) assert.isAtMost(count(address), limits.maxPerAddress)
          for (const address of waiting.values())
            assert.isTrue(inside.size === limits.max || count(address) === limits.maxPerAddress)
        }
      }),
      { numRuns: 300 }
    )
  })
})
