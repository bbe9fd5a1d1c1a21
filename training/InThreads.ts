import { Worker } from "node:worker_threads"
import type { Run } from "./Jobs.ts"
import type { Order } from "./JobThread.ts"

const start = <Done>(order: Order): Promise<Done> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./JobThread.mjs", import.meta.url), { workerData: order })
    worker.once("message", resolve)
    worker.once("error", reject)
  })

/** Each job in a thread of its own. Results do not depend on which ends first. */
export const inThreads = (tell: (text: string) => void): Run => ({
  table: async (job) => {
    const done = await start<Awaited<ReturnType<Run["table"]>>>({ kind: "table", job })
    tell("a table")
    return done
  },
  trees: async (job) => {
    const done = await start<Awaited<ReturnType<Run["trees"]>>>({ kind: "trees", job })
    tell(`trees of ${job.rows.length} rows`)
    return done
  }
})
