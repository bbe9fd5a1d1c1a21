import { Schema } from "effect"

/** The latest that a Date can tell (https://tc39.es/ecma262/#sec-time-values-and-time-range): to show a later one throws. */
const LATEST = 8_640_000_000_000_000

/** A time that was noted earlier or by somebody else, in milliseconds since 1970; by whatever their clock said. */
export const NotedTime = Schema.Number.pipe(Schema.between(0, LATEST))
