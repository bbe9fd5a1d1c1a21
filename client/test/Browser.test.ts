import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { Browser, isInstalled, visit } from "../../test/fixtures/Browser.ts"
import { finding } from "../../test/fixtures/Findings.ts"
import { outcomes } from "../../test/fixtures/Outcomes.ts"
import { serviceUnderTest } from "../../test/fixtures/ServiceUnderTest.ts"

const bothClients = `
  import { Effect } from "effect"
  import * as Promises from "./promise.ts"
  import { ThreatScoring } from "./effect.ts"
  globalThis.checkTwice = (baseUrl, url) => Promise.all([
    new Promises.ThreatScoring({ baseUrl }).check(url),
    Effect.flatMap(ThreatScoring, (scoring) => scoring.check(url)).pipe(
      Effect.provide(ThreatScoring.layer({ baseUrl })),
      Effect.runPromise
    )
  ])`

const service = Effect.map(
  serviceUnderTest({
    checkers: {
      checkAll: () => Effect.succeed(outcomes({ heuristics: { findings: [finding("notHttps")] } }))
    }
  }),
  (port) => `http://127.0.0.1:${port}/`
)

describe.runIf(isInstalled)("a page of another origin", () => {
  it.scopedLive("uses both clients, and may send tracing headers", () =>
    Effect.gen(function* () {
      const bundle = yield* Effect.promise(() =>
        build({
          stdin: { contents: bothClients, resolveDir: join(import.meta.dirname, "../src") },
          bundle: true,
          format: "iife",
          write: false
        })
      )
      const baseUrl = yield* service
      const { complaints, page } = yield* visit(`${yield* service}openapi.json`)
      const evaluate = (expression: string) => Effect.promise(() => page.evaluate(expression))
      yield* evaluate(bundle.outputFiles[0]?.text ?? "")
      const found = `([{ findings, checkers }, { verdict }]) => [findings[0].kind, checkers.feed_a, verdict]`
      assert.deepStrictEqual(
        yield* evaluate(`checkTwice("${baseUrl}", "http://example.com/").then(${found})`),
        ["notHttps", "ok", "safe"]
      )
      const traced = `{ method: "POST", headers: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b", b3: "0" } }`
      assert.strictEqual(
        yield* evaluate(`fetch("${baseUrl}api/check", ${traced}).then(({ status }) => status)`),
        400
      )
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.provide(Browser.layer))
  )
})
