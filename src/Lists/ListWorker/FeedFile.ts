import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { ListError } from "../ListError.ts"
import * as Body from "./Body.ts"
import type { Download } from "./Download.ts"
import type { DocumentRequest } from "./Messages.ts"

const CHUNK_BYTES = 65_536

/** Returns at once for a pipe without a writer, which a plain `open` would wait for. Windows has no such flag. */
const READ_WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK

/** Changes with the content. A file that is replaced within one tick of the disk's clock has another inode. */
const versionOf = (file: number, maxBytes: number): string => {
  const stat = fstatSync(file, { bigint: true })
  if (!stat.isFile()) throw new ListError("Unreachable", "NotAFile")
  if (stat.size > maxBytes) throw new ListError("TooLarge")
  return `${stat.mtimeNs}-${stat.ino}-${stat.size}`
}

/** Fails with `Corrupt` when the file has another version at its end: then its beginning may be of the one before. */
async function* chunksOf(
  file: number,
  version: string,
  maxBytes: number,
  signal: AbortSignal
): AsyncGenerator<Uint8Array> {
  for (;;) {
    // Closed, although a decompressor still reads: another file may have this number.
    if (signal.aborted) return
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    const bytesRead = readSync(file, buffer)
    if (bytesRead === 0) break
    yield buffer.subarray(0, bytesRead)
  }
  if (versionOf(file, maxBytes) !== version) throw new ListError("Corrupt", "changed while it was read")
}

const opened = (url: string): number => {
  try {
    return openSync(fileURLToPath(url), READ_WITHOUT_WAITING)
  } catch (error) {
    throw Body.fromConnection(error)
  }
}

/**
 * Opens the document in a regular file of at most `maxBodyBytes`; pipes and devices are refused without waiting for them. Its
 * version takes the place of an ETag. Throws a `ListError` that contains nothing of the path, as does the body. `signal`
 * closes the file.
 *
 * Each call blocks this thread: on a disk that does not respond, it occupies none of those on which Node looks up names.
 */
export const read = ({ url, headers, limits }: DocumentRequest, signal: AbortSignal): Download => {
  const file = opened(url)
  signal.addEventListener("abort", () => closeSync(file))
  const { maxBodyBytes } = limits
  const version = versionOf(file, maxBodyBytes)
  if (headers["if-none-match"] === version) return { _tag: "NotModified" }
  const received = Body.receive(chunksOf(file, version, maxBodyBytes, signal), limits)
  return {
    _tag: "Document",
    body: Body.decode(received, maxBodyBytes),
    validators: { etag: version, lastModified: undefined }
  }
}
