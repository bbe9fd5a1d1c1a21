import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { ListError } from "../ListError.ts"

const CHUNK_BYTES = 65_536

/** Returns at once for a pipe without a writer, which a plain `open` would wait for. Windows has no such flag. */
const READ_WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK

/** Changes with the content. A file that is replaced within one tick of the disk's clock has another inode. */
const versionOf = (file: number): string => {
  const stat = fstatSync(file, { bigint: true })
  if (!stat.isFile()) throw new ListError("Unreachable", "NotAFile")
  return `${stat.mtimeNs}-${stat.ino}-${stat.size}`
}

/** Fails with `Corrupt` when the file has another version at its end: then its beginning may be of the one before. */
async function* chunksOf(file: number, version: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (;;) {
    // Closed, although a decompressor still reads: another file may have this number.
    if (signal.aborted) return
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    const bytesRead = readSync(file, buffer)
    if (bytesRead === 0) break
    yield buffer.subarray(0, bytesRead)
  }
  if (versionOf(file) !== version) throw new ListError("Corrupt", "changed while it was read")
}

/**
 * Opens a regular file of this machine as the response to a request; pipes and devices are refused without waiting for them. Its
 * version is the ETag. Throws the error of the system or a `ListError`, as does the body. `signal` closes the file.
 *
 * Each call blocks this thread: on a disk that does not respond, it occupies none of those on which Node looks up names.
 */
export const respond = async (
  url: string,
  { headers, signal }: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal }
) => {
  const file = openSync(fileURLToPath(url), READ_WITHOUT_WAITING)
  signal.addEventListener("abort", () => closeSync(file))
  const etag = versionOf(file)
  return {
    status: headers["if-none-match"] === etag ? 304 : 200,
    headers: { etag },
    body: chunksOf(file, etag, signal)
  }
}
