/** The messages of a refresh: a request to the worker thread, and its reply. Plain data, and lists in shared memory. */
import type { MessagePort } from "node:worker_threads"
import type { FeedFormatName, RankingFormatName } from "../../Layers/AppConfig.ts"
import type { ListError } from "../ListError.ts"
import type { Category, LastSeen } from "../ThreatList/ListRecord.ts"
import type { Bytes } from "../ThreatList/ThreatListBytes.ts"

/** What a server needs to answer that its document has not changed. */
export interface Validators {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
}

export interface SkippedRow {
  /** From 1. */
  readonly line: number
  /** A `SkipReason`, perhaps of another version of this program. */
  readonly reason: string
}

/** How many rows of a document are not on its list. */
export interface RowCounts {
  /** Rows that are not in the format, that no URL can match, or that are about something other than a URL or a host. */
  readonly skipped: number
  /** Entries that name a whole shared host. */
  readonly ignored: number
  /** The first three skipped rows. */
  readonly firstSkipped: ReadonlyArray<SkippedRow>
}

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
  /** Of the format `csv`. */
  readonly column: string | undefined
  /** The category of entries when the format has no column for it. */
  readonly category: Category
  /** A list of registrable domains without records, as a ranking is too: see `HostListBuilder`. */
  readonly isHostList: boolean
  /** The first day of the feed's retention; undefined when it has none. */
  readonly oldestDay: LastSeen | undefined
  /** The list of the previous snapshot and its `fetchedAt`, when the feed has a retention. */
  readonly earlier: { readonly bytes: Bytes; readonly fetchedAt: number } | undefined
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

/** The document is another one, or it is not. */
export type BuildResult = NewDocument | NotModified

/** A list to update, as it is now. */
export interface EarlierList {
  readonly name: string
  /** The version of the bytes, opaque, in base64. Undefined: ask for the whole list. */
  readonly version: string | undefined
  /** Undefined: there is no list yet. */
  readonly bytes: Uint8Array | undefined
}

export interface UpdateRequest {
  readonly _tag: "UpdateLists"
  /** Of Safe Browsing, without query, fragment and last slash. */
  readonly baseUrl: string
  readonly headers: Headers
  /** With the key. Sent to `baseUrl` only; redirects are not followed. */
  readonly authHeaders: Headers
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

/** Google's content of a list at this version. */
export interface UpdatedList {
  readonly name: string
  /** The new content; undefined: the bytes of the request still hold. */
  readonly bytes: Uint8Array | undefined
  readonly version: string
  /** How long to send no request for this list. 0: Google has more to send at once. */
  readonly waitMillis: number
}

export interface UpdatedLists {
  /** In the order of the request, without those that are refused. At least one. */
  readonly lists: ReadonlyArray<UpdatedList>
  /** The names of the lists that Google refuses, although it answers for the others. */
  readonly refused: ReadonlyArray<string>
}

/** The reply to the port gets `Reply`. A port that is closed before ends the work. */
export interface Order {
  readonly request: BuildRequest | UpdateRequest
  readonly port: MessagePort
}

/** What the thread made of a request, or the fields of a `ListError`, as an error loses them on its way. */
export type Reply<A> =
  | { readonly result: A }
  | { readonly failure: Pick<ListError, "reason" | "detail" | "retryAfterMillis"> }
