import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import * as Body from "../../ListWorker/Body.ts"
import * as ConnectionError from "../../ListWorker/ConnectionError.ts"
import type { Download } from "../../ListWorker/Download.ts"
import type { DocumentRequest } from "../../ListWorker/Messages.ts"
import { ThrownListError } from "../../ListWorker/ThrownListError.ts"
import * as FeedDocument from "./FeedDocument.ts"

const CHUNK_BYTES = 65_536

/** Returns at once for a pipe without a writer, which a plain `open` would wait for. Windows has no such flag. */
const READ_WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK

/** Changes with the content. A file that is replaced within one tick of the disk's clock has another inode. */
const versionOf = async (file: FileHandle, maxBytes: number): Promise<string> => {
  const stat = await file.stat({ bigint: true })
  if (!stat.isFile()) throw new ThrownListError("Unreachable", "NotAFile")
  if (stat.size > maxBytes) throw new ThrownListError("TooLarge")
  return `${stat.mtimeNs}-${stat.ino}-${stat.size}`
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** Fails with `Corrupt` when the file has another version at its end: then its beginning may be of the one before. */
async function* limitToVersion(
  body: Body.Body,
  version: string,
  versionNow: () => Promise<string>
): AsyncGenerator<Uint8Array> {
  yield* body
  if ((await versionNow()) !== version) throw new ThrownListError("Corrupt", "changed while it was read")
}

/**
 * Opens the document in a regular file of at most `maxBodyBytes`; pipes and devices are refused without waiting for them. Its
 * version takes the place of an ETag. Throws a `ThrownListError` that contains nothing of the path, as does the body. `signal`
 * closes the file.
 */
export const read = async (
  { url, headers, limits }: DocumentRequest,
  signal: AbortSignal
): Promise<Download> => {
  const file = await open(fileURLToPath(url), READ_WITHOUT_WAITING).catch((error) =>
    Promise.reject(ConnectionError.fromConnection(error))
  )
  signal.addEventListener("abort", () => void file.close().catch(() => undefined))
  const versionNow = () => versionOf(file, limits.maxBodyBytes)
  const version = await versionNow()
  if (headers["if-none-match"] === version) return { _tag: "NotModified" }
  const received = Body.receive(chunksOf(file), undefined, limits)
  return {
    _tag: "Document",
    body: FeedDocument.decode(limitToVersion(received, version, versionNow), limits.maxBodyBytes),
    validators: { etag: version, lastModified: undefined }
  }
}
