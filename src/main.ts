import { setFlagsFromString } from "node:v8"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, FiberRef, HashSet, Layer, Logger, LogLevel } from "effect"
import { Checkers } from "./Checkers/Checkers.ts"
import { ConfiguredModel } from "./Checkers/Heuristics/ConfiguredModel.ts"
import { ModelFileError } from "./Checkers/Heuristics/Model/ModelFile.ts"
import { Heuristics } from "./Checkers/Heuristics.ts"
import { HashSearch } from "./Checkers/ReputationLookup/HashSearch.ts"
import { ReputationLookup } from "./Checkers/ReputationLookup.ts"
import * as Help from "./Cli/Help.ts"
import * as Serve from "./Http/Serve.ts"
import { AppConfig, InvalidConfig } from "./Layers/AppConfig.ts"
import { Cache } from "./Layers/Cache.ts"
import { CacheDatabase } from "./Layers/CacheDatabase.ts"
import * as Outbound from "./Layers/Outbound.ts"
import { RateLimiter } from "./Layers/RateLimiter.ts"
import { ListenError } from "./Layers/Server.ts"
import { printable } from "./Layers/Telemetry/Printable.ts"
import * as Telemetry from "./Layers/Telemetry.ts"
import { HashLists } from "./Lists/HashLists.ts"
import { ListWorker } from "./Lists/ListWorker.ts"
import { NewDomains } from "./Lists/NewDomains.ts"
import { OperatorLists } from "./Lists/OperatorLists.ts"
import { PopularSites } from "./Lists/PopularSites.ts"
import * as SnapshotFile from "./Lists/RefreshedList/SnapshotFile.ts"
import { SharedStore } from "./Lists/SharedStore.ts"
import { ThreatFeeds } from "./Lists/ThreatFeed.ts"

if (process.argv.slice(2).some((arg) => arg === "--help" || arg === "-h")) {
  process.stdout.write(Help.serveText)
  process.exit(0)
}

/*
 * Settings of V8 for a service whose objects die young: they save a sixth of the CPU time of a check.
 *
 * - `--no-parallel-scavenge`: waking four threads for each collection takes longer than copying the 0.2 MB still in use.
 * - `--no-allocation-site-pretenuring`: by chance, in some processes, V8 allocates a part of each of Effect's fibers as old, and
 *   so keeps whole requests until the next collection of all objects.
 *
 * Node warns of changing flags of a running V8; these two are read at each collection. They hold for all threads. `env.js` has
 * them too.
 */
setFlagsFromString("--no-parallel-scavenge")
setFlagsFromString("--no-allocation-site-pretenuring")

// Ignores repeated signals: without a listener the second one, which npm sends after the terminal's, would kill the
// process during its shutdown.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined)

const errors = Telemetry.logOutput(process.stderr)

/** Says in one line of LOG_FORMAT what the operator can mend. Only a defect has a stack. */
const logFatal = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const isJson = (yield* AppConfig.logFormat) === "json"
  const error = Cause.squash(cause)
  const isMendable =
    error instanceof InvalidConfig || error instanceof ModelFileError || error instanceof ListenError
  const logger = Logger.make((record) => {
    if (isJson) return errors.write(`${Telemetry.jsonLine(record)}\n`)
    const lines = isMendable ? [Telemetry.textOf(record)] : Cause.pretty(cause).split("\n")
    return errors.write(lines.map((line) => `${printable(line)}\n`).join(""))
  })
  // In place of the loggers and the level of layers that were built before the failure.
  yield* (isMendable ? Effect.logFatal(error.message) : Effect.logFatal("The service failed", cause)).pipe(
    Effect.locally(FiberRef.currentLoggers, HashSet.make(logger)),
    Effect.locally(FiberRef.currentMinimumLogLevel, LogLevel.All)
  )
  yield* errors.flush
})
const isListening = Effect.unsafeMakeLatch()

// The server starts last and stops first: requests in flight get their responses before the services that they use end.
Layer.effectDiscard(isListening.open).pipe(
  Layer.provide(Serve.layer),
  Layer.provide(ConfiguredModel.warnings),
  Layer.provide(Checkers.layer),
  Layer.provide([Heuristics.layer, ReputationLookup.layer, OperatorLists.layer]),
  Layer.provide([PopularSites.layer, NewDomains.layer]),
  Layer.provide([ThreatFeeds.layer, HashLists.layer, HashSearch.layer]),
  Layer.provide([RateLimiter.layer, Cache.layer, SharedStore.layer]),
  Layer.provide(CacheDatabase.layer),
  // Both wait for files. An invalid MODEL_FILE may end the start before the warning of DATA_DIR.
  Layer.provide([ConfiguredModel.layer, SnapshotFile.tried]),
  Layer.provide([ListWorker.layer(isListening.await), Outbound.HttpGet.layer, NodeFileSystem.layer]),
  Layer.provide([Telemetry.logEnd, AppConfig.warnings, Outbound.logProxies]),
  Layer.provide(Telemetry.layer),
  Layer.provide(Outbound.proxies),
  Layer.provide(AppConfig.layer),
  Layer.launch,
  Effect.tapErrorCause((cause) => Effect.when(logFatal(cause), () => !Cause.isInterruptedOnly(cause))),
  NodeRuntime.runMain({ disablePrettyLogger: true, disableErrorReporting: true })
)
