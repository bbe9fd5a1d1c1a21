import { Config, ConfigError, Either, Option } from "effect"

/**
 * One environment variable. Unset and empty are the same; `decode` answers with what is wrong in words that follow the
 * variable's name ("must be ...") and must not repeat a secret.
 */
export const variable = <A>(name: string, decode: (text: string) => Either.Either<A, string>) =>
  Config.string(name).pipe(
    Config.withDefault(""),
    Config.mapOrFail((raw): Either.Either<Option.Option<A>, ConfigError.ConfigError> => {
      const text = raw.trim()
      return text === ""
        ? Either.right(Option.none())
        : Either.mapBoth(decode(text), {
            onLeft: (problem) => ConfigError.InvalidData([name], problem),
            onRight: Option.some
          })
    })
  )

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

/** The message never repeats the address: it may carry a key. */
export const webAddress = (raw: string): Either.Either<URL, string> => {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  return url !== undefined && (url.protocol === "https:" || url.protocol === "http:")
    ? Either.right(url)
    : Either.left("must be an http or https address")
}

/** For requests that can carry neither: `fetch` refuses such an address, and a library drops it. */
export const withoutCredentials =
  (instead: string) =>
  (raw: string): Either.Either<URL, string> =>
    Either.filterOrLeft(
      webAddress(raw),
      (url) => url.username === "" && url.password === "",
      () => `must hold no user name and no password; ${instead}`
    )

export const wholeNumber = (least: number, most: number) => (raw: string) =>
  /^\d{1,15}$/.test(raw) && Number(raw) >= least && Number(raw) <= most
    ? Either.right(Number(raw))
    : Either.left(`must be a whole number from ${least} to ${most}`)
