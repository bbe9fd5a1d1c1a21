import { HttpClient } from "@effect/platform"
import { Duration, Effect, identity, Layer } from "effect"
import * as NodeHttpClient from "./Outbound/NodeHttpClient.ts"
import type { Tracing } from "./Telemetry/Tracing.ts"

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

/**
 * The platform's HTTP client, for the exporter of traces: without spans of its requests, which would contain the whole address.
 * It follows no redirects, decodes no content encoding and has no timeout but that of the connection. `HttpGet` is for requests
 * of checks, feeds are fetched by `FeedWorker`.
 */
export const untraced: Layer.Layer<HttpClient.HttpClient> = Layer.scoped(
  HttpClient.HttpClient,
  Effect.map(
    NodeHttpClient.make({ connectTimeout: CONNECT_TIMEOUT }),
    HttpClient.withTracerDisabledWhen(() => true)
  )
)
