import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, gzipSync } from "node:zlib"
import type { FileSystem } from "@effect/platform"
import type * as PlatformError from "@effect/platform/Error"
import { Array as Arr, Effect, Option } from "effect"
import type { HttpResponse } from "../../Layers/Server.ts"
import type { RequestData } from "../Route.ts"

/** A file in one content coding, with an entity tag of its own (RFC 9110, 8.8.3). */
interface Representation {
  readonly body: Uint8Array
  readonly etag: string
  /** The `Content-Encoding`; absent: not compressed. */
  readonly encoding?: string
}

/** A static file, ready to be sent. */
interface PageFile {
  readonly plain: Representation
  /** The best first. */
  readonly compressed: ReadonlyArray<Representation & { readonly encoding: string }>
  readonly contentType: string
}

const contentTypes = [
  [".html", "text/html; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".webmanifest", "application/manifest+json"]
] as const

/** `ending` is what the build adds to the name of a compressed copy. */
const codings = [
  { encoding: "br", ending: ".br", compress: (plain: Uint8Array) => brotliCompressSync(plain) },
  { encoding: "gzip", ending: ".gz", compress: (plain: Uint8Array) => gzipSync(plain) }
] as const

const representationOf = (body: Uint8Array): Representation => ({
  body,
  etag: `"${createHash("sha256").update(body).digest("base64url")}"`
})

/**
 * Reads a file beside this module, where the build puts it, and its compressed copies; only a build has them. With `edit`,
 * which changes its text, it is compressed here. Fails, and logs why, if the file cannot be read.
 */
export const read = (
  fileSystem: FileSystem.FileSystem,
  name: string,
  edit?: (text: string) => string
): Effect.Effect<PageFile, PlatformError.PlatformError> =>
  Effect.gen(function* () {
    const bytesOf = (name: string) => fileSystem.readFile(fileURLToPath(new URL(name, import.meta.url)))
    const body = yield* bytesOf(name)
    const [, contentType] = contentTypes.find(([ending]) => name.endsWith(ending)) ?? []
    if (contentType === undefined) return yield* Effect.dieMessage(`${name} has an unknown file type`)
    const plain = edit === undefined ? body : Buffer.from(edit(Buffer.from(body).toString()))
    const compressed = yield* Effect.forEach(codings, ({ compress, encoding, ending }) =>
      Effect.map(
        edit === undefined ? Effect.option(bytesOf(`${name}${ending}`)) : Effect.succeedSome(compress(plain)),
        Option.map((bytes) => ({ ...representationOf(bytes), encoding }))
      )
    )
    return { plain: representationOf(plain), compressed: Arr.getSomes(compressed), contentType }
  }).pipe(
    Effect.tapError(({ message }) =>
      Effect.annotateLogs(Effect.logError("A page cannot be read and is not served"), {
        name,
        reason: message
      })
    )
  )

/** `gzip;q=0.5` is `["gzip", 0.5]`. A weight that is no number is `NaN`. */
const weightOf = (item: string): readonly [coding: string, weight: number] => {
  const [coding = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith("q="))
  return [coding, weight === undefined ? 1 : Number(weight.slice("q=".length))]
}

/** The best representation that `Accept-Encoding` allows (RFC 9110, 12.5.3). Without the header it is the plain one. */
const chooseRepresentation = (
  { plain, compressed }: PageFile,
  acceptEncoding: string | undefined
): Representation => {
  if (acceptEncoding === undefined) return plain
  const weights = new Map(acceptEncoding.split(",").map(weightOf))
  return compressed.find(({ encoding }) => (weights.get(encoding) ?? weights.get("*") ?? 0) > 0) ?? plain
}

/** The best representation for the client. `headers` are added to those of the file. */
export const responseTo = (
  { headers: { "accept-encoding": acceptEncoding } }: RequestData,
  file: PageFile,
  headers: Readonly<Record<string, string>>
): HttpResponse => {
  const { body, encoding, etag } = chooseRepresentation(file, acceptEncoding)
  return {
    status: 200,
    headers: {
      ...headers,
      etag,
      vary: "Accept-Encoding",
      ...(encoding !== undefined && { "content-encoding": encoding }),
      "content-type": file.contentType
    },
    body
  }
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
