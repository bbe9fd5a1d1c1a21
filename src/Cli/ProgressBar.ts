interface Progress {
  readonly checked: number
  readonly seconds: number
  /** The fraction of the input that is done, from 0 to 1; undefined if its length is unknown. */
  readonly fraction: number | undefined
}

const BAR_WIDTH = 24

const count = (number: number): string => Math.round(number).toLocaleString("en-US")

/**
 * Returns the bar as one line, without a line break. `draw({ checked: 12_000, seconds: 4, fraction: 0.5 })` is
 * `"[############............]  50 %  12,000 checked, 3,000/s"`.
 */
export const draw = ({ checked, seconds, fraction }: Progress): string => {
  const numbers = `${count(checked)} checked, ${count(checked / Math.max(seconds, 1))}/s`
  if (fraction === undefined) return numbers
  const full = Math.round(Math.min(fraction, 1) * BAR_WIDTH)
  const percent = String(Math.floor(Math.min(fraction, 1) * 100)).padStart(3)
  return `[${"#".repeat(full)}${".".repeat(BAR_WIDTH - full)}] ${percent} %  ${numbers}`
}

/** Erases the current line. */
export const erase = "\r\u001b[2K"

/** Replaces the current line. Disables wrapping for it: `erase` would remove only the last row of a wrapped line. */
export const inPlace = (line: string): string => `${erase}\u001b[?7l${line}\u001b[?7h`
