import { Duration, Either, Schema } from "effect"
import {
  cacheDuration,
  type HashSearchResponse,
  listedHash,
  MalformedResponse,
  threatType
} from "./HashSearchResponse.ts"

/** 32 bytes in base64, with or without padding. Google writes the padding. */
const HashFromBase64 = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9+/_-]{43}=?$/)),
  Schema.String,
  {
    strict: true,
    decode: (base64) => Buffer.from(base64, "base64").toString("hex"),
    encode: (hex) => Buffer.from(hex, "hex").toString("base64")
  }
)

/** The JSON form of `google.protobuf.Duration`: `"300s"`, `"0.5s"`, `"-1s"`. */
const DurationFromJson = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^-?\d{1,12}(?:\.\d{1,9})?s$/)),
  Schema.DurationFromSelf,
  {
    strict: true,
    decode: (text) => cacheDuration(Number(text.slice(0, -1)), 0),
    encode: (duration) => `${Duration.toSeconds(duration)}s`
  }
)

/** A name, or a number, which the JSON form of protobuf also allows. */
const Enumeration = Schema.Union(Schema.String, Schema.Number)

/** A field with its default value is omitted or `null`. */
const defaulted = <A, I>(schema: Schema.Schema<A, I>, value: NoInfer<A>) =>
  Schema.optionalWith(schema, { nullable: true, default: () => value })

const FullHashDetail = Schema.Struct({
  threatType: defaulted(Enumeration, 0),
  attributes: defaulted(Schema.Array(Enumeration), [])
})

const FullHash = Schema.Struct({
  fullHash: HashFromBase64,
  fullHashDetails: defaulted(Schema.Array(FullHashDetail), [])
})

const SearchHashesResponse = Schema.Struct({
  fullHashes: defaulted(Schema.Array(FullHash), []),
  cacheDuration: defaulted(DurationFromJson, Duration.zero)
})

const fieldNames = Object.keys(SearchHashesResponse.fields)

const ObjectWithKnownField = Schema.Object.pipe(
  Schema.filter((object) => {
    const names = Object.keys(object)
    return names.length === 0 || names.some((name) => fieldNames.includes(name))
  })
)

const decodeText = Schema.decodeEither(
  Schema.parseJson(Schema.compose(ObjectWithKnownField, SearchHashesResponse, { strict: false }))
)

/**
 * Reads the JSON form of a `SearchHashesResponse`. Never throws. Unknown fields are skipped. A non-empty object without any
 * known field, such as a proxy's error, is rejected: it must not be read as "nothing listed".
 *
 * `{"cacheDuration":"300s"}` is `{ listed: [], cacheDuration: Duration.seconds(300) }`.
 */
export const decode = (text: string): Either.Either<HashSearchResponse, MalformedResponse> =>
  Either.mapBoth(decodeText(text), {
    onLeft: () => new MalformedResponse({ reason: "Json" }),
    onRight: ({ fullHashes, cacheDuration }) => ({
      listed: fullHashes.flatMap(({ fullHash, fullHashDetails }) =>
        listedHash(
          fullHash,
          fullHashDetails.map((detail) => ({
            threat: threatType(detail.threatType),
            hasAttributes: detail.attributes.length > 0
          }))
        )
      ),
      cacheDuration
    })
  })
