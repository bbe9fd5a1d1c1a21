import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { Either, Option } from "effect"
import type { HttpResponse } from "../../Layers/Server.ts"
import type { PayloadTooLarge, UnsupportedEncoding } from "../Api.ts"
import { json } from "../JsonResponse.ts"

type Headers = Readonly<Record<string, string>>

const isJson = (request: IncomingMessage): boolean =>
  /^application\/json[ \t]*(?:;|$)/i.test(request.headers["content-type"] ?? "")

/** Whether the body is not compressed. An empty header means `identity`. */
export const isIdentity = (request: IncomingMessage): boolean => {
  const encoding = request.headers["content-encoding"]
  return encoding === undefined || /^(?:[ \t]*identity[ \t]*(?:,|$))*$/i.test(encoding)
}

const BYTE_ORDER_MARK = "\ufeff"

/** The value of a JSON body; none if its media type, encoding or syntax is not JSON's. */
export const parse = (request: IncomingMessage, body: Buffer): Option.Option<unknown> => {
  if (!isJson(request) || !isUtf8(body)) return Option.none()
  const text = body.toString("utf8")
  return Either.getRight(
    Either.try((): unknown => JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text))
  )
}

/** 400, with `Accept-Post` if the media type is another one. */
export const badRequest = (
  request: IncomingMessage,
  body: { readonly error: string },
  headers: Headers
): HttpResponse =>
  json(400, body, { ...(isJson(request) ? undefined : { "accept-post": "application/json" }), ...headers })

export const unsupportedEncoding = (headers: Headers): HttpResponse =>
  json(415, { error: "Content-Encoding is not supported" } satisfies typeof UnsupportedEncoding.Encoded, {
    "accept-encoding": "identity",
    ...headers
  })

export const tooLarge = (maxBytes: number, headers: Headers): HttpResponse =>
  json(
    413,
    { error: `The body is larger than ${maxBytes} bytes` } satisfies typeof PayloadTooLarge.Encoded,
    headers
  )
