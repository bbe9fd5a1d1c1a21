import type { IncomingMessage } from "node:http"
import { Option, Schema } from "effect"
import { ChecksRequest } from "../Api.ts"
import * as JsonBody from "../Check/JsonBody.ts"

/** Built from the fields, because `Schema.is(ChecksRequest)` rejects plain objects. */
const isChecksRequest = Schema.is(Schema.Struct(ChecksRequest.fields))

/** The `urls` of a JSON body; undefined if they are no list of 1 to `max` strings. */
export const parse = (
  request: IncomingMessage,
  body: Buffer,
  max: number
): ReadonlyArray<string> | undefined => {
  const value = JsonBody.parse(request, body)
  return Option.isSome(value) && isChecksRequest(value.value) && value.value.urls.length <= max
    ? value.value.urls
    : undefined
}

/** The distinct strings in order of their first place, each with all of its places. */
export const placesByUrl = (urls: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const places = new Map<string, Array<number>>()
  urls.forEach((url, place) => {
    const known = places.get(url)
    if (known === undefined) places.set(url, [place])
    else known.push(place)
  })
  return places
}
