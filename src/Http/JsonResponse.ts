import { HttpServerResponse } from "@effect/platform"

/** A JSON body with exactly these fields, in this order. */
export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(JSON.stringify(body), { status, headers, contentType: "application/json" })
