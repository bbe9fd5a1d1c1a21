import { Effect, Exit } from "effect"
import type { Outcome } from "../../Checkers/Checker.ts"
import type { Decision } from "../../Checkers/Verdict.ts"
import type { HttpResponse, StreamResponse } from "../../Layers/Server.ts"
import { byChecker, scanResult } from "../Check/ScoredResult.ts"

/** What one of the URLs yielded; a failure is a defect. */
interface Ended<A> {
  /** Of the URL in the list. */
  readonly index: number
  readonly result: Exit.Exit<A>
}

type Next = Effect.Effect<ReadonlyArray<Ended<string>>>
type Headers = Readonly<Record<string, string>>

/** The places in the request of each distinct URL. */
type Places = ReadonlyArray<ReadonlyArray<number>>

/** One result as JSON. */
export const resultText = (
  url: string,
  outcomes: ReadonlyArray<Outcome>,
  decisions: ReadonlyArray<Decision>
): string =>
  JSON.stringify({
    ...scanResult(url, outcomes, decisions, true),
    checkers: byChecker(outcomes, ({ status }) => status)
  })

/** Calls `use` with all results, as they end. */
const forEachEnded = (
  next: Next,
  use: (ended: ReadonlyArray<Ended<string>>) => Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.flatMap(next, (ended) =>
    ended.length === 0 ? Effect.void : Effect.zipRight(use(ended), forEachEnded(next, use))
  )

/** Sends all results in one JSON object, in the order of the places. A defect of one is a defect of all. */
export const sendList = (
  next: Next,
  places: Places,
  headers: Headers,
  stream: StreamResponse
): Effect.Effect<HttpResponse> =>
  Effect.suspend(() => {
    const texts: Array<string> = []
    const keep = (ended: ReadonlyArray<Ended<string>>): Effect.Effect<void> => {
      for (const { index, result } of ended) {
        if (Exit.isFailure(result)) return Exit.failCause(result.cause)
        for (const place of places[index] ?? []) texts[place] = result.value
      }
      return Effect.void
    }
    return Effect.flatMap(forEachEnded(next, keep), () => {
      const body = `{"results":[${texts.join(",")}]}`
      const head = {
        status: 200,
        headers: {
          ...headers,
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(body))
        }
      }
      return stream(head, (write) => write(body))
    })
  })

/** Sends a line for each place, as soon as its result is there. A defect before the first one is a defect of all. */
export const sendLines = (
  next: Next,
  places: Places,
  headers: Headers,
  stream: StreamResponse
): Effect.Effect<HttpResponse> =>
  stream({ status: 200, headers: { ...headers, "content-type": "application/x-ndjson" } }, (write) =>
    Effect.suspend(() => {
      let hasLines = false
      const linesOf = ({ index, result }: Ended<string>): Effect.Effect<string> =>
        Exit.match(result, {
          onSuccess: (text) => {
            hasLines = true
            const rest = text.slice(1)
            return Effect.succeed(
              (places[index] ?? []).map((place) => `{"index":${place},${rest}\n`).join("")
            )
          },
          onFailure: (cause) =>
            hasLines
              ? Effect.as(
                  Effect.logError("A check of a request failed", cause),
                  (places[index] ?? [])
                    .map((place) => `${JSON.stringify({ index: place, error: "Server error" })}\n`)
                    .join("")
                )
              : Effect.failCause(cause)
        })
      return forEachEnded(next, (ended) =>
        Effect.flatMap(Effect.forEach(ended, linesOf), (lines) => write(lines.join("")))
      )
    })
  )
