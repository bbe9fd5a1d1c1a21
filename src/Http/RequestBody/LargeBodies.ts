/** Larger bodies than most, of which only some may be in memory while they arrive. */
export interface LargeBodies {
  /** Notes that a body became large. Returns what to call when it has been read or given up. */
  readonly enter: (drop: () => void) => () => void
}

/** At most `max` at once: for one more, the one that has been arriving for the longest time is dropped. */
export const make = (max: number): LargeBodies => {
  const arriving = new Set<() => void>()
  return {
    enter: (drop) => {
      const [oldest] = arriving
      if (arriving.size >= max && oldest !== undefined) {
        arriving.delete(oldest)
        oldest()
      }
      arriving.add(drop)
      return () => void arriving.delete(drop)
    }
  }
}
