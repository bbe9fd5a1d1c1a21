import { createHash } from "node:crypto"
import { Either } from "effect"
import type { ListErrorReason } from "../ListError.ts"
import type { EarlierList, UpdatedList } from "../ListWorker/Messages.ts"
import * as HashList from "./HashList.ts"
import type { HashListMessage } from "./HashListMessage.ts"
import * as HashListMerge from "./HashListUpdate/HashListMerge.ts"
import * as RiceCoding from "./RiceCoding.ts"

/** In hexadecimal. */
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

const noNumbers: Either.Either<Uint8Array> = Either.right(new Uint8Array())

/** The content after the change: undefined if it is the earlier one. */
const changed = (
  { isPartial, additions, removals, version }: HashListMessage,
  earlier: HashList.HashList | undefined,
  width: HashList.HashWidth | undefined,
  maxEntries: number
): Either.Either<Uint8Array | undefined, ListErrorReason> =>
  Either.gen(function* () {
    if (width === undefined || (additions !== undefined && additions.width !== width))
      return yield* Either.left("HashWidth" as const)
    if (isPartial && earlier === undefined) return yield* Either.left("PartialWithoutBase" as const)
    if (!isPartial && removals !== undefined) return yield* Either.left("RemovalsInFull" as const)
    if (isPartial && additions === undefined && removals === undefined) return undefined
    if (version === "") return yield* Either.left("VersionEmpty" as const)
    const added = yield* additions === undefined
      ? noNumbers
      : RiceCoding.decode(additions, { maxEntries, ifRepeated: "AdditionExists" })
    const removed = yield* removals === undefined
      ? noNumbers
      : RiceCoding.decode(removals, { maxEntries, ifRepeated: "RemovalIndex" })
    const base = isPartial && earlier !== undefined ? earlier : HashList.empty(width)
    const merged = yield* HashListMerge.merge(base, removed, added)
    if (merged.length / width > maxEntries) return yield* Either.left("TooLarge" as const)
    return merged
  })

/**
 * Applies a message to the list of its name, by the rules of
 * https://developers.google.com/safe-browsing/reference/Local.Database: removals by their index in the earlier list, then
 * additions, then the checksum of the whole. The earlier list's bytes are not modified.
 *
 * A partial update needs an earlier list whose version was sent. A full one replaces the list; without additions it is
 * empty. Without a checksum nothing may have changed.
 */
export const apply = (
  message: HashListMessage,
  { version, bytes }: Pick<EarlierList, "version" | "bytes">,
  maxEntries: number
): Either.Either<UpdatedList, ListErrorReason> => {
  const width = HashList.widthOf(message.name)
  const earlier =
    width === undefined || version === undefined || bytes === undefined ? undefined : { width, bytes }
  return Either.flatMap(changed(message, earlier, width, maxEntries), (next) => {
    const checksum = sha256(next ?? earlier?.bytes ?? new Uint8Array())
    const expected = message.checksum ?? (earlier && sha256(earlier.bytes))
    return checksum === expected
      ? Either.right({
          _tag: "Updated",
          name: message.name,
          bytes: next,
          version: message.version === "" ? (version ?? "") : message.version,
          checksum,
          waitMillis: message.waitMillis
        })
      : Either.left("ChecksumMismatch")
  })
}

/** Faults which say that the earlier list, or a change to it, is of no use. After any other, the version stays as it is. */
const reasonsForFull: ReadonlySet<ListErrorReason> = new Set([
  "OutOfBits",
  "BadParameter",
  "NegativeCount",
  "QuotientTooLarge",
  "Overflow",
  "RemovalIndex",
  "AdditionExists",
  "RemovalsInFull",
  "PartialWithoutBase",
  "HashWidth",
  "ChecksumMismatch"
])

/** Whether the next request after the error must be for the whole list. */
export const needsFull = (reason: ListErrorReason): boolean => reasonsForFull.has(reason)
