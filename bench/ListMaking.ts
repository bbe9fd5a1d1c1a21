import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { pathToFileURL } from "node:url"
import { Effect, Exit, Scope } from "effect"
import type { Order } from "../src/Checkers/ThreatFeed/Worker/FeedIntake.ts"
import { FeedWorker } from "../src/Checkers/ThreatFeed/Worker/FeedWorker.ts"
import type { Bytes } from "../src/Checkers/ThreatList/ThreatListBytes.ts"

/** A feed's document. */
export const lines = (urls: Iterable<string>): Buffer => Buffer.from(`${[...urls].join("\n")}\n`, "latin1")

export const order: Order = {
  hashKey: [0x01234567, 0x89abcdef],
  stampClock: undefined,
  document: { format: "lines", category: "phishing" },
  earlier: undefined
}

/** Makes lists of documents as the service does: its thread fetches them, from a server here. `main` is the service's script. */
export const start = async (main: string) => {
  let document: Uint8Array = Buffer.alloc(0)
  const server = createServer((_, response) =>
    response.writeHead(200, { "content-length": document.length }).end(document)
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const request = {
    url: `http://127.0.0.1:${port}/`,
    headers: {},
    connectTimeout: 10_000,
    mayConnectInside: true
  }
  const scope = Effect.runSync(Scope.make())
  const script = new URL("./FeedWorkerThread.cjs", pathToFileURL(main))
  const worker = Effect.runSync(Scope.extend(FeedWorker.make(script), scope))
  return {
    make: (bytes: Uint8Array): Promise<Bytes> => {
      document = bytes
      const made = Effect.flatMap(worker.get(request), (answer) => answer.make(order))
      return Effect.runPromise(Effect.map(Effect.scoped(made), ({ bytes }) => bytes))
    },
    stop: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      server.close()
      server.closeAllConnections()
    }
  }
}

/** The list of one document of lines. */
export const make = async (main: string, document: Buffer): Promise<Bytes> => {
  const { make, stop } = await start(main)
  return make(document).finally(stop)
}
