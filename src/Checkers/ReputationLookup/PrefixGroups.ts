import { Deferred, Effect, FiberId, type Scope } from "effect"
import type { HashPrefix } from "./ExpressionHash.ts"
import { MAX_PREFIXES } from "./HashSearch/HashSearchClient.ts"

/**
 * Groups that one `send` asks about. Another is asked about when its first answer is waited for: one batch of URLs with very
 * many prefixes must not have most of the calls that `HashSearch` allows.
 */
const MAX_GROUPS_SENT = 16

/** The prefixes of many lookups in groups, each of which is asked about once. */
export interface PrefixGroups<A> {
  /**
   * Adds the prefixes of a lookup, at most MAX_PREFIXES, all to one group. Returns the effect that waits for the answer about
   * that group. Interrupting it does not interrupt the asking.
   */
  readonly add: (prefixes: ReadonlyArray<HashPrefix>) => Effect.Effect<A>
  /** Begins to ask about what was added since the last time, and waits for nothing. */
  readonly send: Effect.Effect<void>
}

interface Group<A> {
  readonly prefixes: Set<HashPrefix>
  /** Asks, unless that has begun. */
  readonly send: Effect.Effect<void>
  readonly answer: Effect.Effect<A>
}

/** Groups of at most MAX_PREFIXES. `ask` gets them sorted and distinct, and runs in the scope, in the trace of what began it. */
export const make = <A>(
  ask: (prefixes: ReadonlyArray<HashPrefix>) => Effect.Effect<A>,
  scope: Scope.Scope
): PrefixGroups<A> => {
  const makeGroup = (): Group<A> => {
    const prefixes = new Set<HashPrefix>()
    const answer = Deferred.unsafeMake<A>(FiberId.none)
    let isSent = false
    // A fiber that is interrupted between the two steps would leave others waiting for ever.
    const send = Effect.uninterruptible(
      Effect.suspend(() => {
        if (isSent) return Effect.void
        isSent = true
        const asking = Effect.intoDeferred(
          Effect.suspend(() => ask([...prefixes].sort())),
          answer
        )
        return Effect.asVoid(Effect.forkIn(Effect.interruptible(asking), scope))
      })
    )
    return { prefixes, send, answer: Effect.zipRight(send, Deferred.await(answer)) }
  }

  let unsent: Array<Group<A>> = []

  /** The last group that has room for the prefixes, or a new one. */
  const groupFor = (prefixes: ReadonlyArray<HashPrefix>): Group<A> => {
    const last = unsent.at(-1)
    if (last !== undefined) {
      const more = prefixes.filter((prefix) => !last.prefixes.has(prefix)).length
      if (last.prefixes.size + more <= MAX_PREFIXES) return last
    }
    const group = makeGroup()
    unsent.push(group)
    return group
  }

  return {
    add: (prefixes) => {
      const group = groupFor(prefixes)
      for (const prefix of prefixes) group.prefixes.add(prefix)
      return group.answer
    },
    send: Effect.suspend(() => {
      const groups = unsent.slice(0, MAX_GROUPS_SENT)
      unsent = []
      return Effect.forEach(groups, ({ send }) => send, { discard: true })
    })
  }
}
