import { stripVTControlCharacters } from "node:util"
import { Console, Effect } from "effect"

const plain = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  values.map((value) => (typeof value === "string" ? stripVTControlCharacters(value) : value))

/** Which streams show colours. The library behind the commands writes its help in colours wherever it goes. */
export interface Coloured {
  readonly stdout: boolean
  readonly stderr: boolean
}

export const withPlainConsole =
  (coloured: Coloured) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Console.consoleWith((console) =>
      Effect.withConsole(effect, {
        ...console,
        log: (...values) => console.log(...(coloured.stdout ? values : plain(values))),
        error: (...values) => console.error(...(coloured.stderr ? values : plain(values)))
      })
    )
