/**
 * The weights file: a magic number, the format's version, the length of the header, the header in JSON, padded to four bytes, the
 * sections in the order of `encode`, each a multiple of four bytes, and the SHA-256 of all before it. Numbers are little-endian.
 *
 * The hash detects accidents only: an attacker who can change the file can change the hash. `decode` accepts only files that
 * can be evaluated. It cannot tell whether the weights are good.
 */

import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Data, DateTime, Effect, Either, Option, Schema } from "effect"
import * as Files from "../../../Layers/Files.ts"
import * as Model from "../Model.ts"
import * as Curve from "./Curve.ts"
import * as LetterRuns from "./LetterRuns.ts"
import * as ModelFeatures from "./ModelFeatures.ts"
import * as ModelTables from "./ModelTables.ts"

/** More than twice the 1.5 MB that shipped weights may have. */
export const MAX_FILE_BYTES = 4_194_304

const problems = {
  Damaged: "is damaged, or is not a weights file",
  OtherVersion: "was made for another version of this program"
} as const

/** A weights file cannot be used. The service must not start: without the model it would answer "safe" too often. */
export class ModelFileError extends Data.TaggedError("ModelFileError")<{
  /**
   * `Damaged`: not as `encode` writes it. `OtherVersion`: made for other features or another format. The others: see
   * `FileError`.
   */
  readonly reason: keyof typeof problems | Files.FileError["reason"]
  /** Its path. */
  readonly file: string
  /** Follows the path in a sentence. */
  readonly problem: string
}> {
  override get message(): string {
    return `The weights file ${JSON.stringify(this.file)} ${this.problem}`
  }
}

const errorOf = (reason: keyof typeof problems, file: string): ModelFileError =>
  new ModelFileError({ reason, file, problem: problems[reason] })

const MAGIC = 0x4d535455
/** Increment it with every change of the format or the hashes. `ModelFeatures.digest` covers features. */
const VERSION = 8
const PREFIX_BYTES = 12
const HASH_BYTES = 32

/** Of a bias or scale. Log-odds of honest weights are below 100; much greater numbers would add up to infinity. */
const MAX_LOG_ODDS = 1e6

const LogOdds = Schema.Number.pipe(Schema.between(-MAX_LOG_ODDS, MAX_LOG_ODDS))

const Table = Schema.Struct({ bits: Schema.Int, scale: LogOdds, bias: LogOdds })

const CurveValues = Schema.Array(LogOdds).pipe(
  Schema.itemsCount(Curve.scores.length),
  Schema.filter((values) => values.every((value, at) => at === 0 || value > (values[at - 1] ?? value)))
)

/** Whether a text is a day of the calendar, as `2026-06-30`. */
export const isDay = (text: string): boolean =>
  Option.exists(DateTime.make(`${text}T00:00:00Z`), (time) => DateTime.formatIsoDateUtc(time) === text)

const Header = Schema.parseJson(
  Schema.Struct({
    trainedOn: Schema.String,
    learnedUpTo: Schema.String.pipe(Schema.filter(isDay)),
    features: Schema.String,
    rows: Schema.Record({ key: Schema.String, value: Schema.String }),
    tables: Schema.Tuple(Table, Table, Table, Table),
    trees: Schema.Int.pipe(Schema.positive()),
    nodes: Schema.Int.pipe(Schema.positive()),
    bias: LogOdds,
    curve: CurveValues,
    ordinaryHost: LogOdds
  })
)

const padded = (bytes: number): number => Math.ceil(bytes / 4) * 4

/** The file of a model. The same weights give the same bytes. */
export const encode = ({ costs, tables, trees, ...others }: Model.Model): Uint8Array => {
  const tableOf = (table: 0 | 1 | 2 | 3) => {
    const { scale, bias } = tables[table]
    return { bits: ModelTables.tables[table].bits, scale, bias }
  }
  const header = Buffer.from(
    Schema.encodeSync(Header)({
      ...others,
      features: ModelFeatures.digest,
      tables: [tableOf(0), tableOf(1), tableOf(2), tableOf(3)],
      trees: trees.roots.length,
      nodes: trees.nodes.length,
      bias: trees.bias
    })
  )
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32LE(MAGIC, 0)
  prefix.writeUInt32LE(VERSION, 4)
  prefix.writeUInt32LE(header.length, 8)
  const padding = Buffer.alloc(padded(header.length) - header.length)
  const sections = [...tables.map(({ weights }) => weights), costs, trees.roots, trees.nodes, trees.numbers]
  const content = Buffer.concat([
    prefix,
    header,
    padding,
    ...sections.map(({ buffer, byteLength, byteOffset }) => new Uint8Array(buffer, byteOffset, byteLength))
  ])
  return Buffer.concat([content, createHash("sha256").update(content).digest()])
}

/** The model of a file's bytes. `file` is its path, for the error. */
export const decode = (bytes: Uint8Array, file: string): Either.Either<Model.Model, ModelFileError> => {
  const damaged = Either.left(errorOf("Damaged", file))
  const end = bytes.length - HASH_BYTES
  if (end < PREFIX_BYTES) return damaged
  const hash = createHash("sha256").update(bytes.subarray(0, end)).digest()
  if (!hash.equals(bytes.subarray(end))) return damaged
  // A copy is aligned: typed arrays must begin at a multiple of their element size.
  const content = new Uint8Array(bytes.subarray(0, end))
  const { buffer } = content
  const view = new DataView(buffer)
  if (view.getUint32(0, true) !== MAGIC) return damaged
  if (view.getUint32(4, true) !== VERSION) return Either.left(errorOf("OtherVersion", file))
  const headerLength = view.getUint32(8, true)
  let next = PREFIX_BYTES + padded(headerLength)
  if (next > end) return damaged
  const header = Schema.decodeUnknownOption(Header)(
    Buffer.from(buffer, PREFIX_BYTES, headerLength).toString("utf8")
  )
  if (Option.isNone(header)) return damaged
  const { features, tables, trees, nodes, bias, ...others } = header.value
  if (
    features !== ModelFeatures.digest ||
    !tables.every(({ bits }, table) => bits === ModelTables.tables[table]?.bits)
  )
    return Either.left(errorOf("OtherVersion", file))
  const tableBytes = tables.reduce((total, { bits }) => total + (1 << bits), 0)
  if (next + tableBytes + LetterRuns.TABLE_SIZE + 4 * (trees + 2 * nodes) !== end) return damaged
  const takeSection = (bytes: number): number => {
    const start = next
    next += bytes
    return start
  }
  const tableOf = ({ bits, scale, bias }: typeof Table.Type): Model.ModelTable => ({
    weights: new Int8Array(buffer, takeSection(1 << bits), 1 << bits),
    scale,
    bias
  })
  const [urls, hosts, paths, tokens] = tables
  // In the order of the file.
  const weights: Model.Model = {
    ...others,
    tables: [tableOf(urls), tableOf(hosts), tableOf(paths), tableOf(tokens)],
    costs: new Uint8Array(buffer, takeSection(LetterRuns.TABLE_SIZE), LetterRuns.TABLE_SIZE),
    trees: {
      roots: new Int32Array(buffer, takeSection(4 * trees), trees),
      nodes: new Int32Array(buffer, takeSection(4 * nodes), nodes),
      numbers: new Float32Array(buffer, takeSection(4 * nodes), nodes),
      bias
    }
  }
  return Model.areTreesWellFormed(weights.trees, ModelFeatures.COUNT) ? Either.right(weights) : damaged
}

/** Beside this module in the sources, beside main.js in a build. */
export const shippedFile = new URL("./model.bin", import.meta.url)

/** Reads a regular file of at most `MAX_FILE_BYTES`. */
export const load = (file: URL | string): Effect.Effect<Model.Model, ModelFileError> =>
  Effect.suspend(() => {
    const path = typeof file === "string" ? file : fileURLToPath(file)
    return Files.read(path, MAX_FILE_BYTES).pipe(
      Effect.mapError(({ message, reason }) => new ModelFileError({ reason, file: path, problem: message })),
      Effect.flatMap(({ bytes }) => decode(bytes, path)),
      Effect.provide(NodeFileSystem.layer)
    )
  })
