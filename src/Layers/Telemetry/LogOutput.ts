import type { Writable } from "node:stream"
import { Duration, Effect } from "effect"

/**
 * Text that may wait for a slow reader. Counted in characters, as streams count strings: log lines are almost all ASCII, where
 * a character is a byte.
 */
export const MAX_BUFFERED_CHARACTERS = 1_048_576

/** How long the end of the process waits for a reader. */
const FLUSH_TIMEOUT = Duration.seconds(1)

/** Standard output or standard error. A terminal has a handle, for which Node has no public name. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean
  readonly _handle?: { readonly setBlocking?: (isBlocking: boolean) => unknown }
}

export interface LogOutput {
  /** Writes whole lines, or drops them if the buffer is full. Never waits, except for a disk. */
  readonly write: (lines: string) => void
  /** Waits until what was written before has left the process or cannot be written, for at most a second. */
  readonly flush: Effect.Effect<void>
}

interface Listeners {
  /** Lines were not written: the buffer is full, the reader has gone, or the disk is full. */
  readonly onDrop: () => void
  /** Lines can be written again. */
  readonly onRecovery: () => void
}

const ignore: Listeners = { onDrop: () => undefined, onRecovery: () => undefined }

/**
 * Writes to a stream of the process without trust in its reader. One that reads nothing costs at most a full buffer; one that
 * closes the pipe (EPIPE) costs the lines, not the process.
 *
 * Node buffers writes to a pipe or a socket without limit, and writes to files and terminals synchronously
 * (https://nodejs.org/api/process.html#a-note-on-process-io). A file does not wait for a reader, a terminal does (Ctrl-S, or
 * what reads a container's terminal): it is made asynchronous. Node opens a terminal anew, so other programs are not affected.
 */
export const make = (stream: OutputStream, { onDrop, onRecovery }: Listeners = ignore): LogOutput => {
  let isDropping = false
  const drop = () => {
    isDropping = true
    onDrop()
  }
  // Without a listener an error would end the process. The callback of each write gets it too.
  stream.on("error", () => undefined)
  if (stream.isTTY === true) stream._handle?.setBlocking?.(false)

  const onWritten = (error: Error | null | undefined) => {
    if (error !== null && error !== undefined) return drop()
    if (!isDropping || stream.writableLength > 0) return
    isDropping = false
    onRecovery()
  }

  return {
    write: (lines) => {
      if (stream.writableLength + lines.length > MAX_BUFFERED_CHARACTERS) drop()
      else stream.write(lines, onWritten)
    },
    flush: Effect.async<void>((resume) => {
      stream.write("", () => resume(Effect.void))
    }).pipe(Effect.interruptible, Effect.timeoutOption(FLUSH_TIMEOUT), Effect.asVoid)
  }
}
