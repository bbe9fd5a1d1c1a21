import { Command } from "@effect/cli"
import { Effect } from "effect"
import * as Program from "../Layers/Program.ts"
import type { Shell } from "./Arguments.ts"

const generators = {
  bash: Command.getBashCompletions,
  zsh: Command.getZshCompletions,
  fish: Command.getFishCompletions
} as const satisfies Record<Shell, unknown>

/** Options that @effect/cli adds to each command, and that the help does not have. */
const UNDOCUMENTED_LINE = /'--(?:log-level|wizard)\[| -l (?:log-level|wizard) /
const UNDOCUMENTED_WORD = / --(?:log-level|wizard)\b/g

/** `sh`, which is bash, in the lists of the values of `--completions` for zsh and fish. */
const UNDOCUMENTED_SHELL = /(\(|\{)sh(?: |'',)(?=bash)/

const identifier = Program.name.replaceAll("-", "__")

/**
 * Repairs a line for bash. @effect/cli writes a program's name that has hyphens in two ways, so that no command would be found,
 * and the values of an option as one word with commas.
 */
const repaired = (line: string): string =>
  line
    .replace(/(?<=compgen -W ")[a-z,]+(?=")/, (values) => values.replaceAll(",", " "))
    .replace(`cmd="${Program.name}"`, `cmd="${identifier}"`)
    // A branch of `case`: the pattern alone on its line.
    .replace(/^( *)([\w-]+)\)$/, (branch, indent, name) =>
      name === Program.name ? `${indent}${identifier})` : branch
    )

/** Returns the completion script for a shell. */
export const script = <Name extends string, R, E, A>(command: Command.Command<Name, R, E, A>, shell: Shell) =>
  Effect.map(generators[shell](command, Program.name), (lines) => {
    const documented = lines
      .filter((line) => !UNDOCUMENTED_LINE.test(line))
      .map((line) => line.replaceAll(UNDOCUMENTED_WORD, "").replace(UNDOCUMENTED_SHELL, "$1"))
    return `${(shell === "bash" ? documented.map(repaired) : documented).join("\n")}\n`
  })
