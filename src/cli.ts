import { createReadStream, fstatSync } from "node:fs"
import { isatty } from "node:tty"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit } from "effect"
import * as Commands from "./Cli/Commands.ts"
import * as Output from "./Cli/Output.ts"
import { printable } from "./Cli/Printable.ts"
import * as Services from "./Cli/Services.ts"
import * as Files from "./Layers/Files.ts"

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

const calls = new Files.CallsUnderWay()

const FAILED = 2

/** The statuses that shells show for a program that a signal ended. None may be 0, which means "all safe". */
const statuses = { SIGINT: 130, SIGTERM: 143 } as const

/** What interrupted the program: `runMain` does not say which. */
let signal: keyof typeof statuses | undefined
for (const name of ["SIGINT", "SIGTERM"] as const)
  process.once(name, () => {
    signal ??= name
  })

/**
 * Ends the process by the signal, whose listeners have been removed by now: `process.exit` would wait for the thread that opens
 * or reads a pipe. Returns only where that does not end it: a process with the number 1 ignores it, and on Windows the status
 * would be 1.
 */
const endBy = (name: keyof typeof statuses): void => {
  if (process.platform !== "win32") process.kill(process.pid, name)
}

let ending: Commands.Ending = 0

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
  Services.layer
).pipe(
  Effect.tap((requested) =>
    Effect.sync(() => {
      ending = requested
    })
  ),
  Effect.tapErrorCause((cause) =>
    Cause.isInterruptedOnly(cause) ? Effect.void : output.notice(`${printable(errorMessage(cause))}\n`)
  ),
  Effect.ensuring(calls.end),
  Effect.provideService(Files.FileCalls, calls),
  Effect.provide(NodeFileSystem.layer)
)

NodeRuntime.runMain(program, {
  disablePrettyLogger: true,
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    const isInterrupted = Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)
    if (isInterrupted && signal !== undefined) endBy(signal)
    if (calls.paths.length > 0) Files.teardown(calls)(exit, onExit)
    else if (Exit.isFailure(exit)) onExit(isInterrupted && signal !== undefined ? statuses[signal] : FAILED)
    // The server is a bundle of its own, so that the command line does not load it.
    else if (ending === "Serve") void import(new URL("./main.js", import.meta.url).href)
    else onExit(ending)
  }
})
