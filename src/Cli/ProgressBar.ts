export interface Progress {
  readonly checked: number
  readonly seconds: number
  /** The part of the input that is done, from 0 to 1; undefined where nobody knows how long it is. */
  readonly part: number | undefined
}

const BAR_WIDTH = 24

const count = (number: number): string => Math.round(number).toLocaleString("en-US")

/**
 * One line without its end. `draw({ checked: 12_000, seconds: 4, part: 0.5 })` is
 * `"[############............]  50 %  12,000 checked, 3,000/s"`.
 */
export const draw = ({ checked, seconds, part }: Progress): string => {
  const numbers = `${count(checked)} checked, ${count(checked / Math.max(seconds, 1))}/s`
  if (part === undefined) return numbers
  const full = Math.round(Math.min(part, 1) * BAR_WIDTH)
  const percent = String(Math.floor(Math.min(part, 1) * 100)).padStart(3)
  return `[${"#".repeat(full)}${".".repeat(BAR_WIDTH - full)}] ${percent} %  ${numbers}`
}

/** Takes the line away again. */
export const erase = "\r\u001b[2K"

/**
 * The line in place of the one before. A terminal that is narrower cuts it, or it could not be erased: what ends a wrapped
 * line takes only its last row away.
 */
export const inPlace = (line: string): string => `${erase}\u001b[?7l${line}\u001b[?7h`
