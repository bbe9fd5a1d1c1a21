/** A seeded generator of numbers from 0 to 1: mulberry32 by Tommy Ettinger. */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Shuffles in place (Fisher-Yates) and returns the array. */
export const shuffle = (items: Uint32Array, seed: number): Uint32Array => {
  const next = random(seed)
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1))
    const item = items[at] ?? 0
    items[at] = items[other] ?? 0
    items[other] = item
  }
  return items
}

/** The FNV-1a hash, with a final mix. */
export const hash = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
