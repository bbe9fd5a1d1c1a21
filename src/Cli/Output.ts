import type { Writable } from "node:stream"
import { Data, Effect } from "effect"

/** The reader closed the pipe, as `| head` does, or the disk is full. `code` is the system's error code. */
export class OutputClosed extends Data.TaggedError("OutputClosed")<{ readonly code: string }> {
  override get message(): string {
    return `Cannot write the results: ${this.code}`
  }
}

/** Ends the writing without an error if its reader has closed the pipe: it has all that it wanted. */
export const endIfClosed = <A, E, R>(writing: Effect.Effect<A, E | OutputClosed, R>) =>
  Effect.catchIf(
    writing,
    (error) => error instanceof OutputClosed && error.code === "EPIPE",
    () => Effect.void
  )

/** Standard output for results, standard error for notices. */
export interface Output {
  /** Completes when the text has been written, so that memory does not fill with unwritten results. */
  readonly write: (text: string) => Effect.Effect<void, OutputClosed>
  /** Never fails. */
  readonly notice: (text: string) => Effect.Effect<void>
  /** As `notice`, unless the user wants errors only. */
  readonly warn: (text: string) => Effect.Effect<void>
  /** Whether the user wants errors only. */
  readonly isQuiet: boolean
  /** Whether notices go to a terminal: only then progress is shown. */
  readonly hasProgress: boolean
  /** Whether results and notices go to a terminal, so that a progress bar must be erased before results. */
  readonly isSameTerminal: boolean
}

const write = (stream: Writable, text: string): Effect.Effect<void, OutputClosed> =>
  Effect.async((resume) => {
    stream.write(text, (error) =>
      resume(
        error === null || error === undefined
          ? Effect.void
          : new OutputClosed({ code: "code" in error ? String(error.code) : error.name })
      )
    )
  })

interface Stream extends Writable {
  readonly isTTY?: boolean
}

/** An output without warnings and progress. */
export const quiet = (output: Output): Output => ({
  ...output,
  warn: () => Effect.void,
  isQuiet: true,
  hasProgress: false
})

export const make = (results: Stream, notices: Stream): Output => {
  // `write` reports the error. Without a listener it would end the process.
  for (const stream of [results, notices]) stream.on("error", () => undefined)
  const notice = (text: string) => Effect.ignore(write(notices, text))
  return {
    write: (text) => (text === "" ? Effect.void : write(results, text)),
    notice,
    warn: notice,
    isQuiet: false,
    hasProgress: notices.isTTY === true,
    isSameTerminal: notices.isTTY === true && results.isTTY === true
  }
}
