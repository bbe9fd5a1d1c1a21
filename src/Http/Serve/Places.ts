/** What a request does with its place, or while it waits for one. */
interface Entry {
  readonly address: string
  readonly onEntered: () => void
}

/** A limited number of places for requests, some of them for one address. */
export interface Places {
  /** Takes a place if one is free now, and returns the function that leaves it; undefined: none is free. */
  readonly enterNow: (address: string) => (() => void) | undefined
  /**
   * Calls `onEntered` when the request has a place: at once, or later. A free place goes to the address that has the fewest, and
   * of these to the request that came first: some addresses with many requests do not keep out the others. Returns the function that leaves the place, or the queue; it may be called again.
   */
  readonly enter: (address: string, onEntered: () => void) => () => void
}

export const make = ({ max, maxPerAddress }: { max: number; maxPerAddress: number }): Places => {
  const entered = new Set<Entry>()
  const waiting = new Set<Entry>()
  const byAddress = new Map<string, number>()

  const countOf = (address: string) => byAddress.get(address) ?? 0

  const change = (address: string, by: 1 | -1) => {
    const count = countOf(address) + by
    if (count === 0) byAddress.delete(address)
    else byAddress.set(address, count)
  }

  const isFree = (address: string) => entered.size < max && countOf(address) < maxPerAddress

  const take = (entry: Entry) => {
    waiting.delete(entry)
    entered.add(entry)
    change(entry.address, 1)
    entry.onEntered()
  }

  const leave = (entry: Entry) => {
    waiting.delete(entry)
    if (!entered.delete(entry)) return
    change(entry.address, -1)
    let next: Entry | undefined
    for (const other of waiting)
      if (isFree(other.address) && (next === undefined || countOf(other.address) < countOf(next.address)))
        next = other
    if (next !== undefined) take(next)
  }

  const enter = (address: string, onEntered: () => void) => {
    const entry = { address, onEntered }
    if (isFree(address)) take(entry)
    else waiting.add(entry)
    return () => leave(entry)
  }

  return {
    enter,
    enterNow: (address) => (isFree(address) ? enter(address, () => undefined) : undefined)
  }
}
