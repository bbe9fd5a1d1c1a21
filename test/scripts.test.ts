import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import * as platform from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import * as effect from "effect"
import { Effect } from "effect"
import packageJson from "../package.json" with { type: "json" }
import * as Clone from "./fixtures/Clone.ts"
import * as FeedServer from "./fixtures/FeedServer.ts"
import { send } from "./fixtures/Request.ts"
import * as ServiceProcess from "./fixtures/ServiceProcess.ts"
import { until, untilTrue } from "./fixtures/Until.ts"

const node = (folder: string, ...args: ReadonlyArray<string>) => Clone.run(folder, process.execPath, args)

const build = (folder: string) => Clone.output(folder, process.execPath, ["scripts/build.js"])

const get = (port: number, path: string) => send(port, { method: "GET", path })

describe("package-lock.json", () => {
  const packages = Object.entries<{
    readonly hasInstallScript?: boolean
    readonly resolved?: string
    readonly link?: boolean
    readonly engines?: { readonly node?: string }
  }>(JSON.parse(readFileSync(join(Clone.root, "package-lock.json"), "utf8")).packages)

  it("has no address of a registry", () => {
    assert.deepStrictEqual(
      packages.filter(([, { resolved }]) => resolved !== undefined),
      [["node_modules/url-threat-scoring-client", { resolved: "client", link: true }]]
    )
  })

  it("has no package whose install script runs, or that npm has to warn of", () => {
    const names = packages
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path.replace(/^.*node_modules\//, ""))
      // For macOS only.
      .filter((name) => name !== "fsevents")
    assert.deepStrictEqual<Readonly<Record<string, boolean>>>(
      packageJson.allowScripts,
      Object.fromEntries(names.sort().map((name) => [name, false]))
    )
  })
})

/** A clone whose programs are a line each: the tests' global setup has built the real ones, which takes seconds. */
const unbuiltClone = Effect.map(Clone.make, (folder) => {
  for (const name of ["main", "cli", "Lists/ListWorkerThread"])
    writeFileSync(join(folder, `src/${name}.ts`), `console.log("${name}")`)
  return folder
})

/** The same with the build of this repository. */
const smallClone = Effect.map(unbuiltClone, (folder) => {
  cpSync(join(Clone.root, "dist"), join(folder, "dist"), { recursive: true, preserveTimestamps: true })
  return folder
})

describe("npm run build", () => {
  it.scopedLive("completes a build, also when two build at once, and writes nothing that is the same", () =>
    Effect.gen(function* () {
      const folder = yield* smallClone
      const same = join(folder, "dist/swagger-ui.js")
      const { mtimeMs } = statSync(same)
      const built = readdirSync(join(folder, "dist"))
      writeFileSync(join(folder, "dist/left-over.js"), "")
      writeFileSync(join(folder, "dist/cli.js"), "")
      for (const name of built.filter((name) => name.startsWith("page."))) rmSync(join(folder, "dist", name))
      yield* Effect.all([build(folder), build(folder)], { concurrency: 2 })
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.startsWith("dist")),
        ["dist"]
      )
      assert.deepStrictEqual(readdirSync(join(folder, "dist")), built)
      assert.include(readFileSync(join(folder, "dist/cli.js"), "utf8"), 'console.log("cli")')
      assert.strictEqual(statSync(same).mtimeMs, mtimeMs)
      assert.includeMembers(built, ["main.js", "cli.js", "THIRD-PARTY-LICENCES.txt", "package.json"])
      for (const name of [
        "page.html",
        "page.css",
        "App/manifest.webmanifest",
        "swagger-ui.js",
        "swagger-ui.css"
      ]) {
        const bytes = readFileSync(join(folder, "dist", name))
        const copy = (ending: string) => readFileSync(join(folder, "dist", `${name}${ending}`))
        assert.isTrue(gunzipSync(copy(".gz")).equals(bytes), name)
        assert.isTrue(brotliDecompressSync(copy(".br")).equals(bytes), name)
        assert.isBelow(copy(".br").length, bytes.length, name)
      }
    })
  )

  it.scopedLive("keeps dist when the sources do not compile", () =>
    Effect.gen(function* () {
      const folder = yield* smallClone
      const built = readFileSync(join(folder, "dist/main.js"))
      writeFileSync(join(folder, "src/main.ts"), "import './missing.ts'")
      const { code, printed } = yield* node(folder, "scripts/build.js")
      assert.strictEqual(code, 1)
      assert.match(printed, /Could not resolve "\.\/missing\.ts"/)
      assert.isTrue(readFileSync(join(folder, "dist/main.js")).equals(built))
      assert.notInclude(readdirSync(folder).join(), "dist.")
    })
  )
})

describe("dist", () => {
  it.each(["main.js", "cli.js", "ListWorkerThread.cjs"])(
    "contains no whole module of Effect: %s",
    (program) => {
      // esbuild makes such an object for each module that it bundles whole.
      const objects = readFileSync(join(Clone.root, "dist", program), "utf8").match(
        /\b[A-Z]\w*(?=_exports\b)/g
      )
      const modules = new Set(Object.keys({ ...effect, ...platform }))
      assert.deepStrictEqual(
        (objects ?? []).filter((name) => modules.has(name)),
        []
      )
    }
  )

  it.scopedLive("runs wherever it is copied to", () =>
    Effect.gen(function* () {
      const folder = yield* ServiceProcess.temporaryFolder
      cpSync(join(Clone.root, "dist"), folder, { recursive: true })
      const { port, output } = yield* ServiceProcess.make({}, [join(folder, "main.js")])
      assert.strictEqual((yield* get(port, "/health/live")).status, 200)
      assert.notInclude(output(), "Warning")
    })
  )

  it.scopedLive("is not read by a service that listens, so that a build may replace it", () =>
    Effect.gen(function* () {
      const folder = join(yield* ServiceProcess.temporaryFolder, "dist")
      cpSync(join(Clone.root, "dist"), folder, { recursive: true })
      const feeds = yield* FeedServer.make()
      feeds.serve("/feed", FeedServer.document("http://first.example/\n"))
      const service = yield* ServiceProcess.make(
        {
          FEED_A_URL: feeds.url("/feed").href,
          FEED_A_FORMAT: "lines",
          FEED_A_REFRESH: "1 second"
        },
        [join(folder, "main.js")]
      )
      const entries = (count: number) =>
        until(
          Effect.map(get(service.port, "/health/ready"), ({ body }) => JSON.parse(body).feeds?.feed_a),
          (feed) => feed?.entries === count
        )
      yield* entries(1)
      renameSync(folder, `${folder}.old`)

      for (const path of ["/", "/page.css", "/docs", "/swagger-ui.js"])
        assert.strictEqual((yield* get(service.port, path)).status, 200, path)
      feeds.serve("/feed", FeedServer.document("http://first.example/\nhttp://second.example/\n"))
      yield* entries(2)
    })
  )
})

describe("npm start", () => {
  it.scopedLive("uses an earlier build where no bundler is installed, and says so in one line", () =>
    Effect.gen(function* () {
      const folder = yield* Clone.withBuild
      assert.deepStrictEqual(yield* node(folder, "scripts/build.js", "--or-keep"), {
        code: 0,
        printed: "dist is used as it is. To build it, run `npm ci` first.\n"
      })
      assert.strictEqual((yield* node(folder, "scripts/build.js")).code, 2)
    })
  )

  it.scopedLive("says in one line what to do where nothing can be built, also on the command line", () =>
    Effect.gen(function* () {
      const folder = yield* Clone.withoutBundler
      for (const args of [
        ["scripts/build.js", "--or-keep"],
        ["bin/url-threat-scoring.js", "check", "x"]
      ]) {
        const { code, printed } = yield* node(folder, ...args)
        // Not 1, which says that x is phishing.
        assert.strictEqual(code, 2)
        assert.match(printed, /^Cannot build: the packages are not installed\. Run `npm ci`, [^\n]*\n$/)
      }
    })
  )

  it.scopedLive("is needed no more after a build, of which the command line says that it is old", () =>
    Effect.gen(function* () {
      const folder = yield* unbuiltClone
      // With a table, whose rows the build reads by the path of the clone.
      writeFileSync(
        join(folder, "src/cli.ts"),
        `import hosts from "./Url/Hosts/hosts.tsv"
console.log("arguments", process.argv[2], hosts.length > 100)`
      )
      const printed = Effect.map(
        node(folder, "bin/url-threat-scoring.js", "--version"),
        ({ printed }) => printed
      )
      const output = "arguments --version true\n"
      assert.strictEqual(yield* printed, output)
      const later = new Date(Date.now() + 60_000)
      utimesSync(join(folder, "src/Url/Digest.ts"), later, later)
      assert.strictEqual(yield* printed, `dist is older than the sources: run \`npm run build\`\n${output}`)
    })
  )

  const environment = `PORT=0
HOST=127.0.0.1
LOG_FORMAT=json
FEED_A_URL=off
FEED_B_URL=off
FEED_C_URL=off
FEED_D_URL=off
POPULAR_URL=off
`

  /** A service started by `npm start`, which listens where .env says. */
  const started = Effect.gen(function* () {
    const folder = yield* Clone.withBuild
    writeFileSync(join(folder, ".env"), environment)
    const npm = yield* Clone.start(folder, "npm", ["start"])
    const port = () => Number(/"message":"Listening on .*"port":(\d+)/.exec(npm.printed())?.[1] ?? 0)
    yield* untilTrue(() => port() > 0)
    assert.notStrictEqual(port(), 4000)
    assert.strictEqual((yield* get(port(), "/health/live")).status, 200)
    return { npm, port: port() }
  })

  for (const [event, signal, target] of [
    ["a SIGTERM to npm", "SIGTERM", (pid: number) => pid],
    ["Ctrl-C in a terminal", "SIGINT", (pid: number) => -pid]
  ] as const)
    it.scopedLive(`reads .env, and leaves no process after ${event}`, () =>
      Effect.gen(function* () {
        const { npm, port } = yield* started
        process.kill(target(npm.pid), signal)
        yield* npm.ended
        assert.match((yield* Effect.flip(get(port, "/health/live"))).message, /ECONNREFUSED/)
      })
    )

  it("sets the flags of V8 that the program sets, as compiled code is kept for one set of flags", () => {
    const [ofScript = [], ofProgram] = ["scripts/env.js", "src/main.ts"].map((file) =>
      readFileSync(join(Clone.root, file), "utf8").match(/(?<=setFlagsFromString\(")[^"]*/g)
    )
    assert.isNotEmpty(ofScript)
    assert.deepStrictEqual(ofScript, ofProgram)
  })

  it.scopedLive("says in one line of LOG_FORMAT what is wrong with .env", () =>
    Effect.gen(function* () {
      const folder = yield* Clone.withBuild
      const file = join(folder, ".env")
      const program = ["--import", "./scripts/env.js", "dist/main.js"]
      // The first as Windows writes it.
      for (const content of [Buffer.from("\ufeffPORT=0\n", "utf16le"), "\ufeffPORT=0\n"]) {
        writeFileSync(file, content)
        assert.deepStrictEqual(yield* node(folder, ...program), {
          code: 1,
          printed: ".env begins with a byte order mark. Save it as UTF-8 without one\n"
        })
      }
      for (const line of ["  FEED_A_URL: off\n", "FEED_A_URL off"]) {
        writeFileSync(file, `PORT = 0\nNOTE: of the team\n${line}`)
        assert.deepStrictEqual(yield* node(folder, ...program), {
          code: 1,
          printed: ".env has no equals sign after FEED_A_URL\n"
        })
      }
      rmSync(file)
      mkdirSync(file)
      assert.deepStrictEqual(yield* node(folder, ...program), {
        code: 1,
        printed: ".env is a folder, not a file with settings\n"
      })
      const args = ["LOG_FORMAT=json", process.execPath, ...program]
      const { code, printed } = yield* Clone.run(folder, "env", args)
      assert.strictEqual(code, 1)
      const { time, ...record } = JSON.parse(printed)
      assert.deepStrictEqual(record, {
        level: "fatal",
        message: ".env is a folder, not a file with settings"
      })
      assert.match(time, /^\d{4}-/)
    })
  )
})
