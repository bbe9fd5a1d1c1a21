/**
 * The weights file: a magic number, the format's version, the length of the header, the header in JSON, the sections in the
 * order of `encode`, each padded to four bytes, and the SHA-256 of all before it. Numbers are little-endian.
 */

import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { Data, Effect, Either, Option, Schema } from "effect"
import * as Model from "../Model.ts"
import * as LetterRuns from "./ModelFeatures/LetterRuns.ts"
import * as ModelFeatures from "./ModelFeatures.ts"
import * as ModelTables from "./ModelTables.ts"

/** The weights file cannot be used. The service must not start: without the model it would answer "safe" too often. */
export class ModelFileError extends Data.TaggedError("ModelFileError")<{
  /** `Unreadable`: no such file, or no permission. `Damaged`: the hash differs. `OtherVersion`: made for other code. */
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
/** Increment it with every change of the format, the hashes or the features. */
const VERSION = 3
const PREFIX_BYTES = 12
const HASH_BYTES = 32

const Header = Schema.parseJson(
  Schema.Struct({
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

/** The file of a model. The same weights give the same bytes. */
export const encode = (model: Model.ModelWeights): Uint8Array => {
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
  const prefix = Buffer.alloc(PREFIX_BYTES)
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

/** The model of a file's bytes. `file` is its path, for the error. */
export const decode = (bytes: Uint8Array, file: string): Either.Either<Model.Model, ModelFileError> => {
  const fail = (reason: ModelFileError["reason"]) => Either.left(new ModelFileError({ reason, file }))
  const end = bytes.length - HASH_BYTES
  if (end < PREFIX_BYTES) return fail("Damaged")
  const hash = createHash("sha256").update(bytes.subarray(0, end)).digest()
  if (!hash.equals(bytes.subarray(end))) return fail("Damaged")
  // A copy is aligned: typed arrays must begin at a multiple of their element size.
  const content = new Uint8Array(bytes.subarray(0, end))
  const view = new DataView(content.buffer)
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== VERSION) return fail("OtherVersion")
  const headerLength = view.getUint32(8, true)
  const decoded = Schema.decodeUnknownOption(Header)(
    Buffer.from(content.buffer, PREFIX_BYTES, headerLength).toString("utf8")
  )
  if (Option.isNone(decoded)) return fail("OtherVersion")
  const header = decoded.value
  if (
    header.features.join() !== ModelFeatures.names.join() ||
    header.tables.map(({ bits }) => bits).join() !== ModelTables.tables.map(({ bits }) => bits).join()
  )
    return fail("OtherVersion")
  let next = PREFIX_BYTES + padded(headerLength)
  const takeSection = (length: number, elementBytes: number): number => {
    const start = next
    next += padded(length * elementBytes)
    return start
  }
  const { buffer } = content
  const [urls, hosts, paths, tokens] = header.tables.map(({ bits, scale, bias }) => ({
    weights: new Int8Array(buffer, takeSection(1 << bits, 1), 1 << bits),
    scale,
    bias
  }))
  if (urls === undefined || hosts === undefined || paths === undefined || tokens === undefined)
    return fail("OtherVersion")
  const costs = new Uint8Array(buffer, takeSection(LetterRuns.TABLE_SIZE, 1), LetterRuns.TABLE_SIZE)
  const trees = {
    roots: new Int32Array(buffer, takeSection(header.trees, 4), header.trees),
    nodes: new Int32Array(buffer, takeSection(header.nodes, 4), header.nodes),
    numbers: new Float32Array(buffer, takeSection(header.nodes, 4), header.nodes),
    bias: header.bias
  }
  const { trainedOn, thresholds } = header
  return Either.right(
    Model.make({ trainedOn, tables: [urls, hosts, paths, tokens], costs, trees, thresholds })
  )
}

/** Beside this module in the sources, beside main.js in a build. */
export const shippedFile = new URL("./model.bin", import.meta.url)

export const load = (file: URL): Effect.Effect<Model.Model, ModelFileError> =>
  Effect.tryPromise({
    try: () => readFile(file),
    catch: () => new ModelFileError({ reason: "Unreadable", file: file.pathname })
  }).pipe(Effect.flatMap((bytes) => decode(bytes, file.pathname)))
