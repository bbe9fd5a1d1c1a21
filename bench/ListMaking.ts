import { pathToFileURL } from "node:url"
import { Effect, Stream } from "effect"
import type { FeedError } from "../src/Checkers/ThreatFeed/FeedError.ts"
import { FeedWorker } from "../src/Checkers/ThreatFeed/FeedWorker.ts"

/** A feed's document. */
export const lines = (urls: Iterable<string>): Buffer => Buffer.from(`${[...urls].join("\n")}\n`, "latin1")

/** The list of a document of lines, made as the service makes it. `main` is the service's script. */
export const make = async (main: string, document: Buffer): Promise<ArrayBuffer> => {
  const body: Stream.Stream<Uint8Array, FeedError> = Stream.make(new Uint8Array(document))
  const order = {
    hashKey: [0x01234567, 0x89abcdef] as const,
    stampClock: undefined,
    document: { format: "lines", category: "phishing" } as const,
    earlier: undefined
  }
  const made = FeedWorker.make(new URL("./FeedWorkerThread.js", pathToFileURL(main))).pipe(
    Effect.flatMap((worker) => worker.make(order, body)),
    Effect.scoped
  )
  return (await Effect.runPromise(made)).bytes
}
