import { createHash } from "node:crypto"
import { Effect, Either, Option, Redacted, Schema } from "effect"
import type { ReputationConfig } from "../../../Layers/AppConfig.ts"
import { nextTurn } from "../../../Layers/Time/Slices.ts"
import { reasons as feedErrorReasons } from "../../ThreatFeed/FeedError.ts"
import * as SnapshotBytes from "../../ThreatFeed/FeedSnapshot/SnapshotBytes.ts"
import { EpochMillis } from "../../ThreatFeed/FeedSnapshot.ts"
import * as HashList from "../HashList.ts"
import { hashListErrorReasons } from "../HashListError.ts"
import * as HashListSet from "../HashListSet.ts"
import * as ListName from "../ListName.ts"

const Whole = Schema.Int.pipe(Schema.nonNegative())

/** A version has at most 1368: see `HashListMessage`. It goes into a URL in the worker thread, whose memory is small. */
const Text = Schema.String.pipe(Schema.maxLength(2048))

/** A list but its bytes: what health shows, and what the next update needs. Without addresses and the key. */
const Description = Schema.Struct({
  name: Schema.NonEmptyString,
  content: Schema.optional(
    Schema.Struct({
      version: Text,
      checksum: Text,
      /** Each of the width in the name. */
      entries: Whole,
      fetchedAt: EpochMillis,
      waitMillis: Schema.JsonNumber.pipe(Schema.nonNegative())
    })
  ),
  dueAt: EpochMillis,
  failures: Whole,
  rounds: Whole,
  needsFull: Schema.Boolean,
  lastError: Schema.optional(
    Schema.Struct({
      reason: Schema.Literal(...hashListErrorReasons, ...feedErrorReasons),
      detail: Schema.optional(Text),
      at: EpochMillis
    })
  )
})

const Descriptions = Schema.Array(Description)

const describe = ({ lists }: HashListSet.HashListSet): typeof Descriptions.Type =>
  lists.map(({ content, ...list }) => {
    if (content === undefined) return list
    const { list: hashes, ...confirmation } = content
    return { ...list, content: { ...confirmation, entries: HashList.size(hashes) } }
  })

const DescriptionsText = Schema.parseJson(Descriptions)
const encodeDescriptions = Schema.encodeSync(DescriptionsText)

/** The schedule and the state of all lists as a text, for the manifest of a fleet. */
export const descriptionOf = (set: HashListSet.HashListSet): string => encodeDescriptions(describe(set))

const decodeDescriptions = Schema.decodeUnknownOption(DescriptionsText)

/** Reads what `descriptionOf` wrote. */
export const readDescription = (text: string): Option.Option<ReadonlyArray<HashListSet.DescribedList>> =>
  Option.map(decodeDescriptions(text), (lists) =>
    lists.map(({ content, ...list }) => {
      if (content === undefined) return list
      const { entries, ...confirmation } = content
      return { ...list, content: confirmation }
    })
  )

const Metadata = Schema.parseJson(
  Schema.Struct({ service: Schema.String, key: Schema.String, lists: Descriptions })
)
const encodeMetadata = Schema.encodeSync(Metadata)
const decodeMetadata = Schema.decodeUnknownEither(Metadata)

const MAGIC = "THRTHL01"

/**
 * The version of the format, part of the names of files and of keys in the database: another version's are neither read nor
 * changed. Increase it with each change.
 */
export const VERSION = 1

export const FORMAT = `${MAGIC}.${VERSION}`

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The service of the lists, and the key for it. */
export type Service = Pick<ReputationConfig, "baseUrl" | "key">

/** Half of a digest is enough to tell keys apart. A key has 200 random bits: it cannot be found from its digest. */
const DIGEST_CHARS = 32

const keyDigest = ({ key }: Service): string => sha256(Redacted.value(key)).slice(0, DIGEST_CHARS)

const serviceDigest = ({ baseUrl }: Service): string => sha256(baseUrl.href)

/** Identifies a service, a key and lists without showing the key. */
export const digestOf = (service: Service, names: ReadonlyArray<string>): string =>
  sha256([serviceDigest(service), keyDigest(service), ...[...names].sort()].join())

/** Copying a piece takes about two milliseconds, a list of 17 MB at once ten. */
const MAX_PIECE_BYTES = 4_194_304

/** Requests are served between two pieces. */
const copyOf = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const copy = new Uint8Array(bytes.length)
  for (let at = 0; at < bytes.length; at += MAX_PIECE_BYTES) {
    copy.set(bytes.subarray(at, at + MAX_PIECE_BYTES), at)
    yield* nextTurn
  }
  return copy
})

/**
 * The sets of one service as bytes, in the file and in the shared store. One that was written with another key has no
 * back-off: a key that works must not wait for one that was refused.
 */
export const format = (service: Service): SnapshotBytes.SnapshotFormat<HashListSet.HashListSet> => ({
  encode: (set) =>
    SnapshotBytes.encode(
      MAGIC,
      encodeMetadata({ service: serviceDigest(service), key: keyDigest(service), lists: describe(set) }),
      set.lists.flatMap(({ content }) => (content === undefined ? [] : [content.list.bytes]))
    ),

  /** The lists are copies: a view of one would retain the bytes of all. */
  decode: Effect.fnUntraced(function* (bytes) {
    const { content: hashes, metadata: text } = yield* SnapshotBytes.decode(MAGIC, bytes)
    const metadata = decodeMetadata(text)
    if (Either.isLeft(metadata)) return yield* SnapshotBytes.damaged
    if (metadata.right.service !== serviceDigest(service))
      return yield* new SnapshotBytes.UnusableSnapshot({ reason: "OtherService" })
    const lists: Array<HashListSet.ScheduledList> = []
    let at = 0
    for (const { content, ...list } of metadata.right.lists) {
      const width = ListName.widthOf(list.name)
      if (width === undefined) return yield* SnapshotBytes.damaged
      if (content === undefined) {
        lists.push(list)
        continue
      }
      const { entries, ...confirmation } = content
      const end = at + entries * width
      const bytes = yield* copyOf(hashes.subarray(at, end))
      lists.push({ ...list, content: { ...confirmation, list: { width, bytes } } })
      at = end
    }
    if (at !== hashes.length) return yield* SnapshotBytes.damaged
    const set = HashListSet.make(lists)
    return metadata.right.key === keyDigest(service) ? set : HashListSet.withoutFailures(set)
  })
})
