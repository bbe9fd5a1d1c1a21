/** The messages of an update: one `UpdateRequest` to the worker thread, `UpdatedLists` back. Plain data. */
import type { Limits } from "../ThreatFeed/FeedWorker/ThreadMessages.ts"
import type { HashListErrorReason } from "./HashListError.ts"

/** A list to update, as it is now. */
export interface EarlierList {
  readonly name: string
  /** The version of the bytes, opaque, in base64. Undefined: ask for the whole list. */
  readonly version: string | undefined
  /** Undefined: there is no list yet. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  /** Asked in a request of its own, because its last update failed: its error must not cost the others their update. */
  readonly isAlone: boolean
}

export interface UpdateRequest {
  readonly _tag: "UpdateLists"
  /** Of Safe Browsing, without query, fragment and last slash. */
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** With the key. Sent to `baseUrl` only; redirects are not followed. */
  readonly authHeaders: Readonly<Record<string, string>>
  readonly lists: ReadonlyArray<EarlierList>
  readonly limits: Limits
}

/**
 * The largest list seen had 7.3 million entries of four bytes, in ten megabytes. 16,777,216 of them are 64 MiB, as are two
 * million entries of 32 bytes, which is what a body of 64 MiB can hold.
 */
export const UPDATE_LIMITS: Limits = {
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 30_000,
  maxBodyBytes: 67_108_864,
  maxKeys: 16_777_216
}

/** A list whose content is that of Google at this version. */
export interface UpdatedList {
  readonly _tag: "Updated"
  readonly name: string
  /** The new content; undefined: the bytes of the request still hold. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  readonly version: string
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly checksum: string
  /** How long to send no request for this list. 0: Google has more to send at once. */
  readonly waitMillis: number
}

/** A list that stays as it is, with the reason. */
export interface UnchangedList {
  readonly _tag: "Unchanged"
  readonly name: string
  readonly reason: HashListErrorReason
  /** Contains no key and nothing of a response. */
  readonly detail: string | undefined
  /** The next request must be for the whole list. */
  readonly needsFull: boolean
  /** The Retry-After header of the response. */
  readonly retryAfter: string | undefined
}

export type ListOutcome = UpdatedList | UnchangedList

/** One outcome for each list of the request, in its order. */
export interface UpdatedLists {
  readonly _tag: "UpdatedLists"
  readonly lists: ReadonlyArray<ListOutcome>
}
