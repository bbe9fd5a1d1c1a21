import { Option, Order, RedBlackTree } from "effect"
import type { Entry, ExpiringMap } from "./ExpiringMap.ts"

interface Stored<V> extends Entry<V> {
  readonly key: string
}

const byDeadline: Order.Order<Stored<unknown>> = Order.combine(
  Order.mapInput(Order.number, ({ deadline }) => deadline),
  Order.mapInput(Order.string, ({ key }) => key)
)

/**
 * An expiring map of at most `maxEntries`: evicts the entry that expires first, whenever it was last used. Calls `onEvicted` for
 * each evicted entry that had not expired yet. `set` takes logarithmic time, `get` constant time.
 */
export const make = <V>(maxEntries: number, onEvicted: () => void): ExpiringMap<V> => {
  const entries = new Map<string, Stored<V>>()
  let order = RedBlackTree.empty<Stored<V>, undefined>(byDeadline)

  const remove = (entry: Stored<V> | undefined) => {
    if (entry === undefined) return
    entries.delete(entry.key)
    order = RedBlackTree.removeFirst(order, entry)
  }

  return {
    get: (key, now) => {
      const entry = entries.get(key)
      if (entry === undefined || entry.deadline > now) return entry
      remove(entry)
      return undefined
    },
    set: (key, value, deadline, now) => {
      remove(entries.get(key))
      if (deadline <= now) return
      const entry = { key, value, deadline }
      entries.set(key, entry)
      order = RedBlackTree.insert(order, entry, undefined)
      if (entries.size <= maxEntries) return
      const [first] = Option.getOrElse(RedBlackTree.first(order), () => [entry])
      if (first.deadline > now) onEvicted()
      remove(first)
    },
    delete: (key) => remove(entries.get(key))
  }
}
