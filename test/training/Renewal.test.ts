import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Clone from "../fixtures/Clone.ts"
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

const corpus = (command: string, path: string, CORPUS_URL: string, CORPUS_TOKEN = "secret") =>
  Clone.run(root, "scripts/corpus.sh", [command, path], { CORPUS_URL, CORPUS_TOKEN })

describe("the archive of the corpus", () => {
  it.effect("returns the files of rows that were stored, and nothing else of the folder", () =>
    Effect.gen(function* () {
      const { url } = yield* archive
      const path = yield* folder
      const restored = join(yield* folder, "corpus")
      writeLines(join(path, "train.tsv.gz"), ["1\t2026-01-01\tfeed\thttps://a.example/"])
      writeFileSync(join(path, "benign-lists.txt"), "# none\n")
      writeFileSync(join(path, "notes.txt"), "not sent")
      assert.deepStrictEqual(yield* corpus("store", path, url("/archive")), { code: 0, printed: "" })
      assert.deepStrictEqual(yield* corpus("fetch", restored, url("/archive")), {
        code: 0,
        printed: "train.tsv.gz\n"
      })
      assert.deepStrictEqual(readdirSync(restored).sort(), ["benign-lists.txt", "train.tsv.gz"])
      assert.isTrue(
        readFileSync(join(restored, "train.tsv.gz")).equals(readFileSync(join(path, "train.tsv.gz")))
      )
      // A local file may have rows that the archive does not have.
      assert.strictEqual((yield* corpus("fetch", restored, url("/archive"))).code, 1)
      assert.deepStrictEqual(readdirSync(restored).sort(), ["benign-lists.txt", "train.tsv.gz"])
    }).pipe(Effect.scoped)
  )

  it.effect("is not replaced by a folder without rows", () =>
    Effect.gen(function* () {
      const { url } = yield* archive
      const path = yield* folder
      writeFileSync(join(path, "benign-lists.txt"), "# none\n")
      const { code, printed } = yield* corpus("store", path, url("/archive"))
      assert.deepStrictEqual({ code, printed }, { code: 1, printed: "There are no rows to store\n" })
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is asked for over https only, without redirects, and no message has its address or the token",
    () =>
      Effect.gen(function* () {
        const { url, replace } = yield* archive
        const path = join(yield* folder, "corpus")
        const failed = "The archive did not fetch: curl ended with status"
        for (const [address, token, message] of [
          ["http://archive.example/secret", "secret", "CORPUS_URL must be an https address\n"],
          ["secret", "secret", "CORPUS_URL must be an https address\n"],
          [url("/moved"), "secret", `${failed} 47\n`],
          [url("/archive"), "wrong", `${failed} 22\n`],
          [url("/archive"), "secret", `${failed} 22\n`]
        ] as const)
          assert.deepStrictEqual(yield* corpus("fetch", path, address, token), { code: 1, printed: message })
        replace(Buffer.from("no archive at all"))
        const { code, printed } = yield* corpus("fetch", path, url("/archive"))
        assert.notStrictEqual(code, 0)
        assert.notMatch(printed, /secret|127\.0\.0\.1/)
        assert.isFalse(existsSync(path))
      }).pipe(Effect.scoped)
  )
})

describe("the workflow of renewals", () => {
  const workflow = read(".github/workflows/retrain.yml")
  const steps = workflow.slice(workflow.indexOf("    steps:", workflow.indexOf("\n  retrain:")))

  it("runs every week", () => {
    assert.match(workflow, /^ {4}- cron: "\d+ \d+ \* \* 1"$/m)
  })

  it("runs scripts that the package has", () => {
    const { scripts } = JSON.parse(read("package.json"))
    for (const [, name = ""] of steps.matchAll(/npm run (\S+)/g)) assert.property(scripts, name)
  })

  it("proposes only what the gate lets pass", () => {
    for (const command of ["npm run train", "npm test", "peter-evans"]) {
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
      assert.match(line, /^ {10}(?:CORPUS_URL|CORPUS_TOKEN|GH_TOKEN|token): \$\{\{ secrets\.[A-Z_]+ \}\}$/)
    assert.notMatch(workflow, /artifact|actions\/cache|cache:|set -x/)
  })

  it("may write only where it proposes, and one run waits for the other", () => {
    assert.match(workflow, /^permissions:\n {2}contents: read$/m)
    assert.match(workflow, /^concurrency:\n {2}group: retrain\n {2}cancel-in-progress: false$/m)
    assert.deepStrictEqual(
      Array.from(workflow.matchAll(/^ +([a-z-]+): write$/gm), ([, name]) => name),
      ["contents", "pull-requests", "actions"]
    )
  })

  it("gives the token that may write only to the steps that propose and start CI", () => {
    assert.match(steps, /actions\/checkout@\S+\n {8}with:\n {10}persist-credentials: false\n/)
    const withToken = steps.split(/^ {6}- /m).filter((step) => step.includes("GITHUB_TOKEN"))
    assert.lengthOf(withToken, 2)
    assert.match(withToken[0] ?? "", /peter-evans\/create-pull-request@/)
    assert.match(withToken[1] ?? "", /run: gh workflow run ci\.yml /)
    assert.match(read(".github/workflows/ci.yml"), /^ {2}workflow_dispatch:$/m)
  })

  it("is started by nothing from outside", () => {
    const triggers = workflow.slice(workflow.indexOf("\non:"), workflow.indexOf("\npermissions:"))
    assert.deepStrictEqual(
      Array.from(triggers.matchAll(/^ {2}(\w+):/gm), ([, name]) => name),
      ["schedule", "workflow_dispatch"]
    )
  })
})

describe("the corpus", () => {
  it("is ignored by git, and not copied into the image", () => {
    assert.include(read(".gitignore").split("\n"), "*.tsv.gz")
    assert.notInclude(read(".dockerignore"), "!training")
  })
})
