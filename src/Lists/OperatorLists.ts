import type { FileSystem } from "@effect/platform"
import { Clock, Context, Data, Duration, Effect, Layer, Option, Record } from "effect"
import { AppConfig, InvalidConfig } from "../Layers/AppConfig.ts"
import * as Files from "../Layers/Files.ts"
import * as BackgroundLoop from "../Layers/Time/BackgroundLoop.ts"
import * as Slices from "../Layers/Time/Slices.ts"
import { orDefect } from "./ListError.ts"
import type { RowCounts } from "./ListWorker/Messages.ts"
import { OperatorList, readerInto } from "./OperatorLists/OperatorList.ts"
import { count, grouped } from "./RefreshedList/ListLog.ts"
import type { LastError, ListStatus } from "./RefreshedList.ts"
import { type SkippedRows, shownRows } from "./ThreatFeed/FeedFormat/SkippedRows.ts"

/** The state of an operator's list in `/health/ready` and the metrics. It is stale while the last change of the file is not in use. */
export interface OperatorListStatus extends ListStatus, Pick<RowCounts, "skipped" | "firstSkipped"> {
  /** When the file was last read, in milliseconds since 1970. */
  readonly fetchedAt: number
}

/** Three polls within the 30 seconds that docs/lists.md promises. */
const POLL_INTERVAL = Duration.seconds(10)

const variables = { allow: "ALLOW_LIST", block: "BLOCK_LIST" } as const

type Kind = keyof typeof variables

interface OperatorListsShape {
  /** The configured lists, as last read. */
  readonly lists: Readonly<Partial<Record<Kind, () => OperatorList>>>
  /** None for a list that is not configured. */
  readonly status: Effect.Effect<Readonly<Record<Kind, Option.Option<OperatorListStatus>>>>
}

/** The file is not a list: most of its lines cannot be used. */
class NotAList extends Data.TaggedError("NotAList")<{
  readonly message: string
  readonly version: Files.Version
}> {}

const logRead = (variable: string, path: string, entries: number, { first, total }: SkippedRows) =>
  Effect.gen(function* () {
    // In JSON, as a path may contain a line break.
    const place = JSON.stringify(path)
    const fields = { list: variable, path, entries, skipped: total }
    if (entries === 0) yield* Effect.logWarning(`${variable}: ${place} has no entries`, fields)
    yield* Effect.logInfo(`${variable} was read: ${count(entries, "entry", "entries")} from ${place}`, fields)
    // Without the text of the lines, which may be a private URL.
    const lines = shownRows(first)
    const others = total > first.length ? ` and ${grouped(total - first.length)} others` : ""
    if (total > 0)
      yield* Effect.logWarning(
        `${variable}: ${place} has ${count(total, "line that is", "lines that are")} not used. Correct them: ${lines}${others}`,
        { ...fields, lines }
      )
  })

const MEBIBYTE = 1_048_576

const MAX_FILE_BYTES = 16 * MEBIBYTE

/** The bytes that one step of a slice reads: in the worst case, lines of one character, it takes 3 ms. */
const STEP_BYTES = 1024

const stepsOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.length / STEP_BYTES) }, (_, step) =>
    bytes.subarray(step * STEP_BYTES, (step + 1) * STEP_BYTES)
  )

/** Reads a file into a list. After a list with entries, an empty file is refused: a failed download leaves one. */
const read = (variable: string, path: string, hadEntries: boolean) =>
  Effect.gen(function* () {
    const list = new OperatorList()
    const reader = readerInto(list)
    const slices = yield* Slices.make
    let used = 0
    const { bytes, version } = yield* Files.read(path, MAX_FILE_BYTES)
    for (let at = 0; at < bytes.length; at += MEBIBYTE)
      yield* slices.map(stepsOf(bytes.subarray(at, at + MEBIBYTE)), (step) => {
        used += reader.read(step).length
      })
    used += (yield* Effect.try({
      try: () => reader.end(),
      catch: (error) => new NotAList({ message: `is not a list: ${orDefect(error).detail}`, version })
    })).length
    const { skipped } = reader
    if (skipped.total > used)
      return yield* new NotAList({
        message: `is not a list: ${grouped(used)} of ${count(used + skipped.total, "line", "lines")} can be used; ${shownRows(skipped.first)}`,
        version
      })
    const { entries } = list
    if (entries === 0 && hadEntries)
      return yield* new NotAList({
        message: "has no entries any more: restart the service if that is meant",
        version
      })
    const fetchedAt = yield* Clock.currentTimeMillis
    yield* logRead(variable, path, entries, skipped)
    return {
      version,
      list,
      status: { entries, skipped: skipped.total, firstSkipped: skipped.first, fetchedAt }
    }
  })

/** Reads the file of a variable, and yields its poll. Fails with one line if it cannot be read now; later errors are in `status`. */
const watch = Effect.fnUntraced(function* (variable: string, path: string) {
  // A file on a volume that hangs does not delay other files, and is not read twice at once.
  const inTurn = Effect.provideService(Files.FileTurn, yield* Effect.makeSemaphore(1))
  let current = yield* Effect.mapError(
    inTurn(read(variable, path, false)),
    ({ message }) => `${variable}: ${JSON.stringify(path)} ${message}`
  )
  let lastError: Option.Option<LastError> = Option.none()
  let lastRefusal: NotAList | undefined

  const failed = (error: Files.FileError | NotAList) =>
    Effect.gen(function* () {
      const { message } = error
      if (error._tag === "NotAList") lastRefusal = error
      if (Option.exists(lastError, (before) => before.message === message)) return
      lastError = Option.some({ message, at: yield* Clock.currentTimeMillis })
      yield* Effect.logWarning(
        `${variable}: ${JSON.stringify(path)} ${message}. The list stays as it was read before`,
        { list: variable, path, reason: message }
      )
    })

  const poll = Files.version(path, MAX_FILE_BYTES).pipe(
    Effect.flatMap((version) => {
      if (version === current.version) return Effect.succeed(current)
      return version === lastRefusal?.version ? lastRefusal : read(variable, path, current.status.entries > 0)
    }),
    Effect.matchEffect({
      onFailure: failed,
      onSuccess: (next) =>
        Effect.sync(() => {
          current = next
          lastError = Option.none()
        })
    }),
    inTurn
  )

  return {
    list: () => current.list,
    status: (): OperatorListStatus => ({ ...current.status, isStale: Option.isSome(lastError), lastError }),
    /** Reads the file again if it has changed. After an error, which is logged once, the list stays as it is. */
    poll
  }
})

/** The lists ALLOW_LIST and BLOCK_LIST, which overrule the checkers. */
export class OperatorLists extends Context.Tag("app/Lists/OperatorLists")<
  OperatorLists,
  OperatorListsShape
>() {
  /** Reads the files, and again when they have changed. Fails with one line if one cannot be read at the start. */
  static readonly layer: Layer.Layer<OperatorLists, InvalidConfig, AppConfig | FileSystem.FileSystem> =
    Layer.scoped(
      OperatorLists,
      Effect.gen(function* () {
        const { operatorLists } = yield* AppConfig
        const watches = Record.map(operatorLists, (path, kind) =>
          Option.map(path, (path) => watch(variables[kind], path))
        )
        const entries = yield* Effect.validateAll(
          Record.toEntries(Record.getSomes(watches)),
          ([kind, list]) => Effect.map(list, (list) => [kind, list] as const)
        ).pipe(Effect.mapError((lines) => new InvalidConfig({ message: lines.join("; ") })))
        const watched = Record.fromEntries(entries)
        const poll = Effect.forEach(entries, ([, list]) => list.poll, { discard: true })
        if (entries.length > 0)
          yield* BackgroundLoop.fork("operator_lists", Effect.zipRight(Effect.sleep(POLL_INTERVAL), poll))
        return {
          lists: Record.map(watched, ({ list }) => list),
          status: Effect.sync(() =>
            Record.map(operatorLists, (_, kind) =>
              Option.map(Record.get(watched, kind), (list) => list.status())
            )
          )
        }
      })
    )
}
