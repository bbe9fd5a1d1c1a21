import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { ConfiguredModel } from "../../../src/Checkers/Heuristics/ConfiguredModel.ts"
import { AppConfig } from "../../../src/Layers/AppConfig.ts"
import * as LogLines from "../../fixtures/LogLines.ts"
import { temporaryFolder } from "../../fixtures/ServiceProcess.ts"
import { environment, modelOf } from "../../fixtures/ServiceUnderTest.ts"
import * as WeightsFile from "../../fixtures/WeightsFile.ts"

const modelWith = (env: Readonly<Record<string, string>>) =>
  ConfiguredModel.pipe(
    Effect.provide(ConfiguredModel.layer),
    Effect.provide(AppConfig.layer),
    Effect.provide(environment(env))
  )

describe("the model", () => {
  it.scoped("has the shipped weights, or those of MODEL_FILE", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "weights.bin")
      writeFileSync(file, WeightsFile.withFields({ trainedOn: "other rows", learnedUpTo: "2026-05-31" }))
      const shipped = yield* modelWith({ MODEL_FILE: "" })
      assert.strictEqual(shipped.trainedOn, JSON.parse(WeightsFile.header).trainedOn)
      const { learnedUpTo, trainedOn } = yield* modelWith({ MODEL_FILE: file })
      assert.deepStrictEqual([trainedOn, learnedUpTo], ["other rows", "2026-05-31"])
    })
  )

  it.scoped("is not there if MODEL_FILE cannot be used; one line names variable, path and reason", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const messageOf = (name: string, content?: Uint8Array) => {
        const file = join(folder, name)
        if (content !== undefined) writeFileSync(file, content)
        return Effect.map(Effect.flip(modelWith({ MODEL_FILE: file })), ({ _tag, message }) => [
          _tag,
          message.replace(folder, "<folder>")
        ])
      }
      mkdirSync(join(folder, "folder"))
      for (const [line, message] of [
        ['"<folder>/missing" cannot be read (ENOENT)', messageOf("missing")],
        [String.raw`"<folder>/two\nlines" cannot be read (ENOENT)`, messageOf("two\nlines")],
        ['"<folder>/folder" is not a regular file', messageOf("folder")],
        [
          '"<folder>/short" is damaged, or is not a weights file',
          messageOf("short", WeightsFile.shipped.subarray(0, 5000))
        ],
        [
          '"<folder>/old" was made for another version of this program',
          messageOf("old", WeightsFile.ofVersion(3))
        ],
        [
          '"<folder>/kinds" was made for another version of this program',
          messageOf("kinds", WeightsFile.withFields({ features: "of other kinds" }))
        ]
      ] as const)
        assert.deepStrictEqual(yield* message, ["InvalidConfig", `MODEL_FILE: ${line}`])
    })
  )
})

describe("the age of the weights", () => {
  /** What is logged at the start at this time. */
  const logged = (learnedUpTo: string, now: string) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(now))
      const warned = Layer.build(Layer.provide(ConfiguredModel.warnings, modelOf(learnedUpTo)))
      const [, lines] = yield* LogLines.logged(warned)
      return lines
    })

  it.scoped("is not mentioned up to 183 days", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* logged("2026-06-30", "2026-12-30T00:00:00.000Z"), [])
      assert.deepStrictEqual(yield* logged("2026-06-30", "2026-06-30T00:00:00.000Z"), [])
    })
  )

  it.scoped("is one warning from then on, with what to do", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* logged("2026-06-30", "2026-12-30T00:00:00.001Z"), [
        {
          level: "warning",
          message:
            'The weights of the heuristics have learned from phishing up to 2026-06-30, more than six months ago, and miss more of it with time. Update the service, or set MODEL_FILE: docs/operations.md, "Renew the weights"',
          learnedUpTo: "2026-06-30"
        }
      ])
    })
  )

  it.scoped("is one warning if it is in the future", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* logged("2026-06-30", "2026-06-29T23:59:59.999Z"), [
        {
          level: "warning",
          message:
            "The weights of the heuristics have learned up to 2026-06-30, which is in the future. Is the clock of this machine right?",
          learnedUpTo: "2026-06-30"
        }
      ])
    })
  )
})
