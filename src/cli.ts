import { createReadStream, fstatSync } from "node:fs"
import { isatty } from "node:tty"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, type Duration, Effect, Exit, Layer, Logger, LogLevel } from "effect"
import { Checkers } from "./Checkers/Checkers.ts"
import { ConfiguredModel } from "./Checkers/Heuristics/ConfiguredModel.ts"
import { Heuristics } from "./Checkers/Heuristics.ts"
import { HashSearch } from "./Checkers/ReputationLookup/HashSearch.ts"
import { ReputationLookup } from "./Checkers/ReputationLookup.ts"
import * as Commands from "./Cli/Commands.ts"
import * as OneRunFeeds from "./Cli/OneRunFeeds.ts"
import * as Output from "./Cli/Output.ts"
import { AppConfig } from "./Layers/AppConfig.ts"
import { Cache } from "./Layers/Cache.ts"
import { CacheDatabase } from "./Layers/CacheDatabase.ts"
import * as Outbound from "./Layers/Outbound.ts"
import { printable } from "./Layers/Telemetry/Printable.ts"
import * as Telemetry from "./Layers/Telemetry.ts"
import { HashLists } from "./Lists/HashLists.ts"
import { ListWorker } from "./Lists/ListWorker.ts"
import { NewDomains } from "./Lists/NewDomains.ts"
import { OperatorLists } from "./Lists/OperatorLists.ts"
import { PopularSites } from "./Lists/PopularSites.ts"

/** Writes log lines as notices: `A saved threat list cannot be used (feed=feed_a, source=phishunt.io)`. */
const logger = (output: Output.Output) =>
  Logger.make<unknown, void>((record) => {
    const details = Telemetry.shownFieldsOf(record)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(", ")
    const text = Telemetry.textOf(record)
    Effect.runFork(output.notice(`${printable(details === "" ? text : `${text} (${details})`)}\n`))
  })

/** Logs from level `info` on a terminal, from `error` with `--quiet`, else from `warning`, or from LOG_LEVEL if that is higher. */
const logging = (output: Output.Output) =>
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
const services = (wait: Duration.Duration, output: Output.Output) =>
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

const { env, stdout, stderr } = process
const output = Output.make(stdout, stderr)

const STDIN = 0

/**
 * Node replaces a directory as standard input by an empty stream, which would be "nothing found". A stream of the descriptor
 * fails when it is read.
 */
const standardInput = () =>
  fstatSync(STDIN).isDirectory() ? createReadStream("", { fd: STDIN }) : process.stdin

/** One line, but for a defect. */
const errorMessage = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error && Cause.isFailure(cause) ? error.message : Cause.pretty(cause)
}

const FAILED = 2

const SIGNALS = ["SIGINT", "SIGTERM"] as const

/** The statuses that shells show for a program that a signal ended. None may be 0, which means "all safe". */
const statuses = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Ends the process by a signal, at once: a thread that opens or reads a pipe never returns, and would hold `process.exit`. The
 * status is for where the signal does not end it: a process with the number 1 ignores it.
 */
const endBy = (name: keyof typeof statuses) => () => {
  process.removeAllListeners(name)
  // On Windows its status would be 1.
  if (process.platform !== "win32") process.kill(process.pid, name)
  process.exit(statuses[name])
}

const program = Commands.run(
  process.argv.slice(2),
  {
    output,
    stdin: standardInput,
    isStdinTerminal: isatty(STDIN),
    isStdoutTerminal: stdout.isTTY === true,
    // `hasColors` respects NO_COLOR and FORCE_COLOR.
    hasColours: stdout.isTTY === true && stdout.hasColors(),
    environment: env
  },
  services
).pipe(
  Effect.tapErrorCause((cause) =>
    Cause.isInterruptedOnly(cause) ? Effect.void : output.notice(`${printable(errorMessage(cause))}\n`)
  ),
  Effect.provide(NodeFileSystem.layer)
)

NodeRuntime.runMain(program, {
  disablePrettyLogger: true,
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    // Also where a file that does not respond holds `process.exit`: the system ends the process by the next signal.
    for (const name of SIGNALS) process.removeAllListeners(name)
    const ending: unknown = Exit.isSuccess(exit) ? exit.value : FAILED
    if (typeof ending === "number") return onExit(ending)
    // The server is a bundle of its own, so that the command line does not load it.
    void import(new URL("./main.js", import.meta.url).href)
  }
})

// In place of the listeners of `runMain`, which wait for the program.
for (const name of SIGNALS) {
  process.removeAllListeners(name)
  process.once(name, endBy(name))
}
