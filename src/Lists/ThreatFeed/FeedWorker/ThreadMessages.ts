/** The messages of a refresh: one `BuildRequest` to the worker thread, one `BuildResponse` back. Plain data. */
import type { FeedFormatName, RankingFormatName } from "../../../Layers/AppConfig.ts"
import type { Category } from "../../ThreatList/Category.ts"
import type { LastSeen } from "../../ThreatList/LastSeen.ts"
import type { Bytes } from "../../ThreatList/ThreatListBytes.ts"
import type { FeedError } from "../FeedError.ts"
import type { RowCounts, Validators } from "../FeedSnapshot.ts"

export interface Limits {
  /** For name lookup, connection and TLS handshake together; for each redirect anew. */
  readonly connectTimeoutMs: number
  /** Between two chunks of a response; also from the connection to the response head. */
  readonly idleTimeoutMs: number
  /** Of a document after decompression, and of each compressed form of it. */
  readonly maxBodyBytes: number
  /** Records of a list before duplicates are merged. */
  readonly maxKeys: number
}

type Headers = Readonly<Record<string, string>>

/** What a download needs to know. */
export interface DocumentRequest {
  /** Of a server, or of a file of this machine. Without fragment. May hold a key: never log it. */
  readonly url: string
  readonly headers: Headers
  /** Sent only while every redirect stays at the feed's origin. */
  readonly authHeaders: Headers
  readonly limits: Limits
}

export interface BuildRequest extends DocumentRequest {
  readonly format: FeedFormatName | RankingFormatName
  /** The category of entries when the format has no column for it. */
  readonly category: Category
  /** The first day of the feed's retention; undefined when it has none. */
  readonly oldestDay: LastSeen | undefined
  /** The list of the previous snapshot and its `fetchedAt`, when the feed has a retention. */
  readonly earlier: { readonly bytes: Bytes; readonly fetchedAt: number } | undefined
  /** The ranking of popular sites, to count the rows about them; undefined while there is none. */
  readonly ranking: Bytes | undefined
}

/** Whether the document is a file of this machine. */
export const isFile = ({ url }: Pick<DocumentRequest, "url">): boolean => url.startsWith("file:")

/** The list of a new document. */
export interface NewDocument {
  readonly _tag: "NewDocument"
  readonly bytes: Bytes
  readonly counts: RowCounts
  readonly validators: Validators
}

/** The server answered 304, or the file is the same. */
export interface NotModified {
  readonly _tag: "NotModified"
  /** The earlier list without the entries past their retention; undefined when there are none of those. */
  readonly bytes: Bytes | undefined
}

/** A `FeedError` on its way from the worker thread to the main thread. */
export interface Failed {
  readonly _tag: "Failed"
  readonly reason: FeedError["reason"]
  readonly detail: string | undefined
  /** The Retry-After header of the response. */
  readonly retryAfter: string | undefined
}

export type BuildResponse = NewDocument | NotModified | Failed
