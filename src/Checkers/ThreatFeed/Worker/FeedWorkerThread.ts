/**
 * The thread behind `FeedWorker`: asks for documents and makes lists of them. A program of its own, built beside main.js,
 * without fibers and streams of Effect: they would be half of its memory.
 */
import type { IncomingMessage } from "node:http"
import { parentPort } from "node:worker_threads"
import * as HttpRequest from "../../../Layers/Outbound/HttpRequest.ts"
import { lookupPublic } from "../../../Layers/Outbound/PublicLookup.ts"
import * as FeedBody from "./FeedBody.ts"
import * as FeedIntake from "./FeedIntake.ts"
import type { FromThread, ToThread } from "./FeedWorker.ts"
import { ListFailure, ofTransport } from "./ListFailure.ts"
import * as ThreadPriority from "./ThreadPriority.ts"

const port = parentPort
if (port === null) throw new Error("not a worker thread")

ThreadPriority.lower()

/** A request under way, and its answer once that has begun. */
interface Exchange {
  readonly aborter: AbortController
  body: FeedBody.FeedBody | undefined
}

const exchanges = new Map<number, Exchange>()

/** A feed is asked once in an hour. */
const agents = HttpRequest.makeAgents({ keepAlive: false })

const answer = (message: FromThread) => port.postMessage(message)

const end = (id: number) => {
  exchanges.get(id)?.aborter.abort()
  exchanges.delete(id)
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )

const fail = (id: number, { reason, detail }: ListFailure) => {
  end(id)
  answer({ _tag: "Failed", id, reason, detail })
}

const get = ({ id, request, heard }: Extract<ToThread, { _tag: "Get" }>) => {
  const aborter = new AbortController()
  const exchange: Exchange = { aborter, body: undefined }
  exchanges.set(id, exchange)
  const { url, headers, connectTimeout, mayConnectInside } = request
  return HttpRequest.send(url, {
    method: "GET",
    headers,
    body: undefined,
    agents,
    connectTimeoutMs: connectTimeout,
    lookup: mayConnectInside ? undefined : lookupPublic,
    signal: aborter.signal
  }).then(
    (message) => {
      // The reader hears of an error that came before it began, if somebody listened.
      message.on("error", () => undefined)
      exchange.body = FeedBody.receive(message, message.headers["content-length"], heard)
      answer({ _tag: "Answered", id, status: message.statusCode ?? 0, headers: headersOf(message) })
    },
    (error) => fail(id, ofTransport(error))
  )
}

const make = async ({ id, order }: Extract<ToThread, { _tag: "Make" }>) => {
  try {
    const made = await FeedIntake.make(order, exchanges.get(id)?.body)
    end(id)
    answer({ _tag: "Made", id, made })
  } catch (error) {
    if (!(error instanceof ListFailure)) throw error
    fail(id, error)
  }
}

// An exception becomes an unhandled rejection, which ends the thread and is told to the other side.
port.on("message", (message: ToThread) => {
  if (message._tag === "Get") return void get(message)
  if (message._tag === "Make") return void make(message)
  if (message._tag === "Ping") return answer({ _tag: "Pong", id: message.id })
  end(message.id)
})
