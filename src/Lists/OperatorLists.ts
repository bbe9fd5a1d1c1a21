import type { FileSystem } from "@effect/platform"
import { Context, Duration, Effect, Layer, Option, Record } from "effect"
import { AppConfig, InvalidConfig } from "../Layers/AppConfig.ts"
import { quoted } from "../Layers/Telemetry/Printable.ts"
import * as BackgroundLoop from "../Layers/Time/BackgroundLoop.ts"
import type { OperatorList } from "./OperatorLists/OperatorList.ts"
import * as WatchedList from "./OperatorLists/WatchedList.ts"

/** Three polls fit into the 30 seconds within which a change counts. */
const POLL_INTERVAL = Duration.seconds(10)

const variables = { allow: "ALLOW_LIST", block: "BLOCK_LIST" } as const

type Kind = keyof typeof variables

interface OperatorListsShape {
  /** The lists that are configured, as they were last read. */
  readonly lists: Readonly<Partial<Record<Kind, () => OperatorList>>>
  /** None: the list is not configured. */
  readonly status: Effect.Effect<Readonly<Record<Kind, Option.Option<WatchedList.ListStatus>>>>
}

/** The files ALLOW_LIST and BLOCK_LIST, with which the operator overrules the checkers. */
export class OperatorLists extends Context.Tag("app/Lists/OperatorLists")<
  OperatorLists,
  OperatorListsShape
>() {
  /** Reads the files, then again when they have changed. Fails with one line if one cannot be read at the start. */
  static readonly layer: Layer.Layer<OperatorLists, InvalidConfig, AppConfig | FileSystem.FileSystem> =
    Layer.scoped(
      OperatorLists,
      Effect.gen(function* () {
        const { operatorLists } = yield* AppConfig
        const watch = (kind: Kind) =>
          Effect.transposeMapOption(operatorLists[kind], (path) =>
            Effect.mapError(
              WatchedList.make(variables[kind], path),
              ({ message }) => `${variables[kind]}: ${quoted(path)} ${message}`
            )
          )
        const watched = yield* Effect.all(
          { allow: watch("allow"), block: watch("block") },
          { mode: "validate" }
        ).pipe(
          Effect.mapError(
            (errors) =>
              new InvalidConfig({
                message: Object.values(errors)
                  .flatMap((error) => Option.toArray(error))
                  .join("; ")
              })
          )
        )
        const configured = Record.getSomes(watched)
        const poll = Effect.forEach(Object.values(configured), (list) => list.poll, { discard: true })
        if (!Record.isEmptyRecord(configured))
          yield* BackgroundLoop.fork("operator_lists", Effect.zipRight(Effect.sleep(POLL_INTERVAL), poll))
        return {
          lists: Record.map(configured, ({ list }) => list),
          status: Effect.sync(() =>
            Record.map(
              watched,
              Option.map((list) => list.status())
            )
          )
        }
      })
    )
}
