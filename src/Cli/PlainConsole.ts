import { stripVTControlCharacters } from "node:util"
import { Console, Effect } from "effect"

const plain = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  values.map((value) => (typeof value === "string" ? stripVTControlCharacters(value) : value))

/** Which streams support colours. */
interface Colours {
  readonly stdout: boolean
  readonly stderr: boolean
}

/** Removes the colours that @effect/cli always writes, on streams that do not support them. */
export const withPlainConsole =
  (colours: Colours) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Console.consoleWith((console) =>
      Effect.withConsole(effect, {
        ...console,
        log: (...values) => console.log(...(colours.stdout ? values : plain(values))),
        error: (...values) => console.error(...(colours.stderr ? values : plain(values)))
      })
    )
