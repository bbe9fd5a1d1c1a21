import { createHash } from "node:crypto"
import { Effect, Either, Redacted, Schema } from "effect"
import type { ReputationConfig } from "../../Layers/AppConfig.ts"
import * as SnapshotBytes from "../RefreshedList/SnapshotBytes.ts"
import * as HashList from "./HashList.ts"
import type { HashListSet, StoredList } from "./HashListSet.ts"

/** A version has at most 1368: see `HashListMessage`. It goes into a URL in the worker thread, whose memory is small. */
const Text = Schema.String.pipe(Schema.maxLength(2048))

/** A set but the bytes of its lists. Without addresses and the key. */
const Metadata = Schema.parseJson(
  Schema.Struct({
    /** Of the service and the names of the lists. */
    service: Schema.String,
    lists: Schema.Array(
      Schema.Struct({
        name: Schema.NonEmptyString,
        version: Text,
        /** Each of the width in the name. */
        entries: Schema.Int.pipe(Schema.nonNegative())
      })
    ),
    refused: Schema.Array(Schema.String),
    answeredAt: SnapshotBytes.EpochMillis,
    waitMillis: Schema.JsonNumber.pipe(Schema.nonNegative())
  })
)
const encodeMetadata = Schema.encodeSync(Metadata)
const decodeMetadata = Schema.decodeUnknownEither(Metadata)

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The service of the lists, the key for it, and the lists. */
export interface Source extends Pick<ReputationConfig, "baseUrl" | "key"> {
  readonly names: ReadonlyArray<string>
}

const serviceDigest = ({ baseUrl, names }: Source): string =>
  sha256([baseUrl.href, ...[...names].sort()].join())

/**
 * Identifies a service, a key and lists without showing the key, which has 200 random bits. Replicas with another key do not
 * share: theirs may be refused.
 */
export const digestOf = (source: Source): string =>
  sha256([serviceDigest(source), Redacted.value(source.key)].join())

/** The list of this name with this many entries. Undefined: there is none. */
type FindList = (name: string, entries: number, width: HashList.HashWidth) => HashList.HashList | undefined

const readSet = (source: Source, text: string, find: FindList) =>
  Either.gen(function* () {
    const { lists, service, ...set } = yield* Either.mapLeft(
      decodeMetadata(text),
      () => SnapshotBytes.damaged
    )
    if (service !== serviceDigest(source))
      return yield* Either.left(new SnapshotBytes.UnusableSnapshot({ reason: "OtherService" }))
    const stored: Array<StoredList> = []
    for (const { entries, name, version } of lists) {
      const width = HashList.widthOf(name)
      const list = width === undefined ? undefined : find(name, entries, width)
      if (list === undefined) return yield* Either.left(SnapshotBytes.damaged)
      stored.push({ name, version, list })
    }
    return { ...set, lists: stored } satisfies HashListSet
  })

/** How the sets of one source are written: in the file and in the shared store. */
export const format = (source: Source): SnapshotBytes.SnapshotFormat<HashListSet> => ({
  magic: "THRTHL02",
  version: 2,
  metadata: ({ lists, ...set }) =>
    encodeMetadata({
      ...set,
      service: serviceDigest(source),
      lists: lists.map(({ list, name, version }) => ({ name, version, entries: HashList.size(list) }))
    }),
  content: ({ lists }) => lists.map(({ list }) => list.bytes),

  decode: Effect.fnUntraced(function* (text, content) {
    let at = 0
    const set = yield* readSet(source, text, (_name, entries, width) => {
      const bytes = content.subarray(at, at + entries * width)
      at += entries * width
      return { width, bytes }
    })
    if (at !== content.length) return yield* SnapshotBytes.damaged
    const lists = yield* Effect.forEach(
      set.lists,
      Effect.fnUntraced(function* ({ list, ...stored }) {
        // A view would retain the bytes of all lists.
        return { ...stored, list: { ...list, bytes: yield* SnapshotBytes.sharedCopy(list.bytes) } }
      })
    )
    return { ...set, lists }
  }),

  // The lists are the same objects, and so are the indexes that lookups have made of them.
  withMetadata: ({ lists }, text) =>
    Either.getRight(
      readSet(source, text, (name, entries) => {
        const list = lists.find((list) => list.name === name)?.list
        return list !== undefined && HashList.size(list) === entries ? list : undefined
      })
    )
})
