import { readlinkSync } from "node:fs"
import { setPriority } from "node:os"

/** A nice value. The thread gets about a tenth of a busy core, and all of an idle one. */
const LOW = 10

/**
 * Lowers the priority of the calling thread, so that building a list does not delay the thread that answers requests. Only
 * on Linux, where a thread has a priority of its own (https://man7.org/linux/man-pages/man2/setpriority.2.html) and
 * `/proc/thread-self` shows its number; elsewhere it does nothing.
 */
export const lower = (): void => {
  try {
    const [, thread = ""] = /^\d+\/task\/(\d+)$/.exec(readlinkSync("/proc/thread-self")) ?? []
    if (thread !== "") setPriority(Number(thread), LOW)
  } catch {
    // Not Linux, or not permitted.
  }
}
