import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { pathToFileURL } from "node:url"
import { Effect, Exit, Scope } from "effect"
import type { BuildRequest } from "../src/Lists/ListWorker/Messages.ts"
import { ListWorker } from "../src/Lists/ListWorker.ts"
import type { Bytes } from "../src/Lists/ThreatList/ThreatListBytes.ts"

/** A feed's document. */
export const lines = (urls: Iterable<string>): Buffer => Buffer.from(`${[...urls].join("\n")}\n`, "latin1")

const requestOf = (url: string, changes: Partial<BuildRequest>): BuildRequest => ({
  url,
  headers: {},
  authHeaders: {},
  format: "lines",
  column: undefined,
  isHostList: false,
  category: "phishing",
  oldestDay: undefined,
  earlier: undefined,
  limits: {
    connectTimeoutMs: 10_000,
    idleTimeoutMs: 30_000,
    maxBodyBytes: 268_435_456,
    maxKeys: 2_097_152
  },
  ...changes
})

/**
 * Builds lists of documents as the service does: a worker thread downloads them, from a server in this process. `main` is
 * the service's script. Without `changes` a document is a feed of lines.
 */
export const start = async (main: string, changes: Partial<BuildRequest> = {}) => {
  let document: Uint8Array = Buffer.alloc(0)
  const server = createServer((_, response) =>
    response.writeHead(200, { "content-length": document.length }).end(document)
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const request = requestOf(`http://127.0.0.1:${port}/`, changes)
  const scope = Effect.runSync(Scope.make())
  const script = new URL("./ListWorkerThread.cjs", pathToFileURL(main))
  const worker = Effect.runSync(Scope.extend(ListWorker.make(script), scope))
  return {
    make: async (bytes: Uint8Array): Promise<Bytes> => {
      document = bytes
      const built = await Effect.runPromise(worker.build(request))
      if (built._tag !== "NewDocument") throw new Error(built._tag)
      return built.bytes
    },
    stop: () => {
      Effect.runSync(Scope.close(scope, Exit.void))
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
