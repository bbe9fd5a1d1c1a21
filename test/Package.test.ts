import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, LogLevel } from "effect"
import packageJson from "../package.json" with { type: "json" }
import * as Clone from "./fixtures/Clone.ts"
import { finding } from "./fixtures/Findings.ts"
import { outcomes } from "./fixtures/Outcomes.ts"
import { send } from "./fixtures/Request.ts"
import * as ServiceProcess from "./fixtures/ServiceProcess.ts"
import { serviceUnderTest } from "./fixtures/ServiceUnderTest.ts"

const { root } = Clone

const link = (folder: string, name: string) => {
  mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true })
  symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name))
}

/** In bytes, minified with all that it imports. */
const MAX_PROMISE_CLIENT_BYTES = 6_000

/** Two projects with the package that `npm run package` makes in a fresh clone: only one of them has its peers. */
const consumers = Effect.gen(function* () {
  const clone = yield* Clone.make
  const folder = dirname(clone)
  yield* Clone.output(clone, "npm", ["run", "package", "--", "--pack-destination", folder])
  assert.deepStrictEqual(JSON.parse(readFileSync(join(clone, "package.json"), "utf8")), packageJson)

  yield* Clone.output(folder, "tar", ["-xzf", `url-threat-scoring-${packageJson.version}.tgz`])
  const project = (program: string, peers: ReadonlyArray<string>) => {
    const project = join(folder, program)
    mkdirSync(project)
    for (const name of ["tsconfig.json", `${program}.ts`])
      cpSync(join(root, "test/fixtures/consumer", name), join(project, name))
    writeFileSync(join(project, "package.json"), '{"type":"module"}')
    for (const name of [...peers, "@types/node"]) link(project, name)
    cpSync(join(folder, "package"), join(project, "node_modules/url-threat-scoring"), { recursive: true })
    return project
  }
  return {
    withEffect: project("withEffect", Object.keys(packageJson.peerDependencies)),
    withPromises: project("withPromises", [])
  }
})

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

const checkers = {
  checkAll: (url: string) =>
    url === "hang"
      ? Effect.never
      : Effect.succeed(
          outcomes({ heuristics: { findings: [finding("notHttps", { reason: "URL is not HTTPS" })] } })
        )
}

describe("the packed package", () => {
  it.scopedLive(
    "has only optional peers, type-checks with and without them, and calls a running service",
    () =>
      Effect.gen(function* () {
        const projects = yield* consumers
        const project = projects.withEffect
        const packed = join(project, "node_modules/url-threat-scoring")
        const { exports, ...manifest } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"))
        const files = filesIn(packed)
        const others = files.filter(
          (file) =>
            !/^dist\/client\/(Client|Http|Checkers|Layers)\/(?:[A-Za-z]+\/)?[A-Za-z]+(\.d\.ts|\.js)$/.test(
              file
            ) && !/^dist\/[A-Za-z.-]+\.(?:cjs|bin|(?:js|css|html|svg|webmanifest)(?:\.br|\.gz)?)$/.test(file)
        )
        assert.deepStrictEqual([...others].sort(), [
          "README.md",
          "bin/url-threat-scoring.js",
          "dist/THIRD-PARTY-LICENCES.txt",
          "dist/package.json",
          "package.json"
        ])
        const licences = readFileSync(join(packed, "dist/THIRD-PARTY-LICENCES.txt"), "utf8")
        for (const text of [/^effect 3/m, /^@upstash\/redis 1/m, /Apache License/, /Mozilla Public License/])
          assert.match(licences, text)
        for (const program of ["cli.js", "main.js", "ListWorkerThread.cjs"])
          assert.include(files, `dist/${program}`)
        // Values of one copy of Effect are unknown to another copy.
        assert.deepStrictEqual(Object.keys(manifest.peerDependencies), ["@effect/platform", "effect"])
        for (const name of Object.keys(manifest.peerDependencies))
          assert.isTrue(manifest.peerDependenciesMeta[name].optional, name)
        for (const field of ["dependencies", "devDependencies", "overrides", "allowScripts"])
          assert.notProperty(manifest, field)
        for (const { types, default: module } of Object.values<Record<string, string>>(exports))
          for (const file of [types, module]) assert.isTrue(existsSync(join(packed, file ?? "?")), file)

        const tsc = join(root, "node_modules/typescript/bin/tsc")
        for (const folder of Object.values(projects))
          yield* Clone.output(folder, process.execPath, [tsc, "-p", "."])

        const bin = join(packed, "bin/url-threat-scoring.js")
        const checked = yield* Clone.output(
          project,
          process.execPath,
          [bin, "check", "https://example.com/"],
          ServiceProcess.feedsOff
        )
        assert.strictEqual(JSON.parse(checked).verdict, "safe")

        const served = yield* ServiceProcess.make({}, [bin, "serve"])
        const page = yield* send(served.port, { method: "GET", path: "/" })
        assert.strictEqual(page.status, 200)
        yield* served.kill("SIGTERM")
        assert.strictEqual((yield* served.ended).code, 0)

        const call = (program: keyof typeof projects) =>
          Effect.flatMap(
            serviceUnderTest(checkers, { RATE_LIMIT: "3", RATE_LIMIT_WINDOW: "1 hour" }),
            (port) =>
              Clone.output(projects[program], process.execPath, [
                `out/${program}.js`,
                `http://127.0.0.1:${port}/`
              ])
          )
        const [withEffect, withPromises] = yield* Effect.all([call("withEffect"), call("withPromises")], {
          concurrency: 2
        })
        assert.match(
          withEffect,
          /^safe 10 URL is not HTTPS ok\nThe URL to check is empty\nThe URL to check is too long\nlimited for 3\d{3} s\ntrue ScanResult\n$/
        )
        assert.match(
          withPromises,
          /^safe 10 URL is not HTTPS ok\nnotHttps 10\nThe URL to check is empty\nAbortError\nAbortError\nlimited for 3\d{3} s\nUnreachable: The service at http:\/\/127\.0\.0\.1:1 was not reached, or the connection broke\nbaseUrl must be an http or https address without query and fragment: "localhost:4000"\n$/
        )

        // Fails when a page would load a module of Node, or of Effect.
        const esbuild = join(root, "node_modules/esbuild/bin/esbuild")
        const bundled = yield* Clone.output(projects.withPromises, esbuild, [
          "node_modules/url-threat-scoring/dist/client/Client/PromiseThreatScoring.js",
          ...["--bundle", "--minify", "--format=esm", "--platform=browser"]
        ])
        assert.isAtMost(Buffer.byteLength(bundled), MAX_PROMISE_CLIENT_BYTES)
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None)),
    180_000
  )
})
