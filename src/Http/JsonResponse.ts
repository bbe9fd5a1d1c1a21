import { HttpServerResponse } from "@effect/platform"
import type { Answer } from "../Layers/Server.ts"

/** A JSON body with exactly these fields, in this order. */
export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): Answer => {
  const text = JSON.stringify(body)
  return {
    status,
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text))
    },
    body: text
  }
}

/** The same answer for the platform. */
export const toResponse = ({ status, headers, body }: Answer) =>
  HttpServerResponse.text(body, { status, headers, contentType: "application/json" })
