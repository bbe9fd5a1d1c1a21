import { Schema } from "effect"

/** The latest time of a Date (https://tc39.es/ecma262/#sec-time-values-and-time-range). A later one throws when formatted. */
const MAX_EPOCH_MILLIS = 8_640_000_000_000_000

/** A stored time, in milliseconds since 1970, by the clock of the machine that stored it. */
export const EpochMillis = Schema.Number.pipe(Schema.between(0, MAX_EPOCH_MILLIS))
