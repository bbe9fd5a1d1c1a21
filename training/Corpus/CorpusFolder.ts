/**
 * The corpus on disk: a folder of gzipped TSV files. Each collection adds files, and none is changed. Its rows must not be
 * published: see training/README.md.
 */

import { link, mkdir, open, readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { createGunzip, gzipSync } from "node:zlib"
import { Clock, Data, Effect, Option } from "effect"
import * as Days from "./Days.ts"
import * as LabelledUrl from "./LabelledUrl.ts"

/** The corpus cannot be read or added to. */
export class CorpusError extends Data.TaggedError("CorpusError")<{
  readonly reason: "Unreadable" | "Unwritable" | "NoRows" | "NoDates"
  readonly path: string
  /** The system's error code. */
  readonly code: string
}> {
  override get message(): string {
    const what = {
      Unreadable: `cannot be read (${this.code})`,
      Unwritable: `cannot be written (${this.code})`,
      NoRows: "has no rows of both classes",
      NoDates: "has no row of phishing with a date"
    }
    return `${this.path} ${what[this.reason]}`
  }
}

interface ReadRows {
  readonly rows: ReadonlyArray<LabelledUrl.LabelledUrl>
  /** Lines that are no rows. */
  readonly damaged: number
  /** Files that end, or are damaged, inside their compressed data. The rows before that are read. */
  readonly cutOff: ReadonlyArray<string>
}

export interface Corpus extends ReadRows {
  /** The list of login pages. */
  readonly logins: ReadonlyArray<LabelledUrl.LabelledUrl>
}

/** The list of login pages, which are rows of their own and have a fifth column. */
const LOGINS_FILE = "brand_login_benign.tsv.gz"

const ENDING = ".tsv.gz"

/** Rows of other files, chosen for their shape. The corpus chooses such rows itself: see `MatchedShape`. */
const MATCHED_ENDING = "_matched.tsv.gz"

/** Whether a file of the folder has rows of the corpus. */
const hasRows = (name: string): boolean =>
  name.endsWith(ENDING) && !name.endsWith(MATCHED_ENDING) && name !== LOGINS_FILE

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error)

const failure = (reason: CorpusError["reason"], path: string) => (error: unknown) =>
  new CorpusError({ reason, path, code: codeOf(error) })

const readLines = (bytes: Uint8Array, lastDay: string) =>
  Effect.async<{
    readonly rows: Array<LabelledUrl.LabelledUrl>
    readonly damaged: number
    readonly isCutOff: boolean
  }>((resume) => {
    const rows: Array<LabelledUrl.LabelledUrl> = []
    let damaged = 0
    const decoder = new TextDecoder()
    let partial = ""
    const take = (lines: ReadonlyArray<string>) => {
      for (const line of lines) {
        const row = line === "" ? undefined : LabelledUrl.parseLine(line, lastDay)
        if (row !== undefined) rows.push(row)
        else if (line !== "") damaged++
      }
    }
    const gunzip = createGunzip()
    gunzip.on("data", (chunk: Uint8Array) => {
      const lines = (partial + decoder.decode(chunk, { stream: true })).split("\n")
      partial = lines.pop() ?? ""
      take(lines)
    })
    // What follows the last whole line of a file that is cut off may be half a row.
    gunzip.on("error", () => resume(Effect.succeed({ rows, damaged, isCutOff: true })))
    gunzip.on("end", () => {
      take([partial])
      resume(Effect.succeed({ rows, damaged, isCutOff: false }))
    })
    gunzip.end(bytes)
  })

/** Reads the rows of one file, in its order. Rows dated after tomorrow are damaged. Fails only if there is no such file. */
export const readRows = (file: string): Effect.Effect<ReadRows, CorpusError> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const bytes = yield* Effect.tryPromise({
      try: () => readFile(file),
      catch: failure("Unreadable", file)
    })
    const { rows, damaged, isCutOff } = yield* readLines(bytes, Days.addDays(Days.dayOf(now), 1))
    return { rows, damaged, cutOff: isCutOff ? [file] : [] }
  })

const none: ReadRows = { rows: [], damaged: 0, cutOff: [] }

/** Reads all rows of a folder, by the names of the files. Fails if it cannot be listed or a file cannot be opened. */
export const read = (folder: string): Effect.Effect<Corpus, CorpusError> =>
  Effect.gen(function* () {
    const entries = yield* Effect.tryPromise({
      try: () => readdir(folder, { withFileTypes: true }),
      catch: failure("Unreadable", folder)
    })
    // To open a named pipe would wait without end.
    const names = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name)
    const files = yield* Effect.forEach(names.filter(hasRows).sort(), (name) => readRows(join(folder, name)))
    const logins = names.includes(LOGINS_FILE) ? yield* readRows(join(folder, LOGINS_FILE)) : none
    const all = [...files, logins]
    return {
      rows: files.flatMap(({ rows }) => rows),
      logins: logins.rows,
      damaged: all.reduce((sum, { damaged }) => sum + damaged, 0),
      cutOff: all.flatMap(({ cutOff }) => cutOff)
    }
  })

/** Writes a file that did not exist: whole, or not at all, even if the machine stops. */
const writeNew = async (file: string, bytes: Uint8Array): Promise<void> => {
  const unfinished = `${file}.tmp-${process.pid}`
  try {
    const handle = await open(unfinished, "w", 0o600)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    // Unlike a rename it fails if another collection has made the file in the meantime.
    await link(unfinished, file)
  } finally {
    await rm(unfinished, { force: true })
  }
}

const write = (file: string, bytes: Uint8Array): Effect.Effect<void, CorpusError> =>
  Effect.tryPromise({ try: () => writeNew(file, bytes), catch: failure("Unwritable", file) })

/** Writes `collected-2026-12-02.tsv.gz`, or `collected-2026-12-02-2.tsv.gz` if there is that, and returns the name. */
const writeNext = (
  folder: string,
  name: string,
  ending: string,
  lines: ReadonlyArray<string>
): Effect.Effect<string, CorpusError> => {
  const bytes = gzipSync(lines.map((line) => `${line}\n`).join(""))
  const next = (count: number): Effect.Effect<string, CorpusError> => {
    const file = `${name}${count === 1 ? "" : `-${count}`}${ending}`
    return write(join(folder, file), bytes).pipe(
      Effect.as(file),
      Effect.catchIf(
        ({ code }) => code === "EEXIST",
        () => next(count + 1)
      )
    )
  }
  return next(1)
}

/**
 * Adds what a collection brought to a folder, in a file of its own. Makes the folder if there is none. Returns the name of the
 * file. None: there were no rows.
 */
export const append = (
  folder: string,
  rows: ReadonlyArray<LabelledUrl.LabelledUrl>
): Effect.Effect<Option.Option<string>, CorpusError> =>
  Effect.gen(function* () {
    const day = Days.dayOf(yield* Clock.currentTimeMillis)
    yield* Effect.tryPromise({
      try: () => mkdir(folder, { recursive: true }),
      catch: failure("Unwritable", folder)
    })
    return rows.length === 0
      ? Option.none()
      : Option.some(yield* writeNext(folder, `collected-${day}`, ENDING, rows.map(LabelledUrl.formatLine)))
  })
