import { Duration } from "effect"

/**
 * Encodes in two bytes when an entry was last seen: `epoch + stamp * unit`, in milliseconds since 1970. An entry last seen
 * before the epoch is past its retention.
 */
export interface StampClock {
  readonly epoch: number
  readonly unit: number
}

/** The stamp of an entry that is in the feed's current document. */
export const CURRENT = 0xffff

const LATEST = CURRENT - 1

/** Of a retention: a unit is twenty seconds when it is a week. */
const UNITS = 32_768

/**
 * The clock for a list built at `now` (milliseconds since 1970). Its epoch is a multiple of the unit, so that stamps that
 * are rounded from list to list do not drift.
 */
export const make = (now: number, retention: Duration.Duration): StampClock => {
  const span = Duration.toMillis(retention)
  const unit = Math.max(1, Math.ceil(span / UNITS))
  return { epoch: Math.floor((now - span) / unit) * unit, unit }
}

/** The stamp of a time at or after the epoch. */
export const stamp = ({ epoch, unit }: StampClock, time: number): number =>
  Math.min(Math.max(0, Math.floor((time - epoch) / unit)), LATEST)

export const time = ({ epoch, unit }: StampClock, stamp: number): number => epoch + stamp * unit
