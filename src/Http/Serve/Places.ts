import { Array as Arr, Iterable, Order } from "effect"

/** What a request does with its place, or while it waits for one. */
interface Entry {
  readonly address: string
  readonly onEntered: () => void
}

/** A limited number of places for requests, some of them for one address. */
export interface Places {
  /**
   * Calls `onEntered` when the request has a place: at once, or later. A free place goes to the address that has the fewest, and
   * of these to the request that came first: some addresses with many requests do not keep out the others. Returns the function that leaves the place, or the queue; it may be called again.
   */
  readonly enter: (address: string, onEntered: () => void) => () => void
}

export const make = ({ max, maxPerAddress }: { max: number; maxPerAddress: number }): Places => {
  const entered = new Set<Entry>()
  const waiting = new Set<Entry>()

  const countOf = (address: string) =>
    Iterable.size(Iterable.filter(entered, (entry) => entry.address === address))

  const isFree = (address: string) => entered.size < max && countOf(address) < maxPerAddress

  const take = (entry: Entry) => {
    waiting.delete(entry)
    entered.add(entry)
    entry.onEntered()
  }

  const byCount = Order.mapInput(Order.number, ({ address }: Entry) => countOf(address))

  return {
    enter: (address, onEntered) => {
      const entry = { address, onEntered }
      if (isFree(address)) take(entry)
      else waiting.add(entry)
      return () => {
        waiting.delete(entry)
        if (!entered.delete(entry)) return
        const next = Arr.sort(
          [...waiting].filter(({ address }) => isFree(address)),
          byCount
        )[0]
        if (next !== undefined) take(next)
      }
    }
  }
}
