import { Headers, HttpClient, type HttpClientError, HttpClientRequest } from "@effect/platform"
import { Duration, Effect, identity, Layer, Option } from "effect"
import { AppConfig } from "./AppConfig.ts"
import * as NodeGetClient from "./Outbound/NodeGetClient.ts"
import * as Program from "./Program.ts"
import { Tracing } from "./Telemetry/Tracing.ts"

/** From the name look-up to the end of the TLS handshake. */
export const CONNECT_TIMEOUT = Duration.seconds(10)

/** Makes a span of a request if somebody wants traces, which tells nothing of the address but its host: the rest may hold keys. */
export const traced = ({ isOn, span }: Tracing["Type"], method: string, url: string) =>
  isOn && URL.canParse(url)
    ? span(method, {
        kind: "client",
        attributes: { "http.request.method": method, "server.address": new URL(url).hostname }
      })
    : identity

/** Headers that hold keys, beyond those that the platform knows. */
const secretHeaders = ["auth-key", "x-apikey", "x-goog-api-key"]

/**
 * The HTTP client for what this service asks of others, but for feeds (see `FeedWorker`). It follows no redirects, decodes no content encoding
 * and sets no time limit but that of connecting; it tells third parties nothing of our traces, and our traces nothing of
 * the addresses but their hosts: the rest may hold keys.
 */
export const layer = Layer.scoped(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const client = yield* NodeGetClient.make({ connectTimeout: CONNECT_TIMEOUT })
    const tracing = yield* Tracing
    return HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
      Effect.flatMap((request) => traced(tracing, request.method, request.url)(client.execute(request))),
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
