import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fetchCorpus, storeCorpus } from "../../scripts/corpus-archive.js"
import { branchOf, withRenewal } from "../../scripts/propose-weights.js"
import { folder, writeLines } from "../fixtures/CorpusFiles.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

/** An archive on loopback. It answers 401 to another token than `secret`, and 404 while it is empty. */
const archive = Effect.gen(function* () {
  let stored: Buffer | undefined
  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          if (request.url === "/moved") return response.writeHead(302, { location: "/archive" }).end()
          if (request.headers.authorization !== "Bearer secret") return response.writeHead(401).end()
          if (request.method === "PUT") stored = Buffer.concat(chunks)
          return stored === undefined ? response.writeHead(404).end() : response.writeHead(200).end(stored)
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  )
  const { port } = server.address() as AddressInfo
  return {
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    replace: (bytes: Buffer) => {
      stored = bytes
    }
  }
})

const messageOf = (run: () => Promise<unknown>) =>
  Effect.map(
    Effect.flip(Effect.tryPromise({ try: run, catch: (error) => String(error) })),
    (message) => message
  )

describe("the archive of the corpus", () => {
  it.effect("returns the files of rows that were stored, and nothing else of the folder", () =>
    Effect.gen(function* () {
      const { url } = yield* archive
      const path = yield* folder
      const restored = join(yield* folder, "corpus")
      writeLines(join(path, "train.tsv.gz"), ["1\t2026-01-01\tfeed\thttps://a.example/"])
      writeFileSync(join(path, "benign-lists.txt"), "# none\n")
      writeFileSync(join(path, "notes.txt"), "not sent")
      yield* Effect.promise(() => storeCorpus(path, url("/archive"), "secret"))
      const files = yield* Effect.promise(() => fetchCorpus(restored, url("/archive"), "secret"))
      assert.deepStrictEqual(files, ["benign-lists.txt", "train.tsv.gz"])
      assert.deepStrictEqual(readdirSync(restored).sort(), ["benign-lists.txt", "train.tsv.gz"])
      assert.isTrue(
        readFileSync(join(restored, "train.tsv.gz")).equals(readFileSync(join(path, "train.tsv.gz")))
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is unpacked into a new folder only, and has regular files only", () =>
    Effect.gen(function* () {
      const { url, replace } = yield* archive
      const source = yield* folder
      const parent = yield* folder
      const path = join(parent, "corpus")
      const fetchInto = (path: string, maxBytes?: number) => () =>
        fetchCorpus(path, url("/archive"), "secret", maxBytes)
      const pack = (...names: ReadonlyArray<string>) =>
        replace(spawnSync("tar", ["-cPf", "-", "-C", source, ...names]).stdout)
      writeLines(join(source, "train.tsv.gz"), ["1\t2026-01-01\tfeed\thttps://a.example/"])
      symlinkSync("/etc/hostname", join(source, "linked.tsv.gz"))
      mkdirSync(join(source, "inner"))
      spawnSync("mkfifo", [join(source, "pipe.tsv.gz")])
      for (const name of ["linked.tsv.gz", "inner", "pipe.tsv.gz"]) {
        pack("train.tsv.gz", name)
        assert.include(yield* messageOf(fetchInto(path)), "must have regular files only")
      }
      pack("train.tsv.gz")
      assert.include(yield* messageOf(fetchInto(path, 1000)), "The archive is larger than 1000 bytes")
      assert.deepStrictEqual(readdirSync(parent), [])
      yield* Effect.promise(fetchInto(path))
      assert.deepStrictEqual(readdirSync(path), ["train.tsv.gz"])
      assert.include(yield* messageOf(fetchInto(path)), "is not empty")
    }).pipe(Effect.scoped)
  )

  it.effect("cannot write outside of its folder", () =>
    Effect.gen(function* () {
      const { url, replace } = yield* archive
      const parent = yield* folder
      const path = join(parent, "corpus")
      writeLines(join(parent, "outside.tsv.gz"), ["rows"])
      mkdirSync(join(parent, "source"))
      replace(spawnSync("tar", ["-cPf", "-", "-C", join(parent, "source"), "../outside.tsv.gz"]).stdout)
      rmSync(join(parent, "outside.tsv.gz"))
      assert.include(yield* messageOf(() => fetchCorpus(path, url("/archive"), "secret")), "tar failed")
      assert.deepStrictEqual(readdirSync(parent), ["source"])
    }).pipe(Effect.scoped)
  )

  it.effect("is not replaced by a folder without rows", () =>
    Effect.gen(function* () {
      const { url } = yield* archive
      const path = yield* folder
      writeFileSync(join(path, "benign-lists.txt"), "# none\n")
      assert.include(yield* messageOf(() => storeCorpus(path, url("/archive"), "secret")), "has no rows")
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is asked for over https only, without redirects, and no error contains its address or the token",
    () =>
      Effect.gen(function* () {
        const { url, replace } = yield* archive
        const path = join(yield* folder, "corpus")
        const messages = [
          yield* messageOf(() => fetchCorpus(path, "http://archive.example/secret", "secret")),
          yield* messageOf(() => fetchCorpus(path, "secret", "secret")),
          yield* messageOf(() => fetchCorpus(path, url("/moved"), "secret")),
          yield* messageOf(() => fetchCorpus(path, url("/archive"), "wrong")),
          yield* messageOf(() => fetchCorpus(path, url("/archive"), "secret"))
        ]
        assert.isFalse(existsSync(path))
        replace(Buffer.from("no archive at all"))
        messages.push(yield* messageOf(() => fetchCorpus(path, url("/archive"), "secret")))
        assert.deepStrictEqual(
          messages.map((message) => message.slice(0, 70)),
          [
            "Error: CORPUS_URL must be an https address",
            "Error: CORPUS_URL must be an https address",
            messages[2]?.slice(0, 70),
            "Error: The archive responded to GET with status 401",
            "Error: The archive responded to GET with status 404",
            messages[5]?.slice(0, 70)
          ]
        )
        assert.match(messages[2] ?? "", /^Error: The archive cannot be reached/)
        assert.match(messages[5] ?? "", /^Error: tar failed/)
        for (const message of messages) assert.notMatch(message, /secret|127\.0\.0\.1|archive\.example/)
      }).pipe(Effect.scoped)
  )
})

describe("the section of the model card on the last renewal", () => {
  it("is added at the end, and replaced by the next one", () => {
    const first = withRenewal("# Model card\n\n## Use\n\ntext\n", "one\n")
    assert.strictEqual(first, "# Model card\n\n## Use\n\ntext\n\n## Last renewal\n\none\n")
    assert.strictEqual(withRenewal(first, "two"), first.replace("one", "two"))
  })
})

describe("the branch of a renewal", () => {
  it("is new each day, and for each attempt of the workflow", () => {
    const now = new Date("2026-12-02T03:17:00Z")
    assert.strictEqual(branchOf(now, {}), "retrain/2026-12-02")
    assert.strictEqual(
      branchOf(now, { GITHUB_RUN_ID: "7", GITHUB_RUN_ATTEMPT: "2" }),
      "retrain/2026-12-02-7-2"
    )
  })
})

describe("the workflow of renewals", () => {
  const workflow = read(".github/workflows/retrain.yml")
  const steps = workflow.slice(workflow.indexOf("    steps:", workflow.indexOf("\n  retrain:")))

  it("runs the programs of this repository, in this order", () => {
    assert.deepStrictEqual(
      Array.from(
        steps.matchAll(/\b(?:npm (?:ci|test|run \S+)|node scripts\/\S+(?: (?:fetch|store))?)/g),
        ([command]) => command
      ),
      [
        "npm ci",
        "node scripts/corpus-archive.js fetch",
        "npm run collect",
        "node scripts/corpus-archive.js store",
        "npm run evaluate",
        "npm run train",
        "npm test",
        "node scripts/propose-weights.js"
      ]
    )
    const { scripts } = JSON.parse(read("package.json"))
    for (const [, name = ""] of steps.matchAll(/npm run (\S+)/g)) assert.property(scripts, name)
    for (const [, name = ""] of steps.matchAll(/node (scripts\/\S+)/g))
      assert.isTrue(existsSync(join(root, name)), name)
  })

  it("proposes only what the gate lets pass", () => {
    for (const command of ["npm run train", "npm test", "propose-weights"]) {
      const step = steps.split(/^ {6}- /m).find((text) => text.includes(command))
      assert.match(step ?? "", /^if: steps\.gate\.outputs\.status == '0'$/m)
    }
  })

  it("ends with a notice if a secret is missing", () => {
    assert.match(workflow, /^ {4}needs: corpus\n {4}if: needs\.corpus\.outputs\.exists == 'true'$/m)
    assert.include(workflow, "::notice::There is no corpus to train on")
  })

  it("has its secrets in the environment of steps only, and publishes nothing of the corpus", () => {
    for (const line of workflow.split("\n").filter((line) => /\bsecrets\.\w/.test(line)))
      assert.match(line, /^ {10}(?:CORPUS_URL|CORPUS_TOKEN|GH_TOKEN): \$\{\{ secrets\.[A-Z_]+ \}\}$/)
    assert.notMatch(workflow, /artifact|actions\/cache|cache:|set -x/)
  })

  it("may write only where it proposes, and one run waits for the other", () => {
    assert.match(workflow, /^permissions:\n {2}contents: read$/m)
    assert.match(workflow, /^concurrency:\n {2}group: retrain\n {2}cancel-in-progress: false$/m)
    assert.deepStrictEqual(
      Array.from(workflow.matchAll(/^ +([a-z-]+): write$/gm), ([, name]) => name),
      ["contents", "pull-requests"]
    )
  })

  it("gives the token that may write to the step that proposes only", () => {
    assert.match(steps, /actions\/checkout@\S+\n {8}with:\n {10}persist-credentials: false\n/)
    const withToken = steps.split(/^ {6}- /m).filter((step) => step.includes("GH_TOKEN"))
    assert.lengthOf(withToken, 1)
    assert.match(withToken[0] ?? "", /gh auth setup-git\n +node scripts\/propose-weights\.js/)
  })

  it("is started by nothing from outside", () => {
    const triggers = workflow.slice(workflow.indexOf("\non:"), workflow.indexOf("\npermissions:"))
    assert.deepStrictEqual(
      Array.from(triggers.matchAll(/^ {2}(\w+):/gm), ([, name]) => name),
      ["schedule", "workflow_dispatch"]
    )
  })

  it("uses only actions of GitHub, at the version that CI has", () => {
    const [version = "none"] = Array.from(
      read(".github/workflows/ci.yml").matchAll(/uses: \S+@(\S+)/g),
      ([, version]) => version
    )
    const actions = Array.from(workflow.matchAll(/uses: (.*)/g), ([, action]) => action)
    assert.isNotEmpty(actions)
    for (const action of actions) assert.match(action ?? "", new RegExp(`^actions/[a-z-]+@${version}$`))
  })
})

describe("the corpus", () => {
  it("is ignored by git, and not among what is packed or copied into the image", () => {
    assert.include(read(".gitignore").split("\n"), "*.tsv.gz")
    assert.deepStrictEqual(JSON.parse(read("package.json")).files, ["bin", "dist"])
    assert.notInclude(read(".dockerignore"), "!training")
  })
})
