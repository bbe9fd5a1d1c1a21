import { Context, Effect, Layer } from "effect"

/** Half of the threads on which Node, as it starts, accesses files and looks up names. */
const MAX_SNAPSHOTS_AT_ONCE = 2

/**
 * Limits how many snapshots are read or written at once. A call to a disk that does not respond occupies its thread until the
 * disk responds: without threads the service would neither read its other files nor find a host. The default has no limit.
 */
export class SnapshotDisk extends Context.Reference<SnapshotDisk>()(
  "app/Checkers/ThreatFeed/FeedSnapshot/SnapshotDisk",
  { defaultValue: () => Effect.unsafeMakeSemaphore(Number.POSITIVE_INFINITY) }
) {
  static readonly layer = Layer.effect(SnapshotDisk, Effect.makeSemaphore(MAX_SNAPSHOTS_AT_ONCE))
}
