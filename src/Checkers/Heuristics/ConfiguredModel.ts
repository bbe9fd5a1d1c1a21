import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { AppConfig, InvalidConfig } from "../../Layers/AppConfig.ts"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import * as ModelFile from "./Model/ModelFile.ts"
import type { Model } from "./Model.ts"

const load = Effect.gen(function* () {
  const { modelFile } = yield* AppConfig
  if (Option.isNone(modelFile)) return yield* ModelFile.load(ModelFile.shippedFile)
  const path = modelFile.value
  return yield* Effect.mapError(
    ModelFile.load(path),
    ({ problem }) => new InvalidConfig({ message: `MODEL_FILE: ${JSON.stringify(path)} ${problem}` })
  )
})

/** Of weights: phishing kits change, so they find less with every month. The alert ThreatScoringWeightsOld has the same limit. */
export const MAX_AGE = Duration.days(183)

/** The beginning of a day in UTC, in milliseconds since 1970. */
const millisOf = (day: string): number => Date.parse(day)

/** Whether weights that have learned up to this day are older than `MAX_AGE`. */
export const isOld = (day: string, now: number): boolean => now - millisOf(day) > Duration.toMillis(MAX_AGE)

/** Whether the day has not begun. Then the clock or a date in the training data is wrong, and `isOld` says nothing. */
export const isInFuture = (day: string, now: number): boolean => millisOf(day) > now

const warnOfAge = ({ learnedUpTo }: Model, now: number): Effect.Effect<void> => {
  const fields = { learnedUpTo }
  if (isInFuture(learnedUpTo, now))
    return Effect.logWarning(
      `The weights of the heuristics have learned up to ${learnedUpTo}, which is in the future. Is the clock of this machine right?`,
      fields
    )
  return isOld(learnedUpTo, now)
    ? Effect.logWarning(
        `The weights of the heuristics have learned from phishing up to ${learnedUpTo}, more than six months ago, and miss more of it with time. Update the service, or set MODEL_FILE: docs/operations.md, "Renew the weights"`,
        fields
      )
    : Effect.void
}

/** The model with the weights of MODEL_FILE, or with the shipped ones. Read once, at start. */
export class ConfiguredModel extends Context.Tag("app/Checkers/Heuristics/ConfiguredModel")<
  ConfiguredModel,
  Model
>() {
  /** Fails with one line if the file cannot be used. */
  static readonly layer: Layer.Layer<ConfiguredModel, InvalidConfig | ModelFile.ModelFileError, AppConfig> =
    Layer.effect(ConfiguredModel, load)

  /** Warns of weights that are older than `MAX_AGE`, or dated in the future. */
  static readonly warnings = Layer.effectDiscard(
    Effect.flatMap(Effect.zip(ConfiguredModel, Clock.currentTimeMillis), ([model, now]) =>
      warnOfAge(model, now)
    )
  )
}

const MILLIS_PER_SECOND = 1000

/** Yields an effect that updates the gauge of the model's age. */
export const ageGauge = ({ learnedUpTo }: Model) =>
  Effect.map(Metrics, ({ gauge }) => {
    const time = gauge(
      "threat_scoring_model_learned_up_to_timestamp_seconds",
      "The newest day of phishing that the weights of the heuristics learned from, in seconds since 1970"
    )
    return Effect.sync(() => time.update(millisOf(learnedUpTo) / MILLIS_PER_SECOND))
  })
