/**
 * When a feed's document last had a record, in two bytes: a UTC day, counted from the first of January 1970, or `CURRENT`.
 */
export type LastSeen = number

/** The last document has it. */
export const CURRENT: LastSeen = 0xffff

const DAY_MS = 86_400_000

/** The day of a time in milliseconds since 1970, up to the year 2149. */
export const dayOf = (time: number): LastSeen => Math.min(Math.max(0, Math.floor(time / DAY_MS)), CURRENT - 1)
