import { Cause, Duration, Effect, Either, Option, Random } from "effect"
import { CacheError } from "../../../Layers/Cache/CacheError.ts"
import * as MonotonicTime from "../../../Layers/MonotonicTime.ts"
import * as FeedSchedule from "../FeedSchedule.ts"
import type { News, SharedList, Standing } from "./SharedList.ts"

/** What became of publishing. `Outrun`: another replica has published meanwhile, and nothing was changed. */
export type Published = Standing | "Outrun" | "Failed"

/** Publishes, and tells when to try again after failures: less and less often. */
export const make = (shared: SharedList, refresh: Duration.Duration) => {
  let failures = 0
  let notBefore = 0

  const failed = Effect.gen(function* () {
    failures++
    const wait = FeedSchedule.afterFailure(failures, refresh, Option.none(), yield* Random.next)
    notBefore = (yield* MonotonicTime.now) + Duration.toMillis(wait)
    return "Failed" as const
  })

  return {
    notBefore: () => notBefore,

    publish: Effect.fnUntraced(function* (standing: Standing, news: News) {
      const result = yield* shared.publish(standing, news).pipe(
        // A bug of ours must not make a list of no use that was fetched already.
        Effect.catchAllDefect((defect) =>
          Effect.zipRight(
            Effect.logError("Publishing a threat list failed", Cause.die(defect)),
            new CacheError({ reason: "Malformed" })
          )
        ),
        Effect.either
      )
      if (Either.isLeft(result)) return yield* failed
      if (Option.isNone(result.right)) return "Outrun"
      failures = 0
      return result.right.value
    }) satisfies (standing: Standing, news: News) => Effect.Effect<Published>
  }
}
