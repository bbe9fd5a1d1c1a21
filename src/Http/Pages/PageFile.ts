import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import { type FileSystem, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"

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

/** Reads a file that lies beside this module, as it does in a build. One that is not there is a bug of the build. */
export const read = (fileSystem: FileSystem.FileSystem, name: string): Effect.Effect<PageFile> =>
  Effect.gen(function* () {
    const body = yield* Effect.orDie(fileSystem.readFile(fileURLToPath(new URL(name, import.meta.url))))
    const etag = `"${createHash("sha256").update(body).digest("base64url")}"`
    const [, contentType] = contentTypes.find(([ending]) => name.endsWith(ending)) ?? []
    if (contentType === undefined) return yield* Effect.dieMessage(`${name} is of no known type`)
    return { body, etag, contentType }
  })

/** Whether the browser's copy is this one, by RFC 9110, 13.1.2: proxies that compress mark the tag as weak. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)

/** The file, or 304 for a browser that has it. An update is seen at once: browsers ask each time. */
export const answer = ({ body, contentType, etag }: PageFile, headers: Readonly<Record<string, string>>) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const all = { ...headers, etag, "cache-control": "no-cache" }
    return isKnown(request.headers["if-none-match"], etag)
      ? HttpServerResponse.empty({ status: 304, headers: all })
      : HttpServerResponse.uint8Array(body, { headers: all, contentType })
  })
