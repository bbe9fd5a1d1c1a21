import { ValidationError } from "@effect/cli"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit } from "effect"
import * as Commands from "./Cli/Commands.ts"
import * as Output from "./Cli/Output.ts"
import { withPlainConsole } from "./Cli/PlainConsole.ts"
import { printable } from "./Cli/Printable.ts"
import { InvalidConfig } from "./Layers/AppConfig.ts"

const { stdin, stdout, stderr } = process
const output = Output.make(stdout, stderr)

/** Undefined: it was said already, or nobody is there to hear it. */
const explanation = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  if (Cause.isInterruptedOnly(cause) || ValidationError.isValidationError(error)) return undefined
  if (error instanceof InvalidConfig) return error.message
  if (error instanceof Output.OutputClosed)
    return error.code === "EPIPE" ? undefined : `Cannot write the results: ${error.code}`
  return error instanceof Error && Cause.isFailure(cause) ? error.message : Cause.pretty(cause)
}

const FAILED = 2

/** What a shell gives a program that Ctrl-C ended: never the status that means "safe". */
const INTERRUPTED = 130

let ending: Commands.Ending = 0
const end = (how: Commands.Ending) =>
  Effect.sync(() => {
    ending = how
  })

/** Node knows about NO_COLOR, FORCE_COLOR and dumb terminals. */
const coloured = {
  stdout: stdout.isTTY === true && stdout.hasColors(),
  stderr: stderr.isTTY === true && stderr.hasColors()
}

const surroundings = {
  output,
  isTerminalIn: stdin.isTTY === true,
  isTerminalOut: stdout.isTTY === true,
  colour: coloured.stdout
}

const program = Commands.run(
  surroundings,
  end
)(process.argv).pipe(
  withPlainConsole(coloured),
  Effect.tapErrorCause((cause) => {
    const text = explanation(cause)
    return text === undefined ? Effect.void : output.notice(`${printable(text)}\n`)
  }),
  Effect.provide(NodeContext.layer)
)

NodeRuntime.runMain(program, {
  disablePrettyLogger: true,
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    if (Exit.isFailure(exit)) onExit(Cause.isInterruptedOnly(exit.cause) ? INTERRUPTED : FAILED)
    // A program of its own, so that neither is slower for the other: see scripts/build.js.
    else if (ending === "Serve") void import(new URL("./main.js", import.meta.url).href)
    else onExit(ending)
  }
})
