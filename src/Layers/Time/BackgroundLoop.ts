import { Duration, Effect, type Fiber, type Scope } from "effect"

/** Long enough that a step that always fails neither fills the log nor takes a core. */
const PAUSE_AFTER_DEFECT = Duration.seconds(10)

/**
 * Repeats a step until the scope closes, in a fiber of its own. Nothing else ends the loop: a defect, or an interruption that
 * the step causes itself, is logged, and the next step starts 10 seconds later. The step paces itself, for example by a sleep.
 */
export const fork = <R>(
  name: string,
  step: Effect.Effect<unknown, never, R>
): Effect.Effect<Fiber.RuntimeFiber<never>, never, R | Scope.Scope> =>
  step.pipe(
    Effect.catchAllCause((cause) =>
      Effect.logError("A background loop failed and goes on", cause).pipe(
        Effect.annotateLogs({ loop: name }),
        Effect.zipRight(Effect.sleep(PAUSE_AFTER_DEFECT))
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )
