import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { type Duration, Effect, Layer, Logger, LogLevel } from "effect"
import { Checkers } from "../Checkers/Checkers.ts"
import { Heuristics } from "../Checkers/Heuristics.ts"
import { ReputationLookup } from "../Checkers/ReputationLookup.ts"
import { FeedWorker } from "../Checkers/ThreatFeed/Worker/FeedWorker.ts"
import { AppConfig } from "../Layers/AppConfig.ts"
import { Cache } from "../Layers/Cache.ts"
import * as OutboundHttp from "../Layers/Outbound.ts"
import * as Logging from "../Layers/Telemetry/Logging.ts"
import * as OneRunFeeds from "./OneRunFeeds.ts"
import type { Output } from "./Output.ts"
import { printable } from "./Printable.ts"

/** `A threat list was not refreshed (feed=feed_a, reason=timeout)`, never among the results. */
const logger = (output: Output) =>
  Logger.make<unknown, void>(({ message, annotations }) => {
    const details = Array.from(annotations, ([name, value]) => `${name}=${String(value)}`).join(", ")
    const text = [message].flat().map(String).join(" ")
    Effect.runFork(output.notice(`${printable(details === "" ? text : `${text} (${details})`)}\n`))
  })

/** Whoever watches sees what is done; a log of a job holds only what went wrong. LOG_LEVEL may ask for less. */
const logging = (output: Output) =>
  Layer.unwrapEffect(
    Effect.map(AppConfig, ({ logLevel }) => {
      const usual = output.isWatched ? LogLevel.Info : LogLevel.Warning
      const asked = Logging.levels[logLevel]
      return Layer.merge(
        Logger.replace(Logger.defaultLogger, logger(output)),
        Logger.minimumLogLevel(LogLevel.greaterThan(asked, usual) ? asked : usual)
      )
    })
  )

/** The service's own checkers, of the same environment, with the lists of one run. */
export const layer = (wait: Duration.Duration, output: Output) =>
  Checkers.layer.pipe(
    Layer.provide([Heuristics.layer, ReputationLookup.layer]),
    Layer.provide(OneRunFeeds.layer(wait)),
    Layer.provide(Cache.layer),
    Layer.provide([FeedWorker.layer, OutboundHttp.layer, NodeFileSystem.layer, NodePath.layer]),
    Layer.provide(logging(output)),
    Layer.provideMerge(AppConfig.layer)
  )
