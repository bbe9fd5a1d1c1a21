// `npm run collect -- <folder>`: see training/README.md.
import { existsSync } from "node:fs"
import { Effect, Either, Option } from "effect"
import { AppConfig } from "../src/Layers/AppConfig.ts"
import { printable } from "../src/Layers/Telemetry/Printable.ts"
import * as Collection from "./Corpus/Collection.ts"

// The feeds, with their keys, as the service has them.
if (existsSync(".env")) process.loadEnvFile()

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error("npm run collect -- <folder of the corpus>")
  process.exit(1)
}

const columns = ["read", "added", "duplicate", "old", "conflict", "damaged", "unused", "capped"] as const

const line = (source: string, values: ReadonlyArray<string>): string =>
  source.padEnd(28) + values.map((value) => value.padStart(11)).join("")

const print = ({ sources, file }: Collection.Report): void => {
  console.log(line("", columns))
  for (const { source, result } of sources)
    console.log(
      Either.isRight(result)
        ? line(
            source,
            columns.map((column) => String(result.right[column]))
          )
        : `${source.padEnd(28)}   failed: ${result.left}`
    )
  console.log(Option.match(file, { onNone: () => "nothing is new", onSome: (name) => `written: ${name}` }))
}

const fail = (message: string) =>
  Effect.sync(() => {
    console.error(printable(message))
    process.exitCode = 1
  })

const program = Effect.gen(function* () {
  const report = yield* Collection.collect(folder)
  print(report)
  if (!Collection.isComplete(report))
    yield* fail("No source of phishing, or none of ordinary addresses, could be read")
}).pipe(Effect.provide(AppConfig.layer))

await Effect.runPromise(Effect.catchAll(program, ({ message }) => fail(message)))
