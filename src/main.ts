import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Layer } from "effect"
import { Checkers } from "./Checkers/Checkers.ts"
import { ConfiguredModel } from "./Checkers/Heuristics/ConfiguredModel.ts"
import { ModelFileError } from "./Checkers/Heuristics/Model/ModelFile.ts"
import { Heuristics } from "./Checkers/Heuristics.ts"
import { HashSearch } from "./Checkers/ReputationLookup/HashSearch.ts"
import { ReputationLookup } from "./Checkers/ReputationLookup.ts"
import * as Serve from "./Http/Serve.ts"
import { AppConfig, InvalidConfig } from "./Layers/AppConfig.ts"
import { Cache } from "./Layers/Cache.ts"
import { CacheDatabase } from "./Layers/CacheDatabase.ts"
import * as Files from "./Layers/Files.ts"
import { HttpGet } from "./Layers/Outbound.ts"
import { RateLimiter } from "./Layers/RateLimiter.ts"
import * as ShutdownLog from "./Layers/Server/ShutdownLog.ts"
import { ListenError } from "./Layers/Server.ts"
import * as LogOutput from "./Layers/Telemetry/LogOutput.ts"
import * as Telemetry from "./Layers/Telemetry.ts"
import { HashLists } from "./Lists/HashLists.ts"
import { ListWorker } from "./Lists/ListWorker.ts"
import { OperatorLists } from "./Lists/OperatorLists.ts"
import { PopularSites } from "./Lists/PopularSites.ts"
import { ListLog } from "./Lists/RefreshedList/ListLog.ts"
import { FaultyFiles } from "./Lists/RefreshedList/SnapshotFile.ts"
import * as UpstashSharedStore from "./Lists/SharedStore/UpstashSharedStore.ts"
import { ThreatFeeds } from "./Lists/ThreatFeeds.ts"

/** One line for what the operator can mend; a stack only for a defect. */
const whyNotStarted = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof InvalidConfig || error instanceof ModelFileError || error instanceof ListenError
    ? error.message
    : Cause.pretty(cause)
}

// Ignores repeated signals: without a listener the second one, which npm sends after the terminal's, would kill the
// process during its shutdown.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined)

const errors = LogOutput.make(process.stderr)
const calls = new Files.CallsUnderWay()

// The server starts last and stops first: requests in flight get their responses before the services that they use end.
Serve.layer.pipe(
  Layer.provide(ConfiguredModel.warnings),
  Layer.provide(Checkers.layer),
  Layer.provide([Heuristics.layer, ReputationLookup.layer, PopularSites.layer, OperatorLists.layer]),
  Layer.provide([ThreatFeeds.layer, HashLists.layer, HashSearch.layer, ConfiguredModel.layer]),
  Layer.provide([RateLimiter.layer, Cache.layer, UpstashSharedStore.layer]),
  Layer.provide(CacheDatabase.layer),
  Layer.provide([ListWorker.layer, FaultyFiles.layer, HttpGet.layer, Files.layer, NodePath.layer]),
  Layer.provide([ShutdownLog.layer, ListLog.layer, AppConfig.warnings]),
  Layer.provide(Telemetry.layer),
  Layer.provide(AppConfig.layer),
  Layer.provide(Layer.succeed(Files.FileCalls, calls)),
  Layer.launch,
  Effect.tapErrorCause((cause) =>
    Effect.when(
      Effect.zipRight(
        Effect.sync(() => errors.write(`${whyNotStarted(cause)}\n`)),
        errors.flush
      ),
      () => !Cause.isInterruptedOnly(cause)
    )
  ),
  NodeRuntime.runMain({
    disablePrettyLogger: true,
    disableErrorReporting: true,
    teardown: Files.teardown(calls)
  })
)
