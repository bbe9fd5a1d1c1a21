import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { type Duration, Effect, Layer, Logger, LogLevel } from "effect"
import { Checkers } from "../Checkers/Checkers.ts"
import { ConfiguredModel } from "../Checkers/Heuristics/ConfiguredModel.ts"
import { Heuristics } from "../Checkers/Heuristics.ts"
import { HashSearch } from "../Checkers/ReputationLookup/HashSearch.ts"
import { ReputationLookup } from "../Checkers/ReputationLookup.ts"
import { AppConfig } from "../Layers/AppConfig.ts"
import { Cache } from "../Layers/Cache.ts"
import { CacheDatabase } from "../Layers/CacheDatabase.ts"
import * as Outbound from "../Layers/Outbound.ts"
import * as LogLine from "../Layers/Telemetry/LogLine.ts"
import { HashLists } from "../Lists/HashLists.ts"
import { ListWorker } from "../Lists/ListWorker.ts"
import { NewDomains } from "../Lists/NewDomains.ts"
import { OperatorLists } from "../Lists/OperatorLists.ts"
import { PopularSites } from "../Lists/PopularSites.ts"
import * as OneRunFeeds from "./OneRunFeeds.ts"
import type { Output } from "./Output.ts"
import { printable } from "./Printable.ts"

/** Writes log lines as notices: `A saved threat list cannot be used (feed=feed_a, source=phishunt.io)`. */
const logger = (output: Output) =>
  Logger.make<unknown, void>((record) => {
    const details = LogLine.shownFieldsOf(record)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(", ")
    const text = LogLine.textOf(record)
    Effect.runFork(output.notice(`${printable(details === "" ? text : `${text} (${details})`)}\n`))
  })

/** Logs from level `info` on a terminal, from `error` with `--quiet`, else from `warning`, or from LOG_LEVEL if that is higher. */
const logging = (output: Output) =>
  Layer.unwrapEffect(
    Effect.map(AppConfig, ({ logLevel }) => {
      const usual = output.isQuiet ? LogLevel.Error : output.hasProgress ? LogLevel.Info : LogLevel.Warning
      return Layer.merge(
        Logger.replace(Logger.defaultLogger, logger(output)),
        Logger.minimumLogLevel(LogLevel.greaterThan(logLevel, usual) ? logLevel : usual)
      )
    })
  )

/** The checkers of the service, configured by the same environment, with feeds for a single run. */
export const layer = (wait: Duration.Duration, output: Output) =>
  Checkers.layer.pipe(
    Layer.provide([Heuristics.layer, ReputationLookup.layer, OperatorLists.layer]),
    Layer.provide([PopularSites.layer, NewDomains.layer]),
    Layer.provide([OneRunFeeds.layer(wait), HashLists.saved, HashSearch.layer, ConfiguredModel.layer]),
    Layer.provide(Layer.provide(Cache.layer, CacheDatabase.layer)),
    Layer.provide([ListWorker.layer(), Outbound.HttpGet.layer, NodeFileSystem.layer]),
    Layer.provide([AppConfig.warnings, Outbound.logProxies]),
    Layer.provide(logging(output)),
    Layer.provide(Outbound.proxies),
    Layer.provideMerge(AppConfig.layer)
  )
