import { ValidationError } from "@effect/cli"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit } from "effect"
import * as Commands from "./Cli/Commands.ts"
import * as Output from "./Cli/Output.ts"
import { printable } from "./Cli/Printable.ts"
import { InvalidConfig } from "./Layers/AppConfig.ts"
import * as Files from "./Layers/Files.ts"

const { stdin, stdout, stderr } = process
const output = Output.make(stdout, stderr)

/** Undefined if the message has been printed already, or its reader has closed the pipe. */
const errorMessage = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  if (Cause.isInterruptedOnly(cause) || ValidationError.isValidationError(error)) return undefined
  if (error instanceof InvalidConfig) return error.message
  if (error instanceof Output.OutputClosed)
    return error.code === "EPIPE" ? undefined : `Cannot write the results: ${error.code}`
  return error instanceof Error && Cause.isFailure(cause) ? error.message : Cause.pretty(cause)
}

const calls = new Files.CallsUnderWay()

const FAILED = 2

/** The status that shells use for programs ended by Ctrl-C. It must not be 0, which means "all safe". */
const INTERRUPTED = 130

let ending: Commands.Ending = 0
const end = (requested: Commands.Ending) =>
  Effect.sync(() => {
    ending = requested
  })

const streams = {
  output,
  isStdinTerminal: stdin.isTTY === true,
  isStdoutTerminal: stdout.isTTY === true,
  // `hasColors` respects NO_COLOR and FORCE_COLOR.
  colour: stdout.isTTY === true && stdout.hasColors()
}

const program = Commands.run(
  streams,
  end
)(process.argv).pipe(
  Effect.tapErrorCause((cause) => {
    const text = errorMessage(cause)
    return text === undefined ? Effect.void : output.notice(`${printable(text)}\n`)
  }),
  Effect.ensuring(calls.end),
  Effect.provideService(Files.FileCalls, calls),
  Effect.provide(NodeContext.layer)
)

NodeRuntime.runMain(program, {
  disablePrettyLogger: true,
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    if (calls.paths.length > 0) Files.teardown(calls)(exit, onExit)
    else if (Exit.isFailure(exit)) onExit(Cause.isInterruptedOnly(exit.cause) ? INTERRUPTED : FAILED)
    // The server is a bundle of its own, so that the command line does not load it.
    else if (ending === "Serve") void import(new URL("./main.js", import.meta.url).href)
    else onExit(ending)
  }
})
