import {
  HttpApiBuilder,
  HttpLayerRouter,
  HttpMiddleware,
  HttpServer,
  HttpServerResponse
} from "@effect/platform"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import { accessLog } from "./AccessLog.ts"
import { Api } from "./Api.ts"
import * as Check from "./Check.ts"
import { errorBodies } from "./ErrorBodies.ts"
import * as Health from "./Health.ts"
import * as OpenApi from "./OpenApi.ts"
import * as Pages from "./Pages.ts"

const check = HttpApiBuilder.group(Api, "check", (handlers) =>
  Effect.map(Check.make, (answer) =>
    handlers.handleRaw("check", ({ request }) => answer(NodeHttpServerRequest.toIncomingMessage(request)))
  )
)

/** Everything that is served. */
const routes = Layer.merge(HttpLayerRouter.addHttpApi(Api), Pages.layer).pipe(
  Layer.provide([check, Health.layer, OpenApi.layer, NodeFileSystem.layer]),
  Layer.provide(HttpServer.layerContext)
)

/** A path counts as written: `/API/check/` is another one. */
const exactPaths = { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false }

/** A browser asks again after this many seconds; two hours is the most that any of them honours. */
const PREFLIGHT_SECONDS = 7200

const cors = (corsOrigins: AppConfig["Type"]["corsOrigins"]) =>
  HttpMiddleware.cors({
    ...(corsOrigins === "*" ? {} : { allowedOrigins: corsOrigins }),
    allowedMethods: ["GET", "HEAD", "POST"],
    allowedHeaders: ["content-type"],
    exposedHeaders: ["checker-status", "retry-after", "ratelimit", "ratelimit-policy"],
    maxAge: PREFLIGHT_SECONDS
  })

/** The platform leaves it out for an origin that is not allowed; a cache would then give that answer to all origins. */
const varyByOrigin = HttpServerResponse.setHeader("vary", "Origin")

/** Serves the routes on the `HttpServer`. Every answer gets a body for errors, cross-origin headers, a line in the log. */
export const serve = Layer.scopedDiscard(
  Effect.gen(function* () {
    const app = yield* HttpLayerRouter.toHttpEffect(routes).pipe(
      Effect.provideService(HttpLayerRouter.RouterConfig, exactPaths)
    )
    const { corsOrigins } = yield* AppConfig
    const answered = errorBodies(app)
    const varied = corsOrigins === "*" ? answered : Effect.map(answered, varyByOrigin)
    yield* HttpServer.serveEffect(accessLog(cors(corsOrigins)(varied)))
  })
)
