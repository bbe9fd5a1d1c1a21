import { Effect } from "effect"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"

/** Counts lookups whose prefix a local list has. The share that is confirmed shows whether the lists are good. */
export const make = Effect.map(Metrics, ({ counter }) => ({
  localHit: counter(
    "threat_scoring_reputation_local_hits_total",
    "Lookups with a prefix that a local list has and the cache does not answer"
  ),
  confirmedHit: counter(
    "threat_scoring_reputation_confirmed_hits_total",
    "Lookups with a local hit for which the search returned a listed hash of the URL"
  )
}))
