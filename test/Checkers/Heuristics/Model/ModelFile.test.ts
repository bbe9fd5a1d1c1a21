import { execFileSync } from "node:child_process"
import { mkdirSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck, Option } from "effect"
import * as ModelFeatures from "../../../../src/Checkers/Heuristics/Model/ModelFeatures.ts"
import * as ModelFile from "../../../../src/Checkers/Heuristics/Model/ModelFile.ts"
import * as Model from "../../../../src/Checkers/Heuristics/Model.ts"
import * as UrlFacts from "../../../../src/Checkers/Heuristics/UrlFacts.ts"
import * as Heuristics from "../../../../src/Checkers/Heuristics.ts"
import * as CanonicalUrl from "../../../../src/Url/CanonicalUrl.ts"
import { invented } from "../../../fixtures/InventedAddresses.ts"
import { runs } from "../../../fixtures/Seed.ts"
import { temporaryFolder } from "../../../fixtures/ServiceProcess.ts"
import * as WeightsFile from "../../../fixtures/WeightsFile.ts"

const MAX_SHIPPED_BYTES = 1_500_000
const bytes = WeightsFile.shipped
const { header, sections, withFields, withHeader } = WeightsFile

const changed = (at: number, by: number): Uint8Array => {
  const copy = Uint8Array.from(bytes)
  copy[at] = ((copy[at] ?? 0) + by) % 256
  return copy
}

const reasonOf = (file: Uint8Array) =>
  Either.match(ModelFile.decode(file, "model.bin"), { onLeft: ({ reason }) => reason, onRight: () => "Read" })

const { tables, curve, features, trees, nodes } = JSON.parse(header)

/** The trees are at the end: roots, nodes and numbers. */
const withNode = (index: number, node: number): Uint8Array =>
  WeightsFile.changed((content) => content.writeInt32LE(node, content.length - 4 * (2 * nodes - index)))

const withNumber = (index: number, number: number): Uint8Array =>
  WeightsFile.changed((content) => content.writeFloatLE(number, content.length - 4 * (nodes - index)))

describe("the weights file", () => {
  it("has at most 1.5 MB, and is the same after decoding and encoding", () => {
    assert.isAtMost(bytes.length, MAX_SHIPPED_BYTES)
    const model = Either.getOrThrow(ModelFile.decode(bytes, "model.bin"))
    assert.isTrue(Buffer.from(ModelFile.encode(model)).equals(bytes))
    assert.isTrue(withFields({}).equals(bytes))
  })

  it("was learned from the features that the model reads", () => {
    assert.strictEqual(
      features,
      ModelFeatures.digest,
      "a feature of the model has changed: train again: npm run train"
    )
  })

  it("is rejected with one changed byte or a missing end", () => {
    for (const at of [0, 4, 40, 5000, Math.floor(bytes.length / 2), bytes.length - 33, bytes.length - 1])
      assert.strictEqual(reasonOf(changed(at, 1)), "Damaged")
    for (const length of [0, 11, 43, 44, 1000, bytes.length - 1])
      assert.strictEqual(reasonOf(bytes.subarray(0, length)), "Damaged")
  })

  it("has the day up to which it has learned", () => {
    const file = withFields({ learnedUpTo: "2026-06-30" })
    const model = Either.getOrThrow(ModelFile.decode(file, "model.bin"))
    assert.strictEqual(model.learnedUpTo, "2026-06-30")
    assert.isTrue(Buffer.from(ModelFile.encode(model)).equals(file))
  })

  it("is of another version with another format, other features or tables of other sizes", () => {
    for (const version of [0, 7, 9, 2 ** 32 - 1])
      assert.strictEqual(reasonOf(WeightsFile.ofVersion(version)), "OtherVersion")
    for (const fields of [
      { features: ModelFeatures.digest.replace(/./, (digit) => (digit === "0" ? "1" : "0")) },
      { features: "" },
      { tables: tables.with(0, { ...tables[0], bits: 17 }) },
      { tables: tables.with(3, { ...tables[3], bits: 40 }) }
    ])
      assert.strictEqual(reasonOf(withFields(fields)), "OtherVersion")
  })

  // Each has the right hash.
  const damaged: ReadonlyArray<readonly [string, () => Uint8Array]> = [
    ["nothing but a hash", () => WeightsFile.sealed(new Uint8Array(0))],
    ["half of the prefix", () => WeightsFile.sealed(bytes.subarray(0, 6))],
    ["the prefix only", () => WeightsFile.sealed(bytes.subarray(0, 12))],
    ["another magic number", () => WeightsFile.changed((content) => content.writeUInt8(0, 0))],
    ["a header that is not JSON", () => withHeader("{")],
    ["a header that is empty", () => withHeader("")],
    ["a header that is no object", () => withHeader("[]")],
    ...[12, 1e6, 2 ** 31, 2 ** 32 - 1].map(
      (length) =>
        [
          `a header that is said to have ${length} bytes`,
          () => WeightsFile.changed((content) => content.writeUInt32LE(length, 8))
        ] as const
    ),
    ...[
      { trainedOn: 1 },
      { learnedUpTo: undefined },
      { learnedUpTo: "" },
      { learnedUpTo: "2026-02-30" },
      { features: ["urlWeights"] },
      { rows: undefined },
      { rows: { brands: 1 } },
      { tables: [] },
      { tables: tables.slice(1) },
      { tables: [...tables, tables[0]] },
      { tables: tables.with(0, { ...tables[0], bits: 1.5 }) },
      { tables: tables.with(0, { ...tables[0], scale: null }) },
      { tables: tables.with(0, { ...tables[0], bias: 1e300 }) },
      { bias: "0" },
      { bias: -1e7 },
      ...[0, -1, 1.5, 1e300, trees - 1, trees + 1].map((trees) => ({ trees })),
      ...[0, -1, 1.5, 1e300, nodes - 1, nodes + 1].map((nodes) => ({ nodes })),
      { curve: undefined },
      { curve: [] },
      { curve: curve.slice(1) },
      { curve: [...curve, curve.at(-1) + 1] },
      { curve: curve.with(3, null) },
      { curve: curve.with(3, curve[2]) },
      { curve: curve.with(3, curve[4] + 1) },
      { curve: curve.with(-1, 1e300) },
      ...[undefined, null, "0", 1e7].map((ordinaryHost) => ({ ordinaryHost }))
    ].map((fields) => [`a header with ${JSON.stringify(fields)}`, () => withFields(fields)] as const),
    ["numbers beyond those of JSON", () => withHeader(header.replace(/"bias":[^,}]+/, '"bias":1e999'))],
    ["four bytes more", () => withFields({}, Buffer.concat([sections, Buffer.alloc(4)]))],
    ["four bytes less", () => withFields({}, sections.subarray(0, -4))],
    ["no sections", () => withFields({}, new Uint8Array(0))],
    ["a node that leads back", () => withNode(2, Model.nodeOf(1))],
    ["a node with a feature that does not exist", () => withNode(0, Model.nodeOf(1, 255))],
    ["a leaf that is not a number", () => withNumber(nodes - 1, Number.NaN)],
    ["a threshold that is infinite", () => withNumber(0, Number.NEGATIVE_INFINITY)]
  ]
  it.each(damaged)("is damaged with %s", (_, make) => {
    assert.strictEqual(reasonOf(make()), "Damaged")
  })
})

describe("loading a weights file", () => {
  const messageOf = (file: string) =>
    Effect.map(
      Effect.flip(ModelFile.load(file)),
      ({ reason, message }) => [reason, message.replace(JSON.stringify(file), "<path>")] as const
    )

  it.scoped("reads a path as well as a file URL", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "weights.bin")
      writeFileSync(file, withFields({ learnedUpTo: "2026-06-30" }))
      for (const at of [file, pathToFileURL(file)])
        assert.strictEqual((yield* ModelFile.load(at)).learnedUpTo, "2026-06-30")
    })
  )

  it.scoped("fails with the path and the reason", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const at = (name: string, content?: Uint8Array) => {
        const file = join(folder, name)
        if (content !== undefined) writeFileSync(file, content)
        return file
      }
      const missing = join(folder, "missing.bin")
      assert.deepStrictEqual(yield* messageOf(missing), [
        "System",
        "The weights file <path> cannot be read (ENOENT)"
      ])
      mkdirSync(at("folder"))
      assert.deepStrictEqual(yield* messageOf(at("folder")), [
        "NotRegular",
        "The weights file <path> is not a regular file"
      ])
      assert.deepStrictEqual(yield* messageOf("/dev/zero"), [
        "NotRegular",
        "The weights file <path> is not a regular file"
      ])
      for (const content of [new Uint8Array(0), Buffer.from("no weights"), changed(9999, 7)])
        assert.deepStrictEqual(yield* messageOf(at("damaged.bin", content)), [
          "Damaged",
          "The weights file <path> is damaged, or is not a weights file"
        ])
      assert.deepStrictEqual(yield* messageOf(at("old.bin", WeightsFile.ofVersion(3))), [
        "OtherVersion",
        "The weights file <path> was made for another version of this program"
      ])
      truncateSync(at("large.bin", new Uint8Array(0)), ModelFile.MAX_FILE_BYTES + 1)
      assert.deepStrictEqual(yield* messageOf(at("large.bin")), [
        "TooLarge",
        "The weights file <path> is larger than 4 MiB"
      ])
    })
  )

  it.scoped("does not wait for a named pipe", () =>
    Effect.gen(function* () {
      const pipe = join(yield* temporaryFolder, "pipe")
      execFileSync("mkfifo", [pipe])
      assert.strictEqual((yield* messageOf(pipe))[0], "NotRegular")
    })
  )
})

describe("a weights file with any content and the right hash", () => {
  const urls = invented(20).map((url) => Either.getOrThrow(CanonicalUrl.parse(url)))
  const facts = urls.map(UrlFacts.factsOf)

  /** Whether it is read; then it scores everything with a finite value. */
  const isRead = (file: Uint8Array): boolean =>
    Either.match(ModelFile.decode(file, "model.bin"), {
      onLeft: () => false,
      onRight: (model) => {
        for (const one of facts) assert.isTrue(Number.isFinite(Model.rawValue(model, one)))
        for (const url of urls)
          for (const { reason } of Heuristics.findingsOf(model, url)) assert.match(reason, /^[ -~]+$/)
        return true
      }
    })

  const seeded = (seed: number) => ({ seed, numRuns: runs(500) })

  const anyValue = FastCheck.oneof(
    FastCheck.constantFrom<unknown>(null, true, "", {}, [], "2026-06-30"),
    FastCheck.integer(),
    FastCheck.double(),
    FastCheck.maxSafeInteger()
  )

  /** Each object and each property below it. */
  const places = (value: unknown): ReadonlyArray<readonly [object, string]> =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, child]) => [[value, key] as const, ...places(child)])
      : []

  it("is read and scores, or is refused, whatever its header has", () => {
    let read = 0
    FastCheck.assert(
      FastCheck.property(FastCheck.nat(), anyValue, (index, value) => {
        const copy: unknown = JSON.parse(header)
        const all = places(copy)
        Option.map(Option.fromNullable(all[index % all.length]), ([parent, key]) =>
          Reflect.set(parent, key, value)
        )
        if (isRead(withHeader(JSON.stringify(copy)))) read++
      }),
      seeded(1)
    )
    assert.isAbove(read, 0)
  })

  it("is read and scores, or is refused, whatever bytes of it are changed", () => {
    const treesAt = bytes.length - 32 - 8 * nodes - 4 * trees
    const region = FastCheck.constantFrom(
      { name: "header", from: 0, to: 2000 },
      { name: "tables", from: 2000, to: treesAt },
      { name: "trees", from: treesAt, to: bytes.length - 32 }
    )
    const changes = FastCheck.array(FastCheck.tuple(FastCheck.nat(), FastCheck.nat(255)), {
      minLength: 1,
      maxLength: 4
    })
    const read = new Map<string, number>()
    FastCheck.assert(
      FastCheck.property(region, changes, ({ name, from, to }, changes) => {
        const file = WeightsFile.changed((content) => {
          for (const [at, byte] of changes) content.writeUInt8(byte, from + (at % (to - from)))
        })
        if (isRead(file)) read.set(name, (read.get(name) ?? 0) + 1)
      }),
      seeded(2)
    )
    assert.isAbove(read.get("tables") ?? 0, 0)
    assert.isAbove(read.get("trees") ?? 0, 0)
  })

  it("is refused with any part cut out or repeated", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.nat(bytes.length - 33),
        FastCheck.integer({ min: 1, max: 5000 }),
        FastCheck.boolean(),
        (at, length, isRepeated) => {
          const content = bytes.subarray(0, -32)
          const rest = content.subarray(isRepeated ? at : at + length)
          const end = isRepeated ? Math.min(at + length, content.length) : at
          const parts = Buffer.concat([content.subarray(0, end), rest])
          assert.isFalse(parts.length !== content.length && isRead(WeightsFile.sealed(parts)))
        }
      ),
      seeded(3)
    )
  })
})
