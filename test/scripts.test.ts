import { type ChildProcess, spawn } from "node:child_process"
import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import packageJson from "../package.json" with { type: "json" }
import { send } from "./fixtures/Request.ts"
import { temporaryFolder } from "./fixtures/ServiceProcess.ts"

const root = join(import.meta.dirname, "..")

/** A folder like a clone after `npm ci`, without a build. The name is one that no URL holds unescaped. */
const clone = Effect.map(temporaryFolder, (parent) => {
  const folder = join(parent, "a clone #1")
  for (const name of ["bin", "src", "scripts", "package.json", "package-lock.json", "tsconfig.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
})

const run = (folder: string, command: string, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(command, args, {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder },
        stdio: ["ignore", "pipe", "pipe"]
      })
      const printed = { text: "" }
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (text: Buffer) => {
          printed.text += text
        })
      return { child, printed }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

const end = (child: ChildProcess) =>
  Effect.async<number | null>((resume) => void child.once("close", (code) => resume(Effect.succeed(code))))

const build = (folder: string) =>
  Effect.gen(function* () {
    const { child, printed } = yield* run(folder, process.execPath, "scripts/build.js")
    assert.strictEqual(yield* end(child), 0, printed.text)
    return printed.text.trim()
  })

/** Starts what is built, with a flag of V8 perhaps, and says what V8 did with the code that was compiled at the build. */
const codeCache = (folder: string, main: string, ...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const program = `
      const { script } = await import(${JSON.stringify(pathToFileURL(main).href)})
      process.exit(script.cachedDataRejected ? 3 : script.cachedDataRejected === false ? 0 : 4)`
    const { child, printed } = yield* run(
      folder,
      process.execPath,
      ...flags,
      "--input-type=module",
      "-e",
      program
    )
    const code = yield* end(child)
    return code === 0 ? "used" : code === 3 ? "refused" : printed.text
  })

/** Waits for the service's line and gives the port in it. */
const listening = ({
  child,
  printed
}: {
  readonly child: ChildProcess
  readonly printed: { text: string }
}) =>
  Effect.async<number, Error>((resume) => {
    child.stdout?.on("data", () => {
      const port = /"message":"listening".*"port":(\d+)/.exec(printed.text)?.[1]
      if (port !== undefined) resume(Effect.succeed(Number(port)))
    })
    child.once("close", () => resume(Effect.fail(new Error(printed.text))))
  })

const env = `PORT=0
HOST=127.0.0.1
LOG_FORMAT=json
FEED_A_URL=off
FEED_B_URL=off
FEED_C_URL=off
FEED_D_URL=off
`

describe("the image", () => {
  it("starts the service with the allocator of npm start", () => {
    const [allocator] = /^(?:MALLOC_\w+=\d+ )+/.exec(packageJson.scripts.start) ?? []
    assert.isDefined(allocator)
    assert.match(
      readFileSync(join(root, "Dockerfile"), "utf8"),
      new RegExp(`^ENV .* ${allocator?.trim()}$`, "m")
    )
  })
})

describe("npm run build", () => {
  it.scopedLive(
    "builds only what is out of date, into a folder of its own, also when two do it at once",
    () =>
      Effect.gen(function* () {
        const folder = yield* clone
        const [first, other] = yield* Effect.all([build(folder), build(folder)], { concurrency: 2 })
        assert.strictEqual(first, other)
        const built = readFileSync(first)
        assert.deepStrictEqual(readdirSync(join(folder, "dist")), [first.split("/").at(-2)])

        assert.deepStrictEqual(yield* codeCache(folder, first), "used")
        assert.deepStrictEqual(yield* codeCache(folder, first, "--stack-size=900"), "refused")

        appendFileSync(join(folder, "src/main.ts"), "\n// changed\n")
        const changed = yield* build(folder)
        assert.notStrictEqual(changed, first)
        assert.isTrue(readFileSync(first).equals(built))

        // What is built needs nothing but itself.
        rmSync(join(folder, "node_modules"))
        assert.strictEqual(yield* build(folder), changed)
      }),
    60_000
  )
})

describe("npm start", () => {
  for (const command of ["scripts/start.js", "bin/url-threat-scoring.js"])
    it.scopedLive(`says in one line what is missing where nothing can be built (${command})`, () =>
      Effect.gen(function* () {
        const folder = yield* clone
        rmSync(join(folder, "node_modules"))
        const { child, printed } = yield* run(folder, process.execPath, command, "check", "x")
        // Not 1, which would say that x is phishing.
        assert.strictEqual(yield* end(child), 2)
        assert.match(printed.text, /^Cannot build: the packages are not installed\. Run `npm ci`, [^\n]*\n$/)
      })
    )

  it.scopedLive("reads .env, leaves no builder running, and ends in order with a signal to npm", () =>
    Effect.gen(function* () {
      const folder = yield* clone
      writeFileSync(join(folder, ".env"), env)
      const npm = yield* run(folder, "npm", "start")
      const port = yield* listening(npm)
      assert.notStrictEqual(port, 4000)
      const live = send(port, { method: "GET", path: "/health/live" })
      assert.strictEqual((yield* live).status, 200)
      if (process.platform === "linux") {
        const children = (pid: number | string) =>
          readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ")
        const [service = ""] = children(npm.child.pid ?? 0)
        assert.deepStrictEqual(children(service), [""])
      }

      npm.child.kill("SIGTERM")
      assert.strictEqual(yield* end(npm.child), 0, npm.printed.text)
      assert.match((yield* Effect.flip(live)).message, /ECONNREFUSED/)
    })
  )
})
