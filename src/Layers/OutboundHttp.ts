import { lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import { Headers, HttpClient, type HttpClientError, HttpClientRequest } from "@effect/platform"
import { Duration, Effect, FiberRef, identity, Layer, Option } from "effect"
import { AppConfig } from "./AppConfig.ts"
import * as NodeGetClient from "./NodeGetClient.ts"
import * as Program from "./Program.ts"
import * as PublicAddress from "./PublicAddress.ts"
import { Tracing } from "./Tracing.ts"

/** From the name look-up to the end of the TLS handshake. */
export const CONNECT_TIMEOUT = Duration.seconds(10)

/** The code of the error with which a connection to an address that is not public is refused. */
export const NOT_PUBLIC = "ENOTPUBLIC"

const onlyPublicAddresses = FiberRef.unsafeMake(false)

/**
 * The requests of `effect` connect to addresses on the Internet only. A name is judged by what it resolves to when the
 * connection is made, so that no second answer of a name server can lead elsewhere; a refusal is a `Transport` error
 * whose cause has the code `NOT_PUBLIC`. An address written as a number is not resolved: its caller must judge it.
 */
export const toPublicAddresses = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(effect, onlyPublicAddresses, true)

const lookupPublic: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const refusal =
      error ??
      (addresses.every(({ address }) => PublicAddress.isPublic(address))
        ? null
        : Object.assign(new Error("not a public address"), { code: NOT_PUBLIC }))
    const [first] = addresses ?? []
    if (options.all || refusal !== null || first === undefined) callback(refusal, addresses ?? [])
    else callback(null, first.address, first.family)
  })

/** Headers that hold keys, beyond those that the platform knows. */
const secretHeaders = ["auth-key", "x-apikey", "x-goog-api-key"]

/**
 * The HTTP client for everything that this service asks of others. It follows no redirects, decodes no content encoding
 * and sets no time limit but that of connecting; it tells third parties nothing of our traces, and our traces nothing of
 * the addresses but their hosts: the rest may hold keys.
 */
export const layer = Layer.scoped(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const anywhere = yield* NodeGetClient.make({ connectTimeout: CONNECT_TIMEOUT })
    const publicOnly = yield* NodeGetClient.make({ connectTimeout: CONNECT_TIMEOUT, lookup: lookupPublic })
    const { isOn, span } = yield* Tracing
    const traced = (request: HttpClientRequest.HttpClientRequest) =>
      isOn && URL.canParse(request.url)
        ? span(request.method, {
            kind: "client",
            attributes: {
              "http.request.method": request.method,
              "server.address": new URL(request.url).hostname
            }
          })
        : identity
    return HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
      Effect.flatMap((request) =>
        Effect.flatMap(FiberRef.get(onlyPublicAddresses), (only) =>
          traced(request)((only ? publicOnly : anywhere).execute(request))
        )
      ),
      Effect.succeed
    ).pipe(
      HttpClient.mapRequest((request) =>
        "user-agent" in request.headers
          ? request
          : HttpClientRequest.setHeader(request, "user-agent", Program.nameAndVersion)
      ),
      HttpClient.withTracerDisabledWhen(() => true)
    )
  })
).pipe(
  Layer.merge(
    Layer.unwrapEffect(
      Effect.map(AppConfig, ({ feeds }) =>
        Layer.fiberRefLocallyScopedWith(Headers.currentRedactedNames, (names) => [
          ...names,
          ...secretHeaders,
          ...Object.values(feeds).flatMap(({ authHeader }) =>
            Option.match(authHeader, { onNone: () => [], onSome: ({ name }) => [name] })
          )
        ])
      )
    )
  )
)
