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
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json"
}

/** The highest, 11, takes ten times as long for results that are an eighth smaller. */
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

/** Synchronous, as `FileSystem` would delay the start, and has no timeout: Node has just loaded the program from the same folder. */
type ReadFile = (path: string) => Uint8Array

/** Responds to a request with this `Accept-Encoding`. */
type Respond = (acceptEncoding?: string) => HttpResponse

/** Makes each form of a file once, when it is first needed; each has an entity tag of its own (RFC 9110, 8.8.3). */
const responses = (
  name: string,
  headers: HttpResponse["headers"],
  plain: Uint8Array,
  compressed: ReadonlyArray<{ readonly encoding: string; readonly bytes: () => Uint8Array }>
): Respond => {
  const made = new Map<string, HttpResponse>()
  const make = (encoding: string, body: Uint8Array): HttpResponse => ({
    status: 200,
    headers: {
      vary: "Accept-Encoding",
      ...headers,
      etag: `"${createHash("sha256").update(body).digest("base64url")}"`,
      ...(encoding !== "" && { "content-encoding": encoding }),
      "content-type": contentTypes[extname(name)] ?? "application/octet-stream"
    },
    body
  })
  return (acceptEncoding = "") => {
    const best = compressed.find(({ encoding }) => accepts(acceptEncoding, encoding))
    const encoding = best?.encoding ?? ""
    const response = made.get(encoding) ?? make(encoding, best?.bytes() ?? plain)
    made.set(encoding, response)
    return response
  }
}

const bytesOf = (readFile: ReadFile, name: string) => Effect.try(() => readFile(pathOf(name)))

const logged =
  (name: string) =>
  <A, E extends { readonly error: unknown }>(reading: Effect.Effect<A, E>) =>
    Effect.tapError(reading, ({ error }) =>
      Effect.annotateLogs(Effect.logError("A page cannot be read and is not served"), {
        file: pathOf(name),
        reason: errorCodeOf(error) ?? "Unknown"
      })
    )

/**
 * Reads a file beside this module, where the build puts it, and its compressed copies; only a build has them. Fails, and logs
 * why, if the file cannot be read.
 */
export const read = (readFile: ReadFile, name: string, headers: HttpResponse["headers"]) =>
  Effect.gen(function* () {
    const plain = yield* bytesOf(readFile, name)
    const compressed = yield* Effect.forEach(codings, ({ encoding, ending }) =>
      Effect.map(
        Effect.option(bytesOf(readFile, `${name}${ending}`)),
        Option.map((bytes) => ({ encoding, bytes: () => bytes }))
      )
    )
    return responses(name, headers, plain, Arr.getSomes(compressed))
  }).pipe(logged(name))

/** Reads a file that `fill` takes. Fails, and logs why, if it cannot be read. */
export const text = (readFile: ReadFile, name: string) =>
  Effect.map(bytesOf(readFile, name), (bytes) => Buffer.from(bytes).toString()).pipe(logged(name))

/** The responses with a text, which is compressed when it is first asked for. */
export const ofText = (name: string, headers: HttpResponse["headers"], text: string): Respond => {
  const plain = Buffer.from(text)
  return responses(
    name,
    headers,
    plain,
    codings.map(({ compress, encoding }) => ({ encoding, bytes: () => compress(plain) }))
  )
}

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
