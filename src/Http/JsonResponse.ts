import type { HttpResponse } from "../Layers/Server.ts"

/** A response whose JSON body has exactly these fields, in this order. */
export const json = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {}
): HttpResponse => {
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
