/**
 * The weights as a file: a magic number, the format's version, the length of a header in JSON, the header, the sections in
 * the order of `sections`, each padded to four bytes, and the SHA-256 of all that. Numbers are little-endian.
 */

import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { Data, Effect, Either, Option, Schema } from "effect"
import type { Model } from "../Model.ts"
import * as LetterRuns from "./ModelFeatures/LetterRuns.ts"
import * as ModelFeatures from "./ModelFeatures.ts"
import * as ModelTables from "./ModelTables.ts"
import * as TreeScorer from "./TreeScorer.ts"

/** Why there is no model. The service does not start without: it would answer "safe" where it should warn. */
export class ModelFileError extends Data.TaggedError("ModelFileError")<{
  /** `Unreadable`: no such file, or no right to read it. `Damaged`: the hash differs. `OtherVersion`: made for other code. */
  readonly reason: "Unreadable" | "Damaged" | "OtherVersion"
  readonly file: string
}> {
  override get message(): string {
    const why = {
      Unreadable: "cannot be read",
      Damaged: "are damaged",
      OtherVersion: "were made for another version of this program"
    }
    return `The weights of the heuristics ${why[this.reason]}: ${this.file}`
  }
}

const MAGIC = 0x4d535455
/** Rises with every change of the format, or of what hashes and features mean. */
const VERSION = 3
const PREFIX = 12
const HASH_BYTES = 32

const Header = Schema.parseJson(
  Schema.Struct({
    /** What the training data were, for people. */
    trainedOn: Schema.String,
    features: Schema.Array(Schema.String),
    tables: Schema.Array(Schema.Struct({ bits: Schema.Int, scale: Schema.Number, bias: Schema.Number })),
    trees: Schema.Int,
    nodes: Schema.Int,
    bias: Schema.Number,
    thresholds: Schema.Struct({
      suspicious: Schema.Number,
      likely: Schema.Number,
      phishing: Schema.Number
    })
  })
)

const padded = (bytes: number): number => Math.ceil(bytes / 4) * 4

/** The same model gives the same bytes. */
export const encode = (model: Model): Uint8Array => {
  const { tables, trees } = model
  const header = Buffer.from(
    Schema.encodeSync(Header)({
      trainedOn: model.trainedOn,
      features: ModelFeatures.names,
      tables: tables.map(({ scale, bias }, table) => ({
        bits: ModelTables.tables[table]?.bits ?? 0,
        scale,
        bias
      })),
      trees: trees.roots.length,
      nodes: trees.nodes.length,
      bias: trees.bias,
      thresholds: model.thresholds
    })
  )
  const sections = [
    ...tables.map(({ weights }) => weights),
    model.costs,
    trees.roots,
    trees.nodes,
    trees.numbers
  ]
  const prefix = Buffer.alloc(PREFIX)
  prefix.writeUInt32LE(MAGIC, 0)
  prefix.writeUInt32LE(VERSION, 4)
  prefix.writeUInt32LE(header.length, 8)
  const parts: Array<Uint8Array> = [prefix, header, Buffer.alloc(padded(header.length) - header.length)]
  for (const section of sections) {
    parts.push(new Uint8Array(section.buffer, section.byteOffset, section.byteLength))
    parts.push(Buffer.alloc(padded(section.byteLength) - section.byteLength))
  }
  const content = Buffer.concat(parts)
  return Buffer.concat([content, createHash("sha256").update(content).digest()])
}

export const decode = (bytes: Uint8Array, file: string): Either.Either<Model, ModelFileError> => {
  const fail = (reason: ModelFileError["reason"]) => Either.left(new ModelFileError({ reason, file }))
  const end = bytes.length - HASH_BYTES
  if (end < PREFIX) return fail("Damaged")
  const hash = createHash("sha256").update(bytes.subarray(0, end)).digest()
  if (!hash.equals(bytes.subarray(end))) return fail("Damaged")
  // Typed arrays must begin at a multiple of their element's size; a file's bytes may lie anywhere.
  const content = new Uint8Array(bytes.subarray(0, end))
  const view = new DataView(content.buffer)
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== VERSION) return fail("OtherVersion")
  const headerLength = view.getUint32(8, true)
  const decoded = Schema.decodeUnknownOption(Header)(
    Buffer.from(content.buffer, PREFIX, headerLength).toString("utf8")
  )
  if (Option.isNone(decoded)) return fail("OtherVersion")
  const header = decoded.value
  if (
    header.features.join() !== ModelFeatures.names.join() ||
    header.tables.map(({ bits }) => bits).join() !== ModelTables.tables.map(({ bits }) => bits).join()
  )
    return fail("OtherVersion")
  let next = PREFIX + padded(headerLength)
  const place = (length: number, elementBytes: number): number => {
    const start = next
    next += padded(length * elementBytes)
    return start
  }
  const { buffer } = content
  const [urls, hosts, rests, tokens] = header.tables.map(({ bits, scale, bias }) => ({
    weights: new Int8Array(buffer, place(1 << bits, 1), 1 << bits),
    scale,
    bias
  }))
  if (urls === undefined || hosts === undefined || rests === undefined || tokens === undefined)
    return fail("OtherVersion")
  const costs = new Uint8Array(buffer, place(LetterRuns.TABLE_SIZE, 1), LetterRuns.TABLE_SIZE)
  const trees = {
    roots: new Int32Array(buffer, place(header.trees, 4), header.trees),
    nodes: new Int32Array(buffer, place(header.nodes, 4), header.nodes),
    numbers: new Float32Array(buffer, place(header.nodes, 4), header.nodes),
    bias: header.bias
  }
  return Either.right({
    trainedOn: header.trainedOn,
    tables: [urls, hosts, rests, tokens],
    costs,
    trees,
    scorer: TreeScorer.of(trees, ModelFeatures.COUNT),
    thresholds: header.thresholds
  })
}

/** The file stands beside this program: in the sources here, in a build beside main.js (scripts/build.js copies it). */
export const shipped = new URL("./model.bin", import.meta.url)

export const load = (file: URL): Effect.Effect<Model, ModelFileError> =>
  Effect.tryPromise({
    try: () => readFile(file),
    catch: () => new ModelFileError({ reason: "Unreadable", file: file.pathname })
  }).pipe(Effect.flatMap((bytes) => decode(bytes, file.pathname)))
