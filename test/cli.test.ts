import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from "node:child_process"
import { createWriteStream, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ThreatListBytes from "../src/Lists/ThreatList/ThreatListBytes.ts"
import * as FeedServer from "./fixtures/FeedServer.ts"
import { feedsOff, temporaryFolder } from "./fixtures/ServiceProcess.ts"

const bin = fileURLToPath(new URL("../bin/url-threat-scoring.js", import.meta.url))

/** Processes start slowly on a machine under load. */
const TIMEOUT_MS = 60_000

/** Starts the command line in a process of its own, without the environment of the tests. */
const start = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    return yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(process.execPath, [bin, ...args], {
          cwd: folder,
          env: { PATH: process.env.PATH, DATA_DIR: folder, ...feedsOff, ...env }
        })
        const printed = { stdout: "", stderr: "" }
        child.stdout.on("data", (text: Buffer) => {
          printed.stdout += text
        })
        child.stderr.on("data", (text: Buffer) => {
          printed.stderr += text
        })
        const ended = Effect.async<
          { readonly status: number | null; readonly signal: NodeJS.Signals | null } & typeof printed
        >((resume) => {
          const done = () =>
            resume(Effect.succeed({ status: child.exitCode, signal: child.signalCode, ...printed }))
          if (child.exitCode === null && child.signalCode === null) child.once("close", done)
          else done()
        })
        return { child, ended }
      }),
      ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
    )
  })

const run = (args: ReadonlyArray<string>, input = "", env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const { child, ended } = yield* start(args, env)
    child.stdin.on("error", () => undefined)
    child.stdin.end(input)
    return yield* ended
  })

const firstOutput = ({ stdout }: ChildProcessWithoutNullStreams) =>
  Effect.async<void>((resume) => void stdout.once("data", () => resume(Effect.void)))

const resultsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("url-threat-scoring check", () => {
  it.scopedLive(
    "reads lines, writes JSON in the same order, and exits with 1 for a phishing URL",
    () =>
      Effect.gen(function* () {
        const bad = "http://paypa1-secure.example/login"
        const defanged = "hxxp://paypa1-secure[.]example/login"
        const input = `# links\nhttps://example.com/\r\n\n${bad}\n${defanged}`
        const { status, stdout, stderr } = yield* run(["check"], input)
        assert.strictEqual(status, 1, stderr)
        const results = resultsOf(stdout)
        assert.deepStrictEqual(
          results.map(({ url }) => url),
          ["https://example.com/", bad, defanged]
        )
        const [, asIs, readAsMeant] = results
        assert.deepStrictEqual(readAsMeant.findings, asIs.findings)
        assert.strictEqual(stderr, "")
      }),
    TIMEOUT_MS
  )

  it.scopedLive(
    "does not condemn a popular site by its name",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const ranking = join(folder, "ranking.csv")
        writeFileSync(ranking, "1,secure-login-bank.top\n")
        const env = {
          POPULAR_URL: pathToFileURL(ranking).href,
          POPULAR_FORMAT: "ranked-csv",
          ALOW_LIST: "list.txt"
        }
        const urls = ["https://secure-login-bank.top/", "https://secure-login-bank1.top/"]
        const { stdout, stderr } = yield* run(["check", "-q", ...urls], "", env)
        const [popular, unknown] = resultsOf(stdout)
        assert.strictEqual(popular.score, 0)
        assert.isAtLeast(unknown.score, 40)
        assert.strictEqual(stderr, "", "-q hides the warning of the variable that is misspelt")
      }),
    TIMEOUT_MS
  )

  it.scopedLive(
    "exits with 2 and one line for an unknown command",
    () =>
      Effect.gen(function* () {
        const { status, stdout, stderr } = yield* run(["chekc"])
        assert.strictEqual(status, 2)
        assert.strictEqual(stderr, "Unknown command chekc; give check or serve, or --help\n")
        assert.strictEqual(stdout, "")
      }),
    TIMEOUT_MS
  )

  it.scopedLive(
    "exits with 2 and one line for invalid variables, of the environment or of a file",
    () =>
      Effect.gen(function* () {
        const settings = join(yield* temporaryFolder, "settings")
        writeFileSync(settings, "CHECKER_TIMEOUT=later\nRATE_LIMIT=many\n")
        const { status, stderr } = yield* run(["check", "x", "--env-file", settings], "", {
          CHECKER_TIMEOUT: "soon"
        })
        assert.strictEqual(status, 2)
        assert.strictEqual(
          stderr,
          'CHECKER_TIMEOUT must be a duration such as 2s or "2 seconds", longer than 0 (it is "soon"); RATE_LIMIT must be a whole number from 1 to 1,000,000,000 (it is "many")\n'
        )
        const weights = yield* run(["check", "x"], "", { MODEL_FILE: "missing.bin" })
        assert.strictEqual(weights.status, 2)
        assert.strictEqual(weights.stderr, 'MODEL_FILE: "missing.bin" cannot be read (ENOENT)\n')
      }),
    TIMEOUT_MS
  )

  it.scopedLive(
    "fetches a list, saves it, and does not fetch it again in the next run",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const feeds = yield* FeedServer.make()
        feeds.serve(
          "/list",
          FeedServer.document(Buffer.from("http://listed.example/a\nhttps://other.example/\n"))
        )
        feeds.serve("/ranking", FeedServer.document("1,other.example\n"))
        const env = {
          DATA_DIR: folder,
          FEED_D_URL: feeds.url("/list").href,
          FEED_D_FORMAT: "lines",
          POPULAR_URL: feeds.url("/ranking").href,
          POPULAR_FORMAT: "ranked-csv"
        }
        for (const urls of [
          ["http://listed.example/a"],
          ["http://listed.example/a", "https://other.example/"]
        ]) {
          const { status, stdout } = yield* run(["check", ...urls], "", env)
          assert.strictEqual(status, 1)
          const [listed, popular] = resultsOf(stdout)
          assert.strictEqual(listed.checkers.feed_d, "ok")
          assert.match(
            listed.reasons.join(),
            /This address on [a-z.]+ is listed by 127\.0\.0\.1 as malicious/
          )
          assert.strictEqual(popular?.score, urls[1] && 30, "a popular site")
        }
        assert.strictEqual(feeds.received.length, 2)
        assert.deepStrictEqual(readdirSync(folder), [
          `feed_d.${ThreatListBytes.VERSION}.list`,
          `popular.${ThreatListBytes.VERSION}.list`
        ])
      }),
    TIMEOUT_MS
  )

  it.scopedLive(
    "checks without the feeds that are unavailable, and names them and a variable that is misspelt",
    () =>
      Effect.gen(function* () {
        const { status, stdout, stderr } = yield* run(["check", "https://example.com/"], "", {
          FEED_B_URL: "http://127.0.0.1:1/list",
          ALOW_LIST: "list.txt"
        })
        assert.strictEqual(status, 0)
        assert.strictEqual(JSON.parse(stdout).checkers.feed_b, "unavailable")
        assert.match(
          stderr,
          /^ALOW_LIST is not a setting of this service and is ignored\. Did you mean ALLOW_LIST\?\nfeed_b: 127.0.0.1 cannot be reached \(ECONNREFUSED\)\nIncomplete: no answer from feed_b \(unavailable\)\n$/
        )
      }),
    TIMEOUT_MS
  )

  it.scopedLive(
    "ends quietly with the status of what was seen when its output is closed",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const file = join(folder, "urls.txt")
        writeFileSync(file, "https://example.com/\n".repeat(800))
        const { child, ended } = yield* start(["check", "--file", file])
        yield* firstOutput(child)
        child.stdout.destroy()
        const { status, stderr } = yield* ended
        assert.strictEqual(status, 0)
        assert.strictEqual(stderr, "")
      }),
    TIMEOUT_MS
  )

  for (const [what, command, message] of [
    ["a directory", '"$0" check < .', "Standard input cannot be read (EISDIR)"],
    ["open for writing only", '"$0" check 0> written', "Standard input cannot be read (EBADF)"]
  ] as const)
    it.scopedLive(
      `exits with 2 and one line if the input is ${what}`,
      () =>
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const env = { PATH: process.env.PATH, DATA_DIR: folder, ...feedsOff }
          const { status, stderr } = spawnSync("sh", ["-c", command, bin], { cwd: folder, env })
          assert.strictEqual(String(stderr), `${message}\n`)
          assert.strictEqual(status, 2)
        }),
      TIMEOUT_MS
    )

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it.scopedLive(
      `ends by ${signal}`,
      () =>
        Effect.gen(function* () {
          const { child, ended } = yield* start(["check"])
          child.stdin.write("https://example.com/\n")
          yield* firstOutput(child)
          child.kill(signal)
          assert.strictEqual((yield* ended).signal, signal)
        }),
      TIMEOUT_MS
    )

    it.scopedLive(
      `ends by ${signal} while the writer of a named pipe writes nothing`,
      () =>
        Effect.gen(function* () {
          const pipe = join(yield* temporaryFolder, "pipe")
          execFileSync("mkfifo", [pipe])
          const { child, ended } = yield* start(["check", "--file", pipe])
          const writer = createWriteStream(pipe)
          writer.write("https://example.com/\n")
          yield* firstOutput(child)
          child.kill(signal)
          assert.strictEqual((yield* ended).signal, signal)
          writer.destroy()
        }),
      TIMEOUT_MS
    )
  }
})
