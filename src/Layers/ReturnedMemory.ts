import { MessageChannel } from "node:worker_threads"

/**
 * Gives memory back to the system at once: from then on `bytes` is empty, and so are all views on it. Left to V8, which counts
 * it, 64 MB more of it than at the last collection would be a reason for the next, which holds the thread for many
 * milliseconds; the same goes for memory that another thread hands over, as long as as much is not returned.
 *
 * What is transferred to a port that is closed belongs to nobody.
 */
export const giveBack = (bytes: ArrayBuffer): void => {
  const { port1 } = new MessageChannel()
  port1.close()
  port1.postMessage(undefined, [bytes])
}
