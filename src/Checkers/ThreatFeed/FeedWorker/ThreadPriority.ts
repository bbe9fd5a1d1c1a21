import { readlinkSync } from "node:fs"
import { setPriority } from "node:os"

/** Beside a thread of ordinary priority on the same core it gets about a tenth of the time, and all of it when that rests. */
const LOW = 10

/**
 * Gives the thread that calls it a low priority, so that on few cores it does not take turns with the one that answers
 * requests. Linux knows priorities of single threads, by the number that `/proc/thread-self` leads to
 * (https://man7.org/linux/man-pages/man2/setpriority.2.html); elsewhere nothing happens.
 */
export const lower = (): void => {
  try {
    const [, thread = ""] = /^\d+\/task\/(\d+)$/.exec(readlinkSync("/proc/thread-self")) ?? []
    if (thread !== "") setPriority(Number(thread), LOW)
  } catch {
    // A system without such a file, or one that does not let us.
  }
}
