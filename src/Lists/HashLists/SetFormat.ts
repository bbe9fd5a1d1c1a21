import { createHash } from "node:crypto"
import { Either, Redacted, Schema } from "effect"
import type { ReputationConfig } from "../../Layers/AppConfig.ts"
import type { SnapshotFormat } from "../RefreshedList/Definition.ts"
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
        version: Text
      })
    ),
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

/** How the sets of one source are stored: in the file and in the database. */
export const format = (source: Source): SnapshotFormat<HashListSet> => ({
  version: 3,
  encode: ({ lists, ...set }) => ({
    metadata: encodeMetadata({
      ...set,
      service: serviceDigest(source),
      lists: lists.map(({ name, version }) => ({ name, version }))
    }),
    parts: lists.map(({ list }) => list.bytes)
  }),
  decode: ({ metadata, parts }) =>
    Either.gen(function* () {
      const { lists, service, ...set } = yield* Either.mapLeft(
        decodeMetadata(metadata),
        () => SnapshotBytes.damaged
      )
      if (service !== serviceDigest(source))
        return yield* Either.left(new SnapshotBytes.UnusableSnapshot({ reason: "OtherService" }))
      const stored: Array<StoredList> = []
      for (const [index, bytes] of parts.entries()) {
        const { name = "", version = "" } = lists[index] ?? {}
        const width = HashList.widthOf(name)
        if (width === undefined || bytes.length % width !== 0)
          return yield* Either.left(SnapshotBytes.damaged)
        stored.push({ name, version, list: { width, bytes } })
      }
      if (stored.length !== lists.length) return yield* Either.left(SnapshotBytes.damaged)
      return { ...set, lists: stored } satisfies HashListSet
    })
})
