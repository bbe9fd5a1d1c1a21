import type { Writable } from "node:stream"
import { Duration, Effect } from "effect"

/**
 * The maximum of text that is buffered for a slow reader: 1 MiB. Streams count strings in characters; log lines are almost all
 * ASCII, where a character is a byte.
 */
export const MAX_BUFFERED_CHARACTERS = 1_048_576

/** How long the process waits for a slow reader before it exits. */
const FLUSH_TIMEOUT = Duration.seconds(1)

/** Standard output or standard error. `_handle` is not in the public API of Node; a file has none. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean
  /** Only of a terminal. Heeds NO_COLOR and TERM. */
  readonly hasColors?: () => boolean
  readonly _handle?: { readonly setBlocking?: (isBlocking: boolean) => unknown }
}

export interface LogOutput {
  /** Writes whole lines, or drops them if the buffer is full. Blocks only if the stream is a file. */
  readonly write: (lines: string) => void
  /** Waits, for at most a second, until all earlier lines are written or have failed. */
  readonly flush: Effect.Effect<void>
}

/**
 * Writes log lines to a stream of the process. Drops lines while its reader is too slow, so that the buffer is bounded, and
 * after its reader has closed the pipe (EPIPE), so that the process does not end. Calls `onDrop` for each write that is lost.
 *
 * Node buffers writes to a pipe or a socket without limit, and writes to files and terminals synchronously
 * (https://nodejs.org/api/process.html#a-note-on-process-io). A write to a terminal blocks while nothing reads it, for example
 * after Ctrl-S, so terminals are made asynchronous. Node opens the terminal again for itself: other programs are not affected.
 */
export const make = (stream: OutputStream, onDrop = (): void => undefined): LogOutput => {
  // Without a listener an error would end the process. The callback of each write gets it too.
  stream.on("error", () => undefined)
  if (stream.isTTY === true) stream._handle?.setBlocking?.(false)
  const onWritten = (error: Error | null | undefined) => {
    if (error !== null && error !== undefined) onDrop()
  }
  return {
    write: (lines) => {
      if (stream.writableLength + lines.length > MAX_BUFFERED_CHARACTERS) onDrop()
      else stream.write(lines, onWritten)
    },
    flush: Effect.async<void>((resume) => {
      stream.write("", () => resume(Effect.void))
    }).pipe(Effect.interruptible, Effect.timeoutOption(FLUSH_TIMEOUT), Effect.asVoid)
  }
}
