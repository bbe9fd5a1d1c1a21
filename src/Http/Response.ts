import type { Duration } from "effect"

/** A response as handlers make it. `Serve` adds its length and the headers of every response. */
export interface ResponseData {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** How long the client may take to read it, before its connection is reset. Absent: see `SlowReaders`. */
  readonly maxSendTime?: Duration.Duration
}

/** A response whose JSON body has exactly these fields, in this order. */
export const json = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {}
): ResponseData => jsonText(status, JSON.stringify(body), headers)

/** As `json`, of a body that is JSON text already. */
export const jsonText = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {}
): ResponseData => ({ status, headers: { ...headers, "content-type": "application/json" }, body })
