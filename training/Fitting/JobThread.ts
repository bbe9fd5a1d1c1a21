import { parentPort, workerData } from "node:worker_threads"
import * as Jobs from "./Jobs.ts"

/** The data that a thread starts with. Arrays over shared memory are not copied. */
export type JobRequest =
  | { readonly kind: "table"; readonly job: Jobs.TableJob }
  | { readonly kind: "trees"; readonly job: Jobs.TreesJob }

const request: JobRequest = workerData
parentPort?.postMessage(request.kind === "table" ? Jobs.fitTable(request.job) : Jobs.fitTrees(request.job))
