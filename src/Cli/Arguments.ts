import { parseArgs } from "node:util"
import { Duration, Either, Option } from "effect"
import type { Verdict } from "../Checkers/Checker/CheckerNames.ts"
import * as Variable from "../Layers/AppConfig/Variable.ts"
import { printable } from "../Layers/Telemetry/Printable.ts"
import * as Help from "./Help.ts"
import * as Tally from "./Tally.ts"

const formats = ["table", "json", "csv"] as const

const findings = ["suspicious", "phishing"] as const satisfies ReadonlyArray<Verdict>

/** The options that have a value, and what it must be. */
const expected = {
  column: "the name of a column in the first line of the CSV",
  "env-file": "the path of a file of environment variables",
  "fail-on": "suspicious or phishing",
  file: "the path of a file, or - for standard input",
  format: "table, json or csv",
  only: "suspicious or phishing",
  strict: "--strict or --strict=stale",
  wait: 'a duration such as 30s or "5 minutes", or 0'
}

const value = { type: "string" } as const
const flag = { type: "boolean" } as const

const options = {
  check: {
    all: flag,
    column: value,
    "env-file": value,
    extract: flag,
    "fail-on": value,
    file: { ...value, short: "f" },
    format: { ...value, short: "o" },
    help: { ...flag, short: "h" },
    only: value,
    quiet: { ...flag, short: "q" },
    // A value only after a sign, which `parseArgs` has no type for.
    strict: flag,
    wait: value
  },
  serve: { "env-file": value, help: { ...flag, short: "h" } }
} as const

/** What a command line asks for. */
export type Request =
  | { readonly _tag: "Print"; readonly text: string }
  | { readonly _tag: "Serve"; readonly envFile: string | undefined }
  | Check

const invalid = (name: keyof typeof expected, text: string): string =>
  `--${name} must be ${expected[name]}, not "${printable(text)}"`

const isValued = (name: string): name is keyof typeof expected => Object.hasOwn(expected, name)

/** The options of a command line by their names. A value is undefined if there is none. */
type Given = ReadonlyMap<string, string | undefined>

const choice = <A extends string>(
  given: Given,
  name: keyof typeof expected,
  values: ReadonlyArray<A>
): Either.Either<A | undefined, string> => {
  const text = given.get(name)
  const value = values.find((value) => value === text)
  return text === undefined || value !== undefined ? Either.right(value) : Either.left(invalid(name, text))
}

/** `0` does not wait. */
const duration = (text: string): Either.Either<Duration.Duration, string> =>
  text === "0"
    ? Either.right(Duration.zero)
    : Either.fromOption(Option.filter(Variable.duration(text), Duration.isFinite), () =>
        invalid("wait", text)
      )

/** A line of a text, such as `- https://a.example`, is no option. */
const isLine = (arg: string): boolean => /^-+\s|^-.*:\/\//.test(arg) && !/^--?[a-z-]+=/.test(arg)

const withLinesLast = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines = args.includes("--") ? [] : args.filter(isLine)
  return lines.length === 0 ? args : [...args.filter((arg) => !isLine(arg)), "--", ...lines]
}

const parse = (args: ReadonlyArray<string>) =>
  parseArgs({
    args: [...withLinesLast(args)],
    options: options.check,
    strict: false,
    allowPositionals: true,
    tokens: true
  })

type Token = ReturnType<typeof parse>["tokens"][number]

/** Returns the options of a command, each of which must have the value that it needs, once. */
const optionsOf = (
  command: keyof typeof options,
  tokens: ReadonlyArray<Token>
): Either.Either<Given, string> => {
  const given = new Map<string, string | undefined>()
  for (const token of tokens) {
    if (token.kind !== "option") continue
    const { inlineValue, name, rawName, value } = token
    if (!Object.hasOwn(options[command], name)) {
      const names = Object.keys(options[command]).map((name) => `--${name}`)
      return Either.left(`${command} has no option ${printable(rawName)}; it has ${names.join(", ")}`)
    }
    if (!isValued(name) && value !== undefined) return Either.left(`${rawName} takes no value`)
    if (isValued(name) && given.has(name)) return Either.left(`Give --${name} once`)
    // The next option in place of a value, but `-` is one.
    const isOption = inlineValue === false && /^-./.test(value ?? "")
    if (isValued(name) && name !== "strict" && (!value || isOption))
      return Either.left(`--${name} needs a value: ${expected[name]}`)
    given.set(name, value)
  }
  return Either.right(given)
}

const readCheck = (urls: ReadonlyArray<string>, tokens: ReadonlyArray<Token>) =>
  Either.gen(function* () {
    const given = yield* optionsOf("check", tokens)
    const [file, column] = [given.get("file"), given.get("column")]
    const format = yield* choice(given, "format", formats)
    const only = yield* choice(given, "only", findings)
    const failOn = (yield* choice(given, "fail-on", findings)) ?? Tally.defaultPolicy.failOn
    const strict = yield* choice(given, "strict", ["stale"])
    const wait = yield* duration(given.get("wait") ?? Help.DEFAULT_WAIT)
    if (given.has("all") && only !== undefined) return yield* Either.left("Give --all or --only, not both")
    if (urls.length > 0 && file !== undefined) return yield* Either.left("Give URLs or --file, not both")
    if (urls.length > 1 && urls.includes("-")) return yield* Either.left("Give URLs or -, not both")
    const isStdin = urls[0] === "-"
    const isExtracting = given.has("extract")
    if (isExtracting && column !== undefined)
      return yield* Either.left("Give --extract or --column, not both")
    if (urls.length > 0 && !isStdin && column !== undefined)
      return yield* Either.left("--column needs --file or standard input, not URLs")
    const policy: Tally.Policy = {
      failOn,
      strictness: strict ?? (given.has("strict") ? "unanswered" : "off")
    }
    return {
      _tag: "Check",
      urls: isStdin || isExtracting ? [] : urls,
      file: isStdin ? "-" : file,
      /** Any text is read, of which the links are checked. */
      isExtracting,
      /** With `isExtracting`, in place of URLs: several files. */
      files: isExtracting && !isStdin ? urls : [],
      column,
      /** Undefined: by the output. */
      format,
      /** Only results of this verdict or a worse one are written. Undefined: by the format. */
      only: given.has("all") ? "safe" : only,
      isQuiet: given.has("quiet"),
      wait,
      policy,
      envFile: given.get("env-file")
    } as const
  })

/** What `check` is asked to do. */
export type Check = Either.Either.Right<ReturnType<typeof readCheck>>

/** Reads the arguments after the name of the program. A left is one line for the user. */
export const read = (args: ReadonlyArray<string>): Either.Either<Request, string> => {
  const { positionals, tokens } = parse(args)
  const [command, ...rest] = positionals
  const has = (option: string) => tokens.some((token) => token.kind === "option" && token.name === option)
  if (has("help") || command === "help")
    return Either.right({ _tag: "Print", text: positionals.includes("serve") ? Help.serveText : Help.text })
  if (has("version")) return Either.right({ _tag: "Print", text: Help.versionText })
  if (command === "check") return readCheck(rest, tokens)
  if (command === "serve")
    return rest.length > 0
      ? Either.left("serve takes no arguments: environment variables configure it")
      : Either.map(optionsOf("serve", tokens), (given) => ({ _tag: "Serve", envFile: given.get("env-file") }))
  const what = command === undefined ? "There is no command" : `Unknown command ${printable(command)}`
  return Either.left(`${what}; give check or serve, or --help`)
}
