import { type Config, ConfigProvider, Effect } from "effect"
import { jsonOnly } from "../Telemetry/LogLine.ts"

/** Every variable that a configuration reads. docs/configuration.md explains them. */
export const namesIn = (config: Config.Config<unknown>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.suspend(() => {
    const names = new Set<string>()
    const empty = ConfigProvider.mapInputPath(ConfigProvider.fromMap(new Map()), (name) => {
      names.add(name)
      return name
    })
    return Effect.map(Effect.ignore(empty.load(config)), () => [...names])
  })

const OUR_PREFIX = /^(?:FEED_|CACHE_REST|REPUTATION|RATE)/

/** Set by Kubernetes and Docker for other services that they run. */
const INJECTED = /_SERVICE_HOST$|_PORT$|_PORT_/

/** The text, and the texts that lack one of its characters. */
const shortened = (text: string): ReadonlyArray<string> => [
  text,
  ...Array.from(text, (_, at) => text.slice(0, at) + text.slice(at + 1))
]

/** Whether one text becomes the other by one character more, less or different, or in another place. */
const isOneEditAway = (one: string, other: string): boolean => {
  const forms = shortened(one)
  return shortened(other).some((form) => forms.includes(form))
}

/** A variable that nothing reads, and that looks like one of ours. */
interface UnknownVariable {
  readonly name: string
  /** Our names that are one edit away; empty if only its beginning is like that of ours. */
  readonly similar: ReadonlyArray<string>
}

/** The variables among these names that are probably misspelt. */
export const among = (names: Iterable<string>, ours: ReadonlyArray<string>): ReadonlyArray<UnknownVariable> =>
  Array.from(names).flatMap((name) => {
    if (ours.includes(name) || INJECTED.test(name)) return []
    const similar = ours.filter((our) => isOneEditAway(name, our))
    return similar.length > 0 || OUR_PREFIX.test(name) ? [{ name, similar }] : []
  })

/** Logs the name of the variable, and no value. */
export const warnOf = ({ name, similar }: UnknownVariable): Effect.Effect<void> =>
  Effect.logWarning(
    similar.length === 1
      ? `${name} is not a setting of this service and is ignored. Did you mean ${similar[0]}?`
      : `${name} is not a setting of this service and is ignored. docs/configuration.md has all settings`,
    jsonOnly({ variable: name })
  )
