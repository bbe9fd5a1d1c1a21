import { createHash } from "node:crypto"
import { Effect, Either, Redacted, Schema } from "effect"
import type { ReputationConfig } from "../../Layers/AppConfig.ts"
import * as SnapshotBytes from "../RefreshedList/SnapshotBytes.ts"
import * as HashList from "./HashList.ts"
import * as HashListSet from "./HashListSet.ts"

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
      fetchedAt: SnapshotBytes.EpochMillis,
      waitMillis: Schema.JsonNumber.pipe(Schema.nonNegative())
    })
  ),
  dueAt: SnapshotBytes.EpochMillis,
  /** Of the set, if the list has failed. */
  failures: Whole,
  /** Not read, and written as 0: replicas of earlier builds, which share the files, need it. */
  rounds: Whole,
  /** Says what a version that is empty says. */
  needsFull: Schema.Boolean,
  lastError: Schema.optional(
    Schema.Struct({
      /** One of a later or earlier build may be unknown to this one. */
      reason: Text,
      detail: Schema.optional(Text),
      at: SnapshotBytes.EpochMillis
    })
  )
})

const Metadata = Schema.parseJson(
  Schema.Struct({ service: Schema.String, key: Schema.String, lists: Schema.Array(Description) })
)
const encodeMetadata = Schema.encodeSync(Metadata)
const decodeMetadata = Schema.decodeUnknownEither(Metadata)

const describe = ({ failures, lists }: HashListSet.HashListSet): ReadonlyArray<typeof Description.Type> =>
  lists.map(({ content, ...list }) => ({
    ...list,
    failures: list.lastError === undefined ? 0 : failures,
    rounds: 0,
    needsFull: content?.version === "",
    ...(content !== undefined && {
      content: {
        version: content.version,
        checksum: content.checksum,
        entries: HashList.size(content.list),
        fetchedAt: content.fetchedAt,
        waitMillis: content.waitMillis
      }
    })
  }))

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

/** The list of this name with this many entries. Undefined: there is none. */
type FindList = (name: string, entries: number, width: HashList.HashWidth) => HashList.HashList | undefined

/**
 * Reads the metadata of sets of one service. A set that was written with another key has no back-off: a key that works must not
 * wait for one that was refused.
 */
const readSet = (service: Service, text: string, find: FindList) =>
  Either.gen(function* () {
    const metadata = yield* Either.mapLeft(decodeMetadata(text), () => SnapshotBytes.damaged)
    if (metadata.service !== serviceDigest(service))
      return yield* Either.left(new SnapshotBytes.UnusableSnapshot({ reason: "OtherService" }))
    const lists: Array<HashListSet.ScheduledList> = []
    for (const { content, failures: _, needsFull, rounds: __, ...list } of metadata.lists) {
      const width = HashList.widthOf(list.name)
      if (width === undefined) return yield* Either.left(SnapshotBytes.damaged)
      if (content === undefined) {
        lists.push(list)
        continue
      }
      const { entries, version, ...confirmation } = content
      const found = find(list.name, entries, width)
      if (found === undefined) return yield* Either.left(SnapshotBytes.damaged)
      lists.push({
        ...list,
        content: { ...confirmation, version: needsFull ? "" : version, list: found }
      })
    }
    const set = HashListSet.make(lists, Math.max(0, ...metadata.lists.map(({ failures }) => failures)))
    return metadata.key === keyDigest(service) ? set : HashListSet.withoutFailures(set)
  })

/** How the sets of one service are written: in the file and in the shared store. */
export const format = (service: Service): SnapshotBytes.SnapshotFormat<HashListSet.HashListSet> => ({
  magic: "THRTHL01",
  version: 1,
  metadata: (set) =>
    encodeMetadata({ service: serviceDigest(service), key: keyDigest(service), lists: describe(set) }),
  content: ({ lists }) => lists.flatMap(({ content }) => (content === undefined ? [] : [content.list.bytes])),

  decode: Effect.fnUntraced(function* (text, content) {
    let at = 0
    const set = yield* readSet(service, text, (_name, entries, width) => {
      const bytes = content.subarray(at, at + entries * width)
      at += entries * width
      return { width, bytes }
    })
    if (at !== content.length) return yield* SnapshotBytes.damaged
    const lists = yield* Effect.forEach(
      set.lists,
      Effect.fnUntraced(function* (list) {
        if (list.content === undefined) return list
        // A view would retain the bytes of all lists.
        const bytes = yield* SnapshotBytes.sharedCopy(list.content.list.bytes)
        return { ...list, content: { ...list.content, list: { ...list.content.list, bytes } } }
      })
    )
    return HashListSet.make(lists, set.failures)
  }),

  // The lists are the same objects, and so are the indexes that lookups have made of them.
  withMetadata: (set, text) =>
    Either.getRight(
      readSet(service, text, (name, entries) => {
        const list = set.lists.find((list) => list.name === name)?.content?.list
        return list !== undefined && HashList.size(list) === entries ? list : undefined
      })
    )
})
