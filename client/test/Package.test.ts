import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Logger, LogLevel, Scope } from "effect"
import rootPackage from "../../package.json" with { type: "json" }
import * as Clone from "../../test/fixtures/Clone.ts"
import { finding } from "../../test/fixtures/Findings.ts"
import { outcomes } from "../../test/fixtures/Outcomes.ts"
import { temporaryFolder } from "../../test/fixtures/ServiceProcess.ts"
import { serviceUnderTest } from "../../test/fixtures/ServiceUnderTest.ts"
import clientPackage from "../package.json" with { type: "json" }

const { root } = Clone
const client = join(root, "client")
const readme = readFileSync(join(client, "README.md"), "utf8")

const blocks = (language: string): ReadonlyArray<string> =>
  Array.from(readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms")), ([, code = ""]) => code)

const tarball = `${clientPackage.name}-${clientPackage.version}.tgz`

/** In bytes, minified with all that it imports. */
const MAX_DEFAULT_ENTRY_BYTES = 7_000

const MAX_TARBALL_BYTES = 105_000

/** npm may have to download the peers. */
const TIMEOUT_MS = 180_000

/** With `npm`, the projects are made by the lines of the README, which need the registry. CI sets it. */
const isInstalledByNpm = process.env.CLIENT_INSTALL === "npm"

/** Bundles an entry for browsers. Fails if a page would load a module of Node, or of Effect. */
const bundle = (folder: string, entry: string) =>
  Clone.output(folder, join(root, "node_modules/esbuild/bin/esbuild"), [
    join("node_modules", clientPackage.name, entry),
    ...["--bundle", "--minify", "--format=esm", "--platform=browser"]
  ])

/** Packs the client in a clone without a build. Returns the tarball. */
const pack = Effect.gen(function* () {
  const clone = yield* Clone.make
  cpSync(client, join(clone, "client"), { recursive: true, filter: (path) => basename(path) !== "dist" })
  yield* Clone.output(clone, "npm", ["pack", "--workspace", "client"])
  return join(clone, tarball)
})

const link = (folder: string, name: string) => {
  mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true })
  symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name))
}

/** The lines of the README that install the client: for promises, for Effect, what the contract needs beside the latter, and for mails. */
const [installLine = "", installWithEffectLine = "", installContractLine = "", installWithMailLine = ""] =
  blocks("sh").slice(1)

/** The packages of a line with their versions. */
const packagesOf = (line: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    line
      .trim()
      .split(" ")
      .slice(2)
      .filter((name) => !name.startsWith("./"))
      .map((name) => name.split(/(?<=.)@/))
  )

/** Installs the packages of a line, or links them. */
const install = (folder: string, line: string) =>
  isInstalledByNpm
    ? Clone.output(folder, "sh", ["-c", line])
    : Effect.sync(() => {
        for (const name of Object.keys(packagesOf(line))) link(folder, name)
      })

/** An empty project with the client and its peers. */
const projectWith = (packed: string, line: string) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    cpSync(packed, join(folder, tarball))
    if (isInstalledByNpm) cpSync(join(root, ".npmrc"), join(folder, ".npmrc"))
    else {
      const place = join(folder, "node_modules", clientPackage.name)
      mkdirSync(place, { recursive: true })
      yield* Clone.output(folder, "tar", ["-xzf", tarball, "--strip-components=1", "-C", place])
    }
    yield* install(folder, line)
    return folder
  })

/** Without a check of the compiler's own declarations. */
const strict = {
  target: "ES2022",
  lib: ["ES2023", "DOM"],
  types: [],
  strict: true,
  noEmit: true,
  skipDefaultLibCheck: true
}

/**
 * Checks the types of a program as the two kinds of projects resolve modules, and of all that it imports as the stricter kind
 * does.
 */
const typeCheck = (folder: string, file: string) =>
  Effect.forEach(
    [
      { module: "NodeNext", moduleResolution: "NodeNext", skipLibCheck: false },
      { module: "ESNext", moduleResolution: "Bundler", skipLibCheck: true }
    ],
    (resolution) => {
      const compilerOptions = { ...strict, ...resolution, exactOptionalPropertyTypes: true }
      const project = join(folder, `tsconfig.${resolution.module}.json`)
      writeFileSync(project, JSON.stringify({ compilerOptions, files: [file] }))
      const tsc = join(root, "node_modules/typescript/bin/tsc")
      return Clone.output(folder, process.execPath, [tsc, "--singleThreaded", "-p", project])
    },
    // At once, each in one thread: a compiler with several checks some files several times.
    { concurrency: "unbounded" }
  )

/** Runs a program, if its types are right. Returns what it prints. */
const run = (folder: string, code: string) =>
  Effect.gen(function* () {
    writeFileSync(join(folder, "program.mts"), code)
    yield* typeCheck(folder, "program.mts")
    cpSync(join(folder, "program.mts"), join(folder, "program.mjs"))
    return yield* Clone.output(folder, process.execPath, ["program.mjs"])
  })

/** Runs a program of the README twice against a service with a rate limit of 3. Returns what it prints each time. */
const runTwice = (folder: string, program: string) =>
  Effect.gen(function* () {
    const port = yield* serviceUnderTest({
      checkers: {
        checkAll: () =>
          Effect.succeed(
            outcomes({ heuristics: { findings: [finding("notHttps", { reason: "URL is not HTTPS" })] } })
          )
      },
      env: { RATE_LIMIT: "3", RATE_LIMIT_WINDOW: "1 hour" }
    })
    const code = program.replace("http://localhost:4000", `http://127.0.0.1:${port}`)
    assert.notStrictEqual(code, program)
    const first = yield* run(folder, code)
    return [first, yield* Clone.output(folder, process.execPath, ["program.mjs"])] as const
  })

const PRINTED = "safe 10\nURL is not HTTPS\nsafe https://example.com/\nsafe https://example.org/\n"
const LIMITED = /^retry in 3\d{6} ms\n$/

/** Of both tests of what is packed. */
const scope = Effect.runSync(Scope.make())
let packed = ""

beforeAll(async () => {
  packed = await Effect.runPromise(Scope.extend(pack, scope))
}, TIMEOUT_MS)

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

describe("the packed client", () => {
  const [promises = "", effect = "", ...others] = blocks("ts")

  it.scopedLive(
    "type-checks and calls a running service with promises, as its README says",
    () =>
      Effect.gen(function* () {
        assert.isAtMost(statSync(packed).size, MAX_TARBALL_BYTES)
        assert.deepStrictEqual(others, [])
        const folder = yield* projectWith(packed, installLine)
        const [first, second] = yield* runTwice(folder, promises)
        assert.strictEqual(first, PRINTED)
        assert.match(second, LIMITED)
        if (!isInstalledByNpm)
          assert.deepStrictEqual(readdirSync(join(folder, "node_modules")), [clientPackage.name])

        const bundled = yield* bundle(folder, clientPackage.exports["."].default)
        assert.isAtMost(Buffer.byteLength(bundled), MAX_DEFAULT_ENTRY_BYTES)
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None)),
    TIMEOUT_MS
  )

  it.scopedLive(
    "type-checks and calls a running service with Effect, as its README says, and exports the contract",
    () =>
      Effect.gen(function* () {
        const folder = yield* projectWith(packed, installWithEffectLine)
        const [first, second] = yield* runTwice(folder, effect)
        assert.strictEqual(first, PRINTED)
        assert.match(second, LIMITED)
        yield* install(folder, installContractLine)
        const contract = `import { HttpApi } from "@effect/platform"
import { Api, ScanResult } from "${clientPackage.name}/contract"
console.log(HttpApi.isHttpApi(Api), ScanResult.identifier)`
        assert.strictEqual(yield* run(folder, contract), "true ScanResult\n")
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None)),
    TIMEOUT_MS
  )

  it.scopedLive(
    "finds the links of texts and mails, as its README says",
    () =>
      Effect.gen(function* () {
        const [text = "", mail = "", ...more] = blocks("js")
        const [printed] = blocks("text")
        assert.deepStrictEqual(more, [])
        const folder = yield* projectWith(packed, installLine)
        writeFileSync(join(folder, "links.mjs"), text)
        assert.strictEqual(yield* Clone.output(folder, process.execPath, ["links.mjs"]), printed)

        const bundled = yield* bundle(folder, clientPackage.exports["./text"].default)
        const [, kilobytes = 0] = /less than (\d+) KB\sminified\)/.exec(readme) ?? []
        assert.isAtMost(Buffer.byteLength(bundled), 1_000 * Number(kilobytes))

        const withMail = yield* projectWith(packed, installWithMailLine)
        writeFileSync(join(withMail, "mail.mjs"), mail)
        writeFileSync(
          join(withMail, "mail.eml"),
          'From: a@a.example\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nSee https://a.exam=\r\nple/x?a=3D1\r\n--b\r\nContent-Type: application/pdf\r\n\r\nx\r\n--b--\r\n'
        )
        assert.strictEqual(
          yield* Clone.output(withMail, process.execPath, ["mail.mjs"]),
          "https://a.example/x?a=1\nnot read: application/pdf\n"
        )
      }),
    TIMEOUT_MS
  )

  it("has no dependencies, and only optional peers", () => {
    assert.notProperty(clientPackage, "dependencies")
    assert.deepStrictEqual(
      Object.keys(clientPackage.peerDependenciesMeta),
      Object.keys(clientPackage.peerDependencies)
    )
    for (const { optional } of Object.values(clientPackage.peerDependenciesMeta)) assert.isTrue(optional)
  })

  it("has the version of the service, and the versions of its packages as the oldest", () => {
    assert.strictEqual(clientPackage.version, rootPackage.version)
    assert.deepStrictEqual(clientPackage.engines, rootPackage.engines)
    const { "@effect/platform": platform, effect, "postal-mime": mime } = rootPackage.dependencies
    assert.strictEqual(mime, "4.0.0")
    assert.deepStrictEqual(clientPackage.peerDependencies, {
      "@effect/platform": `^${platform}`,
      effect: `^${effect}`,
      "postal-mime": "^4.0.0"
    })
  })
})

describe("the README of the client", () => {
  it("installs the package that is packed, with versions of its peers", () => {
    assert.strictEqual(installLine, `npm install ./${tarball}\n`)
    assert.isTrue(installWithEffectLine.startsWith(`npm install ./${tarball} `))
    assert.deepStrictEqual(Object.keys(packagesOf(installWithEffectLine)), ["effect"])
    assert.deepStrictEqual(Object.keys(packagesOf(installContractLine)), ["@effect/platform"])
    const versions = { ...packagesOf(installWithEffectLine), ...packagesOf(installContractLine) }
    // Only the entry for mails needs the third.
    const { "postal-mime": _, ...others } = clientPackage.peerDependencies
    for (const [name, range] of Object.entries(others))
      assert.isTrue(range.startsWith(`^${versions[name]}.`), `${name}@${versions[name]} is not ${range}`)
  })

  it("names the file that is packed, and the versions in its sentences", () => {
    assert.include(readme, `Copy \`${tarball}\``)
    assert.include(readme, "`effect` 3.")
    assert.include(readme, "`@effect/platform` 0.97 beside `effect`")
  })
})
