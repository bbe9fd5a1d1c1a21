/** `count(1234, "entry", "entries")` is `"1,234 entries"`. */
export const count = (number: number, one: string, many: string): string =>
  `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`

const units = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"]
] as const

/** A wait of 58 seconds is a minute. */
const MIN_PART_OF_UNIT = 0.9

/** A time in milliseconds. `inWords(63_000)` is `"1 minute"`. */
export const inWords = (millis: number): string => {
  const [length, unit] =
    units.find(([length]) => millis >= length * MIN_PART_OF_UNIT) ?? ([1000, "second"] as const)
  const rounded = Math.max(1, Math.round(millis / length))
  return count(rounded, unit, `${unit}s`)
}
