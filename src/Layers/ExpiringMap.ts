/** What is held for a key. `value` may be replaced in place by one that weighs the same. */
export interface Held<V> {
  value: V
  /** On the time line of the `now` that every operation is given. */
  readonly deadline: number
}

/**
 * A map whose entries expire and which never weighs more than its capacity. Every operation takes constant time.
 *
 * When it is full, what was written first goes first, except that an entry read since then is passed over once
 * ("second chance", https://en.wikipedia.org/wiki/Page_replacement_algorithm#Second-chance): nearly least recently
 * used, while a read moves nothing.
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

interface Slot<V> extends Held<V> {
  wasRead: boolean
}

/** Entries looked at by each write for being expired: more than one, so that looking overtakes writing. */
const INSPECTED_PER_WRITE = 2

/** Entries passed over in one eviction, so that its time is bounded even when everything was read. */
const MOST_SECOND_CHANCES = 8

export const make = <V>(capacity: number, weigh: (key: string, value: V) => number): ExpiringMap<V> => {
  const slots = new Map<string, Slot<V>>()
  let weight = 0
  let inspection = slots.entries()

  const remove = (key: string, slot: Slot<V>) => {
    slots.delete(key)
    weight -= weigh(key, slot.value)
  }

  const dropExpired = (now: number) => {
    for (let inspected = 0; inspected < INSPECTED_PER_WRITE; inspected++) {
      const next = inspection.next()
      if (next.done === true) {
        inspection = slots.entries()
        return
      }
      const [key, slot] = next.value
      if (slot.deadline <= now) remove(key, slot)
    }
  }

  const makeRoom = (needed: number) => {
    let chances = MOST_SECOND_CHANCES
    for (const [key, slot] of slots) {
      if (weight + needed <= capacity) return
      if (slot.wasRead && chances > 0) {
        chances--
        slot.wasRead = false
        slots.delete(key)
        slots.set(key, slot)
      } else {
        remove(key, slot)
      }
    }
  }

  const forget = (key: string) => {
    const slot = slots.get(key)
    if (slot !== undefined) remove(key, slot)
  }

  return {
    get: (key, now) => {
      const slot = slots.get(key)
      if (slot === undefined) return undefined
      if (slot.deadline <= now) {
        remove(key, slot)
        return undefined
      }
      slot.wasRead = true
      return slot
    },
    set: (key, value, deadline, now) => {
      forget(key)
      dropExpired(now)
      const needed = weigh(key, value)
      if (deadline <= now || needed > capacity) return
      if (weight + needed > capacity) makeRoom(needed)
      slots.set(key, { value, deadline, wasRead: false })
      weight += needed
    },
    delete: forget,
    size: () => slots.size
  }
}
