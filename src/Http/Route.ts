import type { IncomingHttpHeaders } from "node:http"
import type { Effect, Either } from "effect"
import type { HttpResponse } from "../Layers/Server.ts"
import type { Refusal } from "./Response.ts"

/** A request as handlers see it: nothing of its connection. */
export interface RequestData {
  readonly headers: IncomingHttpHeaders
  readonly query: URLSearchParams
}

export interface PostData extends RequestData {
  /** The rate limit counts the client: it is not one of RATE_LIMIT_EXEMPT. */
  readonly isCounted: boolean
}

interface AnyRoute {
  /** Compared as written: `/API/check/` is another path. */
  readonly path: string
  /** Pages of other origins may read the responses for clients. With `ADMIN_PORT` those for operators are on that port only. */
  readonly audience: "clients" | "operators"
}

/** Answers GET and HEAD. Is not counted, and never refused. */
export interface GetRoute extends AnyRoute {
  readonly method: "GET"
  /** A style, script or picture of a page: logged at level debug, as the page itself has a line. */
  readonly isAsset?: boolean
  readonly handle: (request: RequestData) => Effect.Effect<HttpResponse>
}

/** What the body of a request asks for. */
interface Work {
  /** As how many requests it counts. */
  readonly cost: number
  readonly respond: Effect.Effect<HttpResponse, Refusal>
}

/** Answers POST with a JSON body. */
export interface PostRoute extends AnyRoute {
  readonly method: "POST"
  readonly body: {
    readonly maxBytes: number
    /**
     * `one`: counted as one request before its body is read. `known from the body`: counted when its body has been read; such
     * requests wait for a place, because they may be expensive.
     */
    readonly cost: "one" | "known from the body"
  }
  /** `body` is undefined if the body of the request is not JSON. */
  readonly handle: (body: unknown, request: PostData) => Either.Either<Work, Refusal>
}

export type Route = GetRoute | PostRoute
