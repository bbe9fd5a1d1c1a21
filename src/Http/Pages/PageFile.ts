import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { fileURLToPath } from "node:url"
import type { FileSystem } from "@effect/platform"
import type * as PlatformError from "@effect/platform/Error"
import { Effect } from "effect"
import type { HttpResponse } from "../../Layers/Server.ts"

/** Something that a browser shows or runs, ready to be sent. */
export interface PageFile {
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
    if (contentType === undefined) return yield* Effect.dieMessage(`${name} is of no known type`)
    return { body, etag, contentType }
  }).pipe(
    Effect.tapError(({ message }) =>
      Effect.annotateLogs(Effect.logError("A page cannot be read and is not served"), {
        name,
        reason: message
      })
    )
  )

/** Whether the browser's copy is this one, by RFC 9110, 13.1.2: proxies that compress mark the tag as weak. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)

/** The file, or 304 if the browser has it. `no-cache`: browsers ask each time, so an update shows at once. */
export const responseTo = (
  request: IncomingMessage,
  { body, contentType, etag }: PageFile,
  headers: Readonly<Record<string, string>>
): HttpResponse => {
  const all = { ...headers, etag, "cache-control": "no-cache" }
  return isKnown(request.headers["if-none-match"], etag)
    ? { status: 304, headers: all, body: "" }
    : {
        status: 200,
        headers: { ...all, "content-type": contentType, "content-length": String(body.length) },
        body
      }
}
