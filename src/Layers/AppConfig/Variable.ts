import { fileURLToPath } from "node:url"
import { Config, ConfigError, Duration, Either, Option } from "effect"
import variables from "./variables.tsv"

const MAX_SHOWN_CHARACTERS = 60

/** In quotes. The rest of a long value is cut off. */
const shown = (value: string): string => {
  const characters = Array.from(value)
  if (characters.length <= MAX_SHOWN_CHARACTERS) return JSON.stringify(value)
  return JSON.stringify(`${characters.slice(0, MAX_SHOWN_CHARACTERS).join("")}…`)
}

/** Whether an error must not repeat the value: it may contain a key or a personal address. CONTACT_URL is one of these. */
const isConfidential = (name: string): boolean =>
  /_(?:URL|TOKEN|KEY|AUTH_HEADER)$|^https?_proxy$/i.test(name) || name.startsWith("OTEL_")

/** The error is a text that follows the variable's name ("must be ...") and must not repeat a secret. */
type Decode<A> = (text: string) => Either.Either<A, string>

/** The error of a variable, whose name comes before the message. */
export const invalid = (name: string, message: string): Either.Either<never, ConfigError.ConfigError> =>
  Either.left(ConfigError.InvalidData([name], message))

const declared = new Map<string, Decode<unknown>>()

/** The function that decodes each variable that is read, by its name. */
export const decoders: ReadonlyMap<string, Decode<unknown>> = declared

const defaults = new Map(variables.map(({ default: text = "", name }) => [name, text]))

/** Decodes the text of a variable. The value is added to the error, unless it is confidential. */
const decoded = <A>(name: string, decode: Decode<A>, text: string) =>
  Either.mapLeft(decode(text), (message) =>
    ConfigError.InvalidData([name], isConfidential(name) ? message : `${message} (it is ${shown(text)})`)
  )

const textOf = (name: string): Config.Config<string> =>
  Config.map(Config.withDefault(Config.string(name), ""), (raw) => raw.trim())

/** Reads one environment variable; None if it is unset or empty. */
export const optional = <A>(name: string, decode: Decode<A>) => {
  declared.set(name, decode)
  return Config.mapOrFail(textOf(name), (text) =>
    text === "" ? Either.right(Option.none()) : Either.map(decoded(name, decode, text), Option.some)
  )
}

/** As `optional`, but an unset or empty variable counts as its default in variables.tsv. */
export const variable = <A>(name: string, decode: Decode<A>) => {
  declared.set(name, decode)
  return Config.mapOrFail(textOf(name), (text) => decoded(name, decode, text || (defaults.get(name) ?? "")))
}

export const text = (raw: string): Either.Either<string, string> => Either.right(raw)

/** `message` says what the text must be. */
export const matching =
  (pattern: RegExp, message: string) =>
  (raw: string): Either.Either<string, string> =>
    pattern.test(raw) ? Either.right(raw) : Either.left(message)

export const oneOf =
  <A extends string>(choices: ReadonlyArray<A>) =>
  (raw: string) =>
    Either.fromNullable(
      choices.find((choice) => choice === raw),
      () => `must be one of ${choices.join(", ")}`
    )

const isWeb = ({ protocol }: URL): boolean => protocol === "https:" || protocol === "http:"

const hasNoCredentials = ({ username, password }: URL): boolean => username === "" && password === ""

/** The error does not repeat the address, which may contain a key. */
const address =
  (isValid: (url: URL, raw: string) => boolean, problem: string) =>
  (raw: string): Either.Either<URL, string> => {
    const url = URL.canParse(raw) ? new URL(raw) : undefined
    return url !== undefined && isValid(url, raw) ? Either.right(url) : Either.left(problem)
  }

export const webAddress = address(isWeb, "must be an http or https address")

/** An address that people are sent to. */
export const contactAddress = address(
  (url) =>
    url.protocol === "mailto:" ? /^[^@]+@[^@]+$/.test(url.pathname) : isWeb(url) && hasNoCredentials(url),
  "must be an http or https address without user name and password, or mailto: and an e-mail address"
)

const isFile = (url: URL, raw: string): boolean =>
  /^file:\/\/\/[^/]/i.test(raw) &&
  url.search === "" &&
  url.hash === "" &&
  !url.pathname.endsWith("/") &&
  Either.isRight(Either.try(() => fileURLToPath(url)))

/** Not in a query, where an API may have them. */
const SECOND_ADDRESS = /^[^?#]*[\s,;|][a-z]+:\/\//i

/** `file:list.txt` and `file://list.txt` would be read as another path than they seem to name. */
export const documentAddress = address(
  (url, raw) => !SECOND_ADDRESS.test(raw) && (isWeb(url) || isFile(url, raw)),
  "must be an http or https address, or the whole path of a file such as file:///srv/feeds/list.txt, with ?, # and % percent-encoded"
)

/** For requests that have credentials in a header of their own, so that logs of addresses show none. */
export const withoutCredentials =
  (instead: string) =>
  (raw: string): Either.Either<URL, string> =>
    Either.filterOrLeft(
      webAddress(raw),
      hasNoCredentials,
      () => `must not contain a user name or a password; ${instead}`
    )

export const wholeNumber = (min: number, max: number) => (raw: string) =>
  /^\d{1,15}$/.test(raw) && Number(raw) >= min && Number(raw) <= max
    ? Either.right(Number(raw))
    : Either.left(`must be a whole number from ${min} to ${max.toLocaleString("en-US")}`)

/** Texts separated by commas; empty ones are left out. */
export const separatedByCommas =
  (isItem: (text: string) => boolean, problem: string) =>
  (raw: string): Either.Either<ReadonlyArray<string>, string> => {
    const items = raw.split(",").flatMap((item) => (item.trim() === "" ? [] : [item.trim()]))
    return items.every(isItem) ? Either.right(items) : Either.left(problem)
  }

const unitNames = { ms: "millis", s: "seconds", m: "minutes", h: "hours", d: "days" } as const

const isUnit = (unit: string | undefined): unit is keyof typeof unitNames =>
  unit !== undefined && Object.hasOwn(unitNames, unit)

/** `15m`, or `15 minutes` in the words of Effect. */
export const duration = (raw: string): Option.Option<Duration.Duration> => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(raw) ?? []
  return Duration.decodeUnknown(isUnit(unit) ? `${number} ${unitNames[unit]}` : raw)
}

/** `expected` gives two examples and the bounds. */
export const durationThat =
  (isValid: (duration: Duration.Duration) => boolean, expected: string) =>
  (raw: string): Either.Either<Duration.Duration, string> =>
    Either.fromOption(Option.filter(duration(raw), isValid), () => `must be a duration such as ${expected}`)
