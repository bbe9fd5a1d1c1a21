import {
  HttpApiBuilder,
  HttpLayerRouter,
  HttpMiddleware,
  HttpServer,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import * as RequestId from "../Layers/Server/RequestId.ts"
import { NodeServer } from "../Layers/Server.ts"
import { Api, checkEndpoint } from "./Api.ts"
import { Check } from "./Check.ts"
import * as CrossOrigin from "./CrossOrigin.ts"
import { errorBodies } from "./ErrorBodies.ts"
import * as Health from "./Health.ts"
import { toResponse } from "./JsonResponse.ts"
import * as MetricsRoute from "./MetricsRoute.ts"
import * as OpenApi from "./OpenApi.ts"
import * as Pages from "./Pages.ts"
import * as Watch from "./Watch.ts"

const check = HttpApiBuilder.group(Api, "check", (handlers) =>
  Effect.map(Check, (answer) =>
    handlers.handleRaw("check", ({ request }) =>
      Effect.map(answer(NodeHttpServerRequest.toIncomingMessage(request)), toResponse)
    )
  )
)

/** Everything that is served. */
const routes = Layer.mergeAll(HttpLayerRouter.addHttpApi(Api), Pages.layer, MetricsRoute.layer).pipe(
  Layer.provide([check, Health.layer, OpenApi.layer, NodeFileSystem.layer]),
  Layer.provide(HttpServer.layerContext)
)

/** A path counts as written: `/API/check/` is another one. */
const exactPaths = { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false }

/**
 * Serves the routes on the `HttpServer`. Every answer gets a body for errors, cross-origin headers, an id, a line in the log.
 *
 * The one operation is also given to the node server itself: the same effect, with the same headers and the same line,
 * without the router, the scope and the trace that the platform makes for each request. A target that is written in another
 * way, such as one with a query, takes the platform's way to the same answer.
 */
export const serve = Layer.scopedDiscard(
  Effect.gen(function* () {
    const app = yield* HttpLayerRouter.toHttpEffect(routes).pipe(
      Effect.provideService(HttpLayerRouter.RouterConfig, exactPaths)
    )
    const { corsOrigins } = yield* AppConfig
    const crossOrigin = CrossOrigin.headers(corsOrigins)
    const answered = errorBodies(app)
    const watch = yield* Watch.make

    // Its span would tell the whole target and the caller's address; ours is made by `watch`.
    yield* HttpMiddleware.withTracerDisabledWhenEffect(
      HttpServer.serveEffect(
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          const id = RequestId.of(request.headers["x-request-id"])
          const headers = { ...crossOrigin(request.headers.origin), "x-request-id": id }
          return watch(
            request,
            id,
            request.method === "OPTIONS"
              ? Effect.succeed(
                  HttpServerResponse.empty({ status: 204, headers: { ...headers, ...CrossOrigin.preflight } })
                )
              : Effect.map(answered, HttpServerResponse.setHeaders(headers))
          )
        })
      ),
      () => true
    )

    const check = yield* Check
    yield* (yield* NodeServer).answer(
      ({ method, url }) => method === checkEndpoint.method && url === checkEndpoint.path,
      (request) => {
        const id = RequestId.of(request.headers["x-request-id"])
        return watch(
          request,
          id,
          Effect.map(check(request), (answer) => ({
            ...answer,
            headers: { ...answer.headers, ...crossOrigin(request.headers.origin), "x-request-id": id }
          }))
        )
      }
    )
  })
).pipe(Layer.provide(Check.layer))
