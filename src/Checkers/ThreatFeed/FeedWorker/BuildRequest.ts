/** What the main thread and the worker thread of a refresh send each other: one request, one response, plain data. */
import type { FeedFormatName } from "../../../Layers/AppConfig.ts"
import type { Category } from "../../ThreatList/Category.ts"
import type { HashKey } from "../../ThreatList/KeyedHash.ts"
import type { StampClock } from "../../ThreatList/StampClock.ts"
import type { Bytes } from "../../ThreatList/ThreatListBytes.ts"
import type { FeedError } from "../FeedError.ts"

/** What a server needs to answer that its document has not changed. */
export interface Validators {
  readonly etag: string | undefined
  readonly lastModified: string | undefined
}

export const noValidators: Validators = { etag: undefined, lastModified: undefined }

/** How many rows of a document are not on its list. */
export interface RowCounts {
  /** Rows that are no entry of the format, or no URL. */
  readonly skipped: number
  /** Entries that name a whole shared host. */
  readonly ignored: number
}

export interface Limits {
  /** For name lookup, connection and TLS handshake together; for each redirect anew. */
  readonly connectTimeoutMs: number
  /** Between two chunks of a response; also from the connection to the response head. */
  readonly idleTimeoutMs: number
  /** Of a document after decompression, and of each compressed form of it. */
  readonly maxBodyBytes: number
  /** Of a list before duplicates are merged. */
  readonly maxKeys: number
}

type Headers = Readonly<Record<string, string>>

export interface BuildRequest {
  /** Without fragment. May hold a key: never log it. */
  readonly url: string
  readonly headers: Headers
  /** Headers for the feed's own origin, where no redirect to another one leads them. */
  readonly ownHeaders: Headers
  readonly format: FeedFormatName
  /** The category of entries when the format has no column for it. */
  readonly category: Category
  readonly hashKey: HashKey
  /** Undefined when the feed has no retention. */
  readonly stampClock: StampClock | undefined
  /** The list before this one, when the feed has a retention. `seenAt`: its `fetchedAt`. */
  readonly earlier: { readonly bytes: Bytes; readonly seenAt: number } | undefined
  readonly limits: Limits
}

/** The list of a new document. */
export interface NewDocument {
  readonly _tag: "NewDocument"
  readonly bytes: Bytes
  readonly counts: RowCounts
  readonly validators: Validators
}

/** The server answered 304. */
export interface NotModified {
  readonly _tag: "NotModified"
  /** The earlier list without the entries past their retention; undefined when there are none of those. */
  readonly bytes: Bytes | undefined
}

/** There is no list. See `FeedError`. */
export interface Failed {
  readonly _tag: "Failed"
  readonly reason: FeedError["reason"]
  readonly detail: string | undefined
  /** The Retry-After header of the response. */
  readonly retryAfter: string | undefined
}

export type BuildResponse = NewDocument | NotModified | Failed
