import { parentPort, workerData } from "node:worker_threads"
import * as Jobs from "./Jobs.ts"

/** What a thread is started with. Arrays over shared memory are not copied. */
export type Order =
  | { readonly kind: "table"; readonly job: Jobs.TableJob }
  | { readonly kind: "trees"; readonly job: Jobs.TreesJob }

const order: Order = workerData
parentPort?.postMessage(order.kind === "table" ? Jobs.table(order.job) : Jobs.trees(order.job))
