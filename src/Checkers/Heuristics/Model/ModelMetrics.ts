import { Effect } from "effect"
import { Metrics } from "../../../Layers/Telemetry/Metrics.ts"
import type { Model } from "../Model.ts"
import * as LearnedUpTo from "./LearnedUpTo.ts"

const MILLIS_PER_SECOND = 1000

/** Yields an effect that updates the gauge of the model's age. */
export const age = ({ learnedUpTo }: Model) =>
  Effect.map(Metrics, ({ gauge }) => {
    const time = gauge(
      "threat_scoring_model_learned_up_to_timestamp_seconds",
      "The newest day of phishing that the weights of the heuristics learned from, in seconds since 1970"
    )
    return Effect.sync(() => time.update(LearnedUpTo.millisOf(learnedUpTo) / MILLIS_PER_SECOND))
  })
