import { Worker } from "node:worker_threads"
import type { JobRunner, TableResult, TreesResult } from "./Jobs.ts"
import type { JobRequest } from "./JobThread.ts"

const runInThread = <Result>(request: JobRequest): Promise<Result> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./JobThread.mjs", import.meta.url), { workerData: request })
    worker.once("message", resolve)
    worker.once("error", reject)
  })

/** Runs each job in a thread of its own. Results do not depend on which job ends first. */
export const threadRunner = (log: (text: string) => void): JobRunner => ({
  fitTable: async (job) => {
    const result = await runInThread<TableResult>({ kind: "table", job })
    log("a table")
    return result
  },
  fitTrees: async (job) => {
    const result = await runInThread<TreesResult>({ kind: "trees", job })
    log(`trees of ${job.rows.length} rows`)
    return result
  }
})
