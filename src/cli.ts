import { createReadStream, fstatSync } from "node:fs"
import { isatty } from "node:tty"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit } from "effect"
import * as Commands from "./Cli/Commands.ts"
import * as Output from "./Cli/Output.ts"
import { printable } from "./Cli/Printable.ts"
import * as Services from "./Cli/Services.ts"

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
  Effect.provide(NodeFileSystem.layer)
)

NodeRuntime.runMain(program, {
  disablePrettyLogger: true,
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    // Also where a file that does not respond holds `process.exit`: the system ends the process by the next signal.
    for (const name of SIGNALS) process.removeAllListeners(name)
    if (Exit.isFailure(exit)) onExit(FAILED)
    else if (ending === "Serve") {
      // The server is a bundle of its own, so that the command line does not load it.
      void import(new URL("./main.js", import.meta.url).href)
    } else onExit(ending)
  }
})

// In place of the listeners of `runMain`, which wait for the program.
for (const name of SIGNALS) {
  process.removeAllListeners(name)
  process.once(name, endBy(name))
}
