import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { fileURLToPath } from "node:url"
import type { FileSystem } from "@effect/platform"
import type * as PlatformError from "@effect/platform/Error"
import { Effect } from "effect"
import type { HttpResponse } from "../../Layers/Server.ts"

/** A static file, ready to be sent. */
interface PageFile {
  readonly body: Uint8Array
  readonly etag: string
  readonly contentType: string
}

const contentTypes = [
  [".html", "text/html; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".svg", "image/svg+xml"]
] as const

/** Reads a file beside this module, where the build puts it. Fails, and logs why, if it cannot be read. */
export const read = (
  fileSystem: FileSystem.FileSystem,
  name: string
): Effect.Effect<PageFile, PlatformError.PlatformError> =>
  Effect.gen(function* () {
    const body = yield* fileSystem.readFile(fileURLToPath(new URL(name, import.meta.url)))
    const etag = `"${createHash("sha256").update(body).digest("base64url")}"`
    const [, contentType] = contentTypes.find(([ending]) => name.endsWith(ending)) ?? []
    if (contentType === undefined) return yield* Effect.dieMessage(`${name} has an unknown file type`)
    return { body, etag, contentType }
  }).pipe(
    Effect.tapError(({ message }) =>
      Effect.annotateLogs(Effect.logError("A page cannot be read and is not served"), {
        name,
        reason: message
      })
    )
  )

/** Compares entity tags as in RFC 9110, 13.1.2, weak ones too: proxies that compress make them weak. */
const matches = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)

/** The file, or 304 if the browser has it. `no-cache`: browsers ask each time, so an update shows at once. */
export const responseTo = (
  request: IncomingMessage,
  { body, contentType, etag }: PageFile,
  headers: Readonly<Record<string, string>>
): HttpResponse => {
  const all = { ...headers, etag, "cache-control": "no-cache" }
  return matches(request.headers["if-none-match"], etag)
    ? { status: 304, headers: all, body: "" }
    : {
        status: 200,
        headers: { ...all, "content-type": contentType, "content-length": String(body.length) },
        body
      }
}
