import { Headers, HttpClient, type HttpClientError, HttpClientRequest } from "@effect/platform"
import { Duration, Effect, identity, Layer, Option } from "effect"
import { AppConfig } from "./AppConfig.ts"
import * as NodeHttpClient from "./Outbound/NodeHttpClient.ts"
import * as Program from "./Program.ts"
import { Tracing } from "./Telemetry/Tracing.ts"

/** From the start of the name resolution to the end of the TLS handshake. */
export const CONNECT_TIMEOUT = Duration.seconds(10)

/** Makes a span of a request if traces are on. It contains the host only: the rest of the address may contain keys. */
export const traced = ({ isOn, span }: Tracing["Type"], method: string, url: string) =>
  isOn && URL.canParse(url)
    ? span(method, {
        kind: "client",
        attributes: { "http.request.method": method, "server.address": new URL(url).hostname }
      })
    : identity

/** Headers that contain keys, in addition to those that the platform redacts. */
const secretHeaders = ["auth-key", "x-apikey", "x-goog-api-key"]

/** Without the platform's spans, which contain the whole address. */
const make = Effect.map(
  NodeHttpClient.make({ connectTimeout: CONNECT_TIMEOUT }),
  HttpClient.withTracerDisabledWhen(() => true)
)

/**
 * Sends our user agent unless a request has its own. Always the outermost: `HttpClient.withScope` finds the connection by the
 * identity of the request, which must not change any more below it.
 */
const withUserAgent = HttpClient.mapRequest((request: HttpClientRequest.HttpClientRequest) =>
  "user-agent" in request.headers
    ? request
    : HttpClientRequest.setHeader(request, "user-agent", Program.nameAndVersion)
)

/** The client without spans, for the exporter of traces. */
export const untraced: Layer.Layer<HttpClient.HttpClient> = Layer.scoped(
  HttpClient.HttpClient,
  Effect.map(make, withUserAgent)
)

const tracedClient = Layer.scoped(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const client = yield* make
    const tracing = yield* Tracing
    return HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
      Effect.flatMap((request) => traced(tracing, request.method, request.url)(client.execute(request))),
      Effect.succeed
    ).pipe(withUserAgent)
  })
)

const redactedHeaders = Layer.unwrapEffect(
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

/**
 * The HTTP client for requests to third parties; feeds are fetched by `FeedWorker`. It follows no redirects, decodes no
 * content encoding and has no timeout but that of the connection. Third parties receive no `traceparent`; spans contain the
 * host only. Headers that may contain keys are redacted when they are printed.
 */
export const layer = Layer.merge(tracedClient, redactedHeaders)
