import { HttpApiBuilder, HttpLayerRouter, HttpMiddleware, HttpServer } from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import { accessLog } from "./AccessLog.ts"
import { Api } from "./Api.ts"
import * as Check from "./Check.ts"
import { errorBodies } from "./ErrorBodies.ts"
import * as Health from "./Health.ts"

const check = HttpApiBuilder.group(Api, "check", (handlers) =>
  Effect.map(Check.make, (answer) =>
    handlers.handleRaw("check", ({ request }) => answer(NodeHttpServerRequest.toIncomingMessage(request)))
  )
)

/** A browser asks again after this many seconds; two hours is the most that any of them honours. */
const PREFLIGHT_SECONDS = 7200

/** What every answer passes, from the inside out: a body for errors, the cross-origin headers, the log. */
const everyAnswer = HttpLayerRouter.middleware(
  Effect.map(AppConfig, ({ corsOrigins }) => {
    const cors = HttpMiddleware.cors({
      ...(corsOrigins === "*" ? {} : { allowedOrigins: corsOrigins }),
      allowedMethods: ["GET", "HEAD", "POST"],
      allowedHeaders: ["content-type"],
      exposedHeaders: ["checker-status", "retry-after", "ratelimit", "ratelimit-policy"],
      maxAge: PREFLIGHT_SECONDS
    })
    return (app) => accessLog(cors(errorBodies(app)))
  }),
  { global: true }
)

/** Everything that is served. */
export const layer = HttpLayerRouter.addHttpApi(Api).pipe(
  Layer.provide([check, Health.layer]),
  Layer.provide(everyAnswer),
  Layer.provide(HttpServer.layerContext)
)

/** Serves the routes on the `HttpServer`; a path counts as written: `/API/check/` is another one. */
export const serve = HttpLayerRouter.serve(layer, {
  disableLogger: true,
  disableListenLog: true,
  routerConfig: { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false }
})
