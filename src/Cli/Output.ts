import type { Writable } from "node:stream"
import { Data, Effect } from "effect"

/** Nobody reads on, as after `| head`; or the disk is full. `code` is the system's word. */
export class OutputClosed extends Data.TaggedError("OutputClosed")<{ readonly code: string }> {}

/** Where results go, and where what is only for the eye goes. */
export interface Output {
  /** Ends when the text is taken, so that nobody writes faster than is read. */
  readonly write: (text: string) => Effect.Effect<void, OutputClosed>
  readonly notice: (text: string) => Effect.Effect<void>
  /** Whether `notice` is seen by somebody now. */
  readonly isWatched: boolean
  /** Whether results appear on the same terminal. */
  readonly isShared: boolean
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

export const make = (results: Stream, notices: Stream): Output => {
  // The callback of a write tells it; without a listener the process would end here.
  for (const stream of [results, notices]) stream.on("error", () => undefined)
  return {
    write: (text) => (text === "" ? Effect.void : write(results, text)),
    notice: (text) => Effect.ignore(write(notices, text)),
    isWatched: notices.isTTY === true,
    isShared: notices.isTTY === true && results.isTTY === true
  }
}
