/** Numbers from 0 to 1 that are the same in every run: mulberry32 by Tommy Ettinger. */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** In place, by Fisher and Yates. */
export const shuffle = (items: Uint32Array, seed: number): Uint32Array => {
  const next = random(seed)
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1))
    const kept = items[at] ?? 0
    items[at] = items[other] ?? 0
    items[other] = kept
  }
  return items
}

/** FNV-1a. */
export const hash = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
