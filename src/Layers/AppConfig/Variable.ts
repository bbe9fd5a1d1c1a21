import { fileURLToPath } from "node:url"
import { Config, ConfigError, Duration, Either, Option } from "effect"
import { quoted } from "../Telemetry/Printable.ts"
import { isConfidential, type VariableName } from "./VariableName.ts"

/** Of a value as JSON, quotes included. */
const MAX_SHOWN_LENGTH = 60

/** In quotes. The rest of a long value is cut off. */
const shown = (value: string): string => {
  const json = quoted(value)
  if (json.length <= MAX_SHOWN_LENGTH) return json
  // Not in the middle of an escape or of a surrogate pair.
  const cut = json.slice(0, MAX_SHOWN_LENGTH - 2).replace(/\\(?:u[0-9a-f]{0,3})?$|[\ud800-\udbff]$/, "")
  return `${cut}…"`
}

/**
 * Reads one environment variable; None if it is unset or empty. The error of `decode` is a text that follows the variable's
 * name ("must be ...") and must not repeat a secret. The value is added to it, unless it is confidential.
 */
export const variable = <A>(name: VariableName, decode: (text: string) => Either.Either<A, string>) =>
  Config.string(name).pipe(
    Config.withDefault(""),
    Config.mapOrFail((raw): Either.Either<Option.Option<A>, ConfigError.ConfigError> => {
      const text = raw.trim()
      return text === ""
        ? Either.right(Option.none())
        : Either.mapBoth(decode(text), {
            onLeft: (message) =>
              ConfigError.InvalidData(
                [name],
                isConfidential(name) ? message : `${message} (it is ${shown(text)})`
              ),
            onRight: Option.some
          })
    })
  )

/** The value, or `fallback` if the variable is unset. */
export const or =
  <A>(fallback: A) =>
  (config: Config.Config<Option.Option<A>>) =>
    Config.map(
      config,
      Option.getOrElse(() => fallback)
    )

export const oneOf =
  <A extends string>(choices: ReadonlyArray<A>) =>
  (raw: string) =>
    Either.fromNullable(
      choices.find((choice) => choice === raw),
      () => `must be one of ${choices.join(", ")}`
    )

/** The error does not repeat the address, which may contain a key. */
export const webAddress = (raw: string): Either.Either<URL, string> => {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  return url !== undefined && (url.protocol === "https:" || url.protocol === "http:")
    ? Either.right(url)
    : Either.left("must be an http or https address")
}

const isFilePath = (url: URL): boolean =>
  url.search === "" &&
  url.hash === "" &&
  !url.pathname.endsWith("/") &&
  Either.isRight(Either.try(() => fileURLToPath(url)))

/**
 * As `webAddress`, or `file:///` with the path of a file. `file:list.txt` and `file://list.txt` would be read as another path
 * than they seem to name.
 */
export const documentAddress = (raw: string): Either.Either<URL, string> => {
  if (!/^file:/i.test(raw))
    return Either.mapLeft(
      webAddress(raw),
      (problem) => `${problem}, a file such as file:///srv/feeds/list.txt`
    )
  return /^file:\/\/\/[^/]/i.test(raw) && URL.canParse(raw) && isFilePath(new URL(raw))
    ? Either.right(new URL(raw))
    : Either.left(
        "must be the whole path of a file, such as file:///srv/feeds/list.txt, with ?, # and % percent-encoded"
      )
}

/** For requests that have credentials in a header of their own, so that logs of addresses show none. */
export const withoutCredentials =
  (instead: string) =>
  (raw: string): Either.Either<URL, string> =>
    Either.filterOrLeft(
      webAddress(raw),
      (url) => url.username === "" && url.password === "",
      () => `must hold no user name and no password; ${instead}`
    )

export const wholeNumber = (min: number, max: number) => (raw: string) =>
  /^\d{1,15}$/.test(raw) && Number(raw) >= min && Number(raw) <= max
    ? Either.right(Number(raw))
    : Either.left(`must be a whole number from ${min} to ${max}`)

const unitNames = { ms: "millis", s: "seconds", m: "minutes", h: "hours", d: "days" } as const

const isUnit = (unit: string | undefined): unit is keyof typeof unitNames =>
  unit !== undefined && Object.hasOwn(unitNames, unit)

/** `15m`, or `15 minutes` in the words of Effect. */
export const duration = (raw: string): Option.Option<Duration.Duration> => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(raw) ?? []
  return Duration.decodeUnknown(isUnit(unit) ? `${number} ${unitNames[unit]}` : raw)
}

/** An address that people are sent to. The error does not repeat it. */
export const contactAddress = (raw: string): Either.Either<URL, string> => {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  const isContact =
    url?.protocol === "mailto:"
      ? /^[^@]+@[^@]+$/.test(url.pathname)
      : (url?.protocol === "https:" || url?.protocol === "http:") &&
        url.username === "" &&
        url.password === ""
  return url !== undefined && isContact
    ? Either.right(url)
    : Either.left(
        "must be an http or https address without user name and password, or mailto: and an e-mail address"
      )
}
