/** What is held for a key. `value` may be replaced in place by one that weighs the same. */
export interface Held<V> {
  value: V
  /** On the time line of the `now` that every operation is given. */
  readonly deadline: number
}

/**
 * A map whose entries expire and which never weighs more than its capacity: what was used least recently has to go.
 * Every operation takes constant time, an eviction for each entry that goes.
 */
export interface ExpiringMap<V> {
  /** Undefined: never set, expired or evicted. */
  readonly get: (key: string, now: number) => Held<V> | undefined
  /** Forgets what was held for the key; keeps nothing that is already expired or heavier than the whole map may be. */
  readonly set: (key: string, value: V, deadline: number, now: number) => void
  readonly delete: (key: string) => void
  /** Entries held, expired ones that were not noticed yet included. */
  readonly size: () => number
}

/**
 * Entries are linked from the least to the most recently used. The order of a Map would do, but its iterators do not:
 * a fresh one steps over all that was deleted at the front, and a kept one keeps every table that the Map outgrew.
 */
interface Slot<V> extends Held<V> {
  readonly key: string
  older: Slot<V> | undefined
  younger: Slot<V> | undefined
}

/** Entries looked at by each write for being expired: more than one, so that looking overtakes writing. */
const INSPECTED_PER_WRITE = 2

export const make = <V>(capacity: number, weigh: (key: string, value: V) => number): ExpiringMap<V> => {
  const slots = new Map<string, Slot<V>>()
  let weight = 0
  let oldest: Slot<V> | undefined
  let youngest: Slot<V> | undefined
  let nextInspected: Slot<V> | undefined

  const link = (slot: Slot<V>) => {
    slot.older = youngest
    if (youngest === undefined) oldest = slot
    else youngest.younger = slot
    youngest = slot
  }

  const unlink = (slot: Slot<V>) => {
    if (slot === nextInspected) nextInspected = slot.younger
    if (slot.older === undefined) oldest = slot.younger
    else slot.older.younger = slot.younger
    if (slot.younger === undefined) youngest = slot.older
    else slot.younger.older = slot.older
    slot.younger = undefined
  }

  const remove = (slot: Slot<V>) => {
    unlink(slot)
    slots.delete(slot.key)
    weight -= weigh(slot.key, slot.value)
  }

  const forget = (key: string) => {
    const slot = slots.get(key)
    if (slot !== undefined) remove(slot)
  }

  const dropExpired = (now: number) => {
    for (let inspected = 0; inspected < INSPECTED_PER_WRITE; inspected++) {
      const slot = nextInspected ?? oldest
      if (slot === undefined) return
      nextInspected = slot.younger
      if (slot.deadline <= now) remove(slot)
    }
  }

  return {
    get: (key, now) => {
      const slot = slots.get(key)
      if (slot === undefined) return undefined
      if (slot.deadline <= now) {
        remove(slot)
        return undefined
      }
      unlink(slot)
      link(slot)
      return slot
    },
    set: (key, value, deadline, now) => {
      forget(key)
      dropExpired(now)
      const needed = weigh(key, value)
      if (deadline <= now || needed > capacity) return
      while (oldest !== undefined && weight + needed > capacity) remove(oldest)
      const slot: Slot<V> = { key, value, deadline, older: undefined, younger: undefined }
      slots.set(key, slot)
      link(slot)
      weight += needed
    },
    delete: forget,
    size: () => slots.size
  }
}
