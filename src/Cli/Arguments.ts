import { Duration, Either, Option } from "effect"
import * as Variable from "../Layers/AppConfig/Variable.ts"
import * as Help from "./Help.ts"
import { printable } from "./Printable.ts"
import type { Strictness } from "./Tally.ts"

const shells = ["bash", "zsh", "fish"] as const
export type Shell = (typeof shells)[number]

/** What a command line asks for. */
export type Request =
  | { readonly _tag: "Help"; readonly text: string }
  | { readonly _tag: "Version" }
  | { readonly _tag: "Completions"; readonly shell: Shell }
  /** `args` is valid for @effect/cli, which has no option with an optional value: `--strict` is not among them. */
  | { readonly _tag: "Command"; readonly args: ReadonlyArray<string>; readonly strictness: Strictness }

const oneOf = <A extends string>(values: ReadonlyArray<A>, text: string | undefined): A | undefined =>
  values.find((value) => value === text)

/** Returns the duration of `--wait`. `0` does not wait. */
export const decodeWait = (text: string): Option.Option<Duration.Duration> =>
  text === "0"
    ? Option.some(Duration.zero)
    : Option.filter(Variable.duration(text), (wait) => Duration.isFinite(wait))

interface OptionRule {
  readonly value: "none" | "required" | "optional"
  /** What the value must be. */
  readonly expected?: string
  readonly isValid?: (value: string) => boolean
}

/** The options of `check`. */
const rules: ReadonlyMap<string, OptionRule> = new Map<string, OptionRule>([
  ["--file", { value: "required", expected: "the path of a file with one URL a line" }],
  ["--json", { value: "none" }],
  ["--table", { value: "none" }],
  [
    "--wait",
    {
      value: "required",
      expected: 'a duration such as 30s or "5 minutes", or 0',
      isValid: (value) => Option.isSome(decodeWait(value))
    }
  ],
  [
    "--fail-on",
    {
      value: "required",
      expected: "suspicious or phishing",
      isValid: (value) => value === "suspicious" || value === "phishing"
    }
  ],
  [
    "--strict",
    { value: "optional", expected: "--strict or --strict=stale", isValid: (value) => value === "stale" }
  ]
])

const commands = ["check", "serve"]

/** The number of insertions, deletions and replacements that make one word of the other. */
const editDistance = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...left].entries()) {
    const next = [index + 1]
    for (const [column, other] of [...right].entries())
      next.push(
        Math.min(
          (next[column] ?? 0) + 1,
          (row[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + (letter === other ? 0 : 1)
        )
      )
    row = next
  }
  return row.at(-1) ?? 0
}

/** Two exchanged letters count as two edits. */
const MAX_TYPO_EDITS = 2

const nearest = (word: string, words: ReadonlyArray<string>): string | undefined =>
  words
    .map((known) => ({ known, edits: editDistance(word.toLowerCase(), known) }))
    .filter(({ edits }) => edits <= MAX_TYPO_EDITS)
    .sort((left, right) => left.edits - right.edits)[0]?.known

const SEE_HELP = "--help shows all commands and options"

/** `unknown("command", "chekc", commands)` is `Unknown command chekc. Did you mean check?` */
const unknown = (what: string, word: string, suggestion: string | undefined): string =>
  `Unknown ${what} ${printable(word)}. ${suggestion === undefined ? SEE_HELP : `Did you mean ${suggestion}?`}`

const unknownCommand = (word: string): string =>
  unknown(
    "command",
    word,
    nearest(word, commands) ?? (/[.:/]/.test(word) ? `check ${printable(word)}` : undefined)
  )

/** `--file=urls.txt` has the value after the sign, `--file urls.txt` as the next argument. */
const split = (argument: string): readonly [name: string, value: string | undefined] => {
  const sign = argument.indexOf("=")
  return sign < 0 ? [argument, undefined] : [argument.slice(0, sign), argument.slice(sign + 1)]
}

/** Returns what is wrong with one option of `check`, by its value; undefined if nothing is. */
const problemOf = (name: string, rule: OptionRule, value: string | undefined): string | undefined => {
  if (rule.value === "none") return value === undefined ? undefined : `${name} takes no value`
  if (value === undefined && rule.value === "optional") return undefined
  if (value === undefined || value === "") return `${name} needs a value: ${rule.expected}`
  return rule.isValid?.(value) === false
    ? `${name} must be ${rule.expected}, not "${printable(value)}"`
    : undefined
}

const readCheck = (args: ReadonlyArray<string>): Either.Either<Request, string> => {
  const seen = new Set<string>()
  const urls: Array<string> = []
  const options: Array<string> = []
  let strictness: Strictness = "off"
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? ""
    if (!argument.startsWith("-")) {
      urls.push(argument)
      continue
    }
    const [name, ownValue] = split(argument)
    const rule = rules.get(name)
    if (rule === undefined) return Either.left(unknown("option", name, nearest(name, [...rules.keys()])))
    if (seen.has(name)) return Either.left(`Give ${name} once`)
    seen.add(name)
    const next = rule.value === "required" && ownValue === undefined ? args[++index] : undefined
    const value = ownValue ?? (next?.startsWith("--") ? undefined : next)
    const problem = problemOf(name, rule, value)
    if (problem !== undefined) return Either.left(problem)
    if (name === "--strict") strictness = value === "stale" ? "stale" : "unanswered"
    else options.push(name, ...(value === undefined ? [] : [value]))
  }
  // URLs first: @effect/cli would read one that is "true" or "no" as the value of the option before it.
  return Either.right({ _tag: "Command", args: ["check", ...urls, ...options], strictness })
}

/** Reads the arguments after the name of the program. A left is a message for the user. */
export const read = (args: ReadonlyArray<string>): Either.Either<Request, string> => {
  const [command, ...rest] = args
  if (command === undefined) return Either.left(Help.text)
  if (command === "help" || args.some((argument) => argument === "--help" || argument === "-h"))
    return Either.right({ _tag: "Help", text: args.includes("serve") ? Help.serveText : Help.text })
  if (args.includes("--version")) return Either.right({ _tag: "Version" })
  const completions = args.findIndex((argument) => split(argument)[0] === "--completions")
  if (completions >= 0) {
    const shell = oneOf(shells, split(args[completions] ?? "")[1] ?? args[completions + 1])
    return shell === undefined
      ? Either.left("--completions must be bash, zsh or fish")
      : Either.right({ _tag: "Completions", shell })
  }
  if (command === "check") return readCheck(rest)
  if (command === "serve")
    return rest.length === 0
      ? Either.right({ _tag: "Command", args: ["serve"], strictness: "off" })
      : Either.left("serve takes no arguments: environment variables configure it")
  if (!command.startsWith("-")) return Either.left(unknownCommand(command))
  const [name] = split(command)
  return Either.left(
    rules.has(name)
      ? `Give the command first: check ${name}`
      : unknown("option", name, nearest(name, ["--help", "--version", "--completions"]))
  )
}
