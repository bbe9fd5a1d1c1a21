import { createHash } from "node:crypto"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { Array as Arr, Effect, Option } from "effect"
import { errorCodeOf } from "../../Layers/ErrorCode.ts"
import type { HttpResponse } from "../../Layers/Server.ts"

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json"
}

/** Takes 2 ms for all pages; the highest, 11, takes 20 for results that are an eighth smaller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** The best first. `ending` is what the build adds to the name of a compressed copy. */
const codings = [
  { encoding: "br", ending: ".br", compress: (plain: Uint8Array) => brotliCompressSync(plain, BROTLI) },
  { encoding: "gzip", ending: ".gz", compress: (plain: Uint8Array) => gzipSync(plain) }
] as const

/** Whether `Accept-Encoding` names the coding with a weight above 0 (RFC 9110, 12.5.3). */
const accepts = (acceptEncoding: string, encoding: string): boolean =>
  acceptEncoding
    .toLowerCase()
    .split(",")
    .some((item) => {
      const [coding, weight = ""] = item.split(";").map((part) => part.trim())
      return coding === encoding && !/^q=0(?:\.0*)?$/.test(weight)
    })

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/**
 * Reads a file beside this module, where the build puts it, and its compressed copies; only a build has them. With `edit`,
 * which changes its text, it is compressed here. Yields the best response by the client's `Accept-Encoding`, each with an entity
 * tag of its own (RFC 9110, 8.8.3). Fails, and logs why, if the file cannot be read.
 *
 * `readFile` is synchronous, as `FileSystem` would delay the start, and has no timeout: Node has just loaded the program from the
 * same folder.
 */
export const read = (
  readFile: (path: string) => Uint8Array,
  name: string,
  headers: HttpResponse["headers"],
  edit?: (text: string) => string
) =>
  Effect.gen(function* () {
    const bytesOf = (name: string) => Effect.try(() => readFile(pathOf(name)))
    const responseWith = (body: Uint8Array, encoding?: string): HttpResponse => ({
      status: 200,
      headers: {
        ...headers,
        etag: `"${createHash("sha256").update(body).digest("base64url")}"`,
        vary: "Accept-Encoding",
        ...(encoding !== undefined && { "content-encoding": encoding }),
        "content-type": contentTypes[extname(name)] ?? "application/octet-stream"
      },
      body
    })
    const original = yield* bytesOf(name)
    const plain = edit === undefined ? original : Buffer.from(edit(Buffer.from(original).toString()))
    const compressed = yield* Effect.forEach(codings, ({ compress, encoding, ending }) =>
      Effect.map(
        edit === undefined ? Effect.option(bytesOf(`${name}${ending}`)) : Effect.succeedSome(compress(plain)),
        Option.map((bytes) => [encoding, responseWith(bytes, encoding)] as const)
      )
    )
    const byEncoding = Arr.getSomes(compressed)
    const uncompressed = responseWith(plain)
    return (acceptEncoding = ""): HttpResponse =>
      byEncoding.find(([encoding]) => accepts(acceptEncoding, encoding))?.[1] ?? uncompressed
  }).pipe(
    Effect.tapError(({ error }) =>
      Effect.annotateLogs(Effect.logError("A page cannot be read and is not served"), {
        file: pathOf(name),
        reason: errorCodeOf(error) ?? "Unknown"
      })
    )
  )

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Any text as HTML, for the content of an element and for the value of an attribute in quotes. */
const escapedHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

const BLOCK = /<!-- if (\w+) -->(.*?)<!-- end -->/gs

/**
 * Fills a page with what the service knows at its start: `{{name}}` becomes the value as escaped text, and the text between
 * `<!-- if name -->` and `<!-- end -->` stays if there is a value. Blocks do not contain others.
 *
 * `fill('<!-- if a --><a href="{{a}}">A</a><!-- end -->', {})` is `""`.
 */
export const fill = (page: string, values: Readonly<Record<string, string | undefined>>): string =>
  page
    .replace(BLOCK, (_, name: string, content: string) => (values[name] === undefined ? "" : content))
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapedHtml(values[name] ?? ""))
