import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Ajv2020 } from "ajv/dist/2020.js"
import { default as formats } from "ajv-formats"
import { Effect, Fiber, Option } from "effect"
import { type CheckerStatus, checkerStatuses } from "../../src/Checkers/Checker/CheckerNames.ts"
import { refusal } from "../../src/Http/Response.ts"
import { noList } from "../../src/Lists/ThreatFeed.ts"
import { feedWith } from "../fixtures/FeedStatuses.ts"
import { finding } from "../fixtures/Findings.ts"
import { listeningPort } from "../fixtures/ListeningPort.ts"
import { adjust, nextTurn } from "../fixtures/NextTurn.ts"
import { type OpenApiDocument, openApi } from "../fixtures/OpenApiDocument.ts"
import { outcomes } from "../fixtures/Outcomes.ts"
import { postJson, type ReceivedResponse, type SentRequest, send } from "../fixtures/Request.ts"
import { temporaryFolder } from "../fixtures/ServiceProcess.ts"
import { type FakeCheckers, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

/** The served document, parsed and as text. */
const fetchDocument = Effect.gen(function* () {
  const port = yield* serviceUnderTest()
  const answer = yield* send(port, { method: "GET", path: "/openapi.json" })
  assert.strictEqual(answer.status, 200)
  assert.strictEqual(answer.headers["content-type"], "application/json")
  const document: OpenApiDocument = JSON.parse(answer.body)
  return { document, text: answer.body }
})

const checkersWith = (status: CheckerStatus): FakeCheckers => {
  const all = outcomes({
    heuristics: { findings: [finding("notHttps", { reason: "URL is not HTTPS" })] }
  }).map((outcome) => ({ ...outcome, status }))
  return {
    checkAll: () => Effect.succeed(all),
    latest: Effect.succeed(new Map(all.map(({ checker }) => [checker, status])))
  }
}

const lastError = Option.some({ message: "Status (429)", at: 1_795_000_000_000 })

/** The port of a server that responds as the service does during its shutdown. */
const closingService = Effect.acquireRelease(
  Effect.sync(() =>
    createServer((_, response) => {
      const { body, headers, status } = refusal("Unavailable").response
      response.writeHead(status, { ...headers, "x-request-id": "id" }).end(body)
    })
  ),
  (server) => Effect.sync(() => server.close())
).pipe(Effect.flatMap(listeningPort))

const operations: ReadonlyArray<readonly [operation: string, path: string, method: string]> = [
  ["check", "/api/check", "POST"],
  ["checks", "/api/checks", "POST"],
  ["live", "/health/live", "GET"],
  ["ready", "/health/ready", "GET"],
  ["openapi", "/openapi.json", "GET"]
]

/** Every kind of response that a test can cause, by operation. */
const realResponses = Effect.gen(function* () {
  const answers: Array<readonly [operation: string, answer: ReceivedResponse]> = []
  const add = (operation: string, answer: Effect.Effect<ReceivedResponse, Error>) =>
    Effect.map(answer, (answer) => void answers.push([operation, answer]))
  const on = (port: number, sent: SentRequest) => send(port, sent)

  for (const status of checkerStatuses) {
    const port = yield* serviceUnderTest({
      checkers: checkersWith(status),
      feeds: { feed_c: feedWith({ lastError }) }
    })
    yield* add("check", postJson(port, { url: "http://example.com/", more: "is ignored" }))
    yield* add("ready", on(port, { method: "GET", path: "/health/ready" }))
  }

  const list = join(yield* temporaryFolder, "list.txt")
  writeFileSync(list, "example.com\n")
  for (const env of [{ ALLOW_LIST: list }, { BLOCK_LIST: list }]) {
    const port = yield* serviceUnderTest({ checkers: checkersWith("ok"), env })
    yield* add("check", postJson(port, { url: "http://example.com/" }))
    yield* add("check", postJson(port, { url: "http://example.com/" }, {}, "/api/check?findings=true"))
    yield* add("checks", postJson(port, { urls: ["http://example.com/"] }, {}, "/api/checks"))
    yield* add("ready", on(port, { method: "GET", path: "/health/ready" }))
  }

  const port = yield* serviceUnderTest({
    checkers: checkersWith("ok"),
    env: { RATE_LIMIT: "8" },
    feeds: { feed_a: feedWith({ ...noList, lastError }) }
  })
  const degraded = yield* serviceUnderTest({
    feeds: { feed_a: feedWith({ ...noList, lastError }), feed_b: feedWith() }
  })
  yield* add("ready", on(degraded, { method: "GET", path: "/health/ready" }))
  yield* add("ready", on(degraded, { method: "GET", path: "/health/ready?strict" }))
  for (const [operation, path] of [
    ["check", "/api/check"],
    ["checks", "/api/checks"]
  ] as const) {
    yield* add(operation, on(degraded, { path, headers: { "content-type": "text/plain" }, body: "x" }))
    yield* add(operation, on(degraded, { path, headers: { "content-encoding": "gzip" }, body: "x" }))
  }

  const json = { "content-type": "application/json" }
  yield* add("check", on(port, { headers: json, body: "{}" }))
  yield* add("check", on(port, { headers: json, body: "no JSON" }))
  yield* add("check", on(port, { headers: { ...json, "content-length": 70_000 } }))
  yield* add("check", on(port, { headers: json, body: Buffer.alloc(70_000) }))
  const urls = ["http://example.com/", "http://example.com/", "x"]
  yield* add("checks", postJson(port, { urls, more: "is ignored" }, {}, "/api/checks"))
  yield* add("checks", on(port, { path: "/api/checks", headers: { ...json, "content-length": 1_048_577 } }))
  yield* add("checks", postJson(port, { urls }, {}, "/api/checks"))
  yield* add("check", postJson(port, { url: "x" }))
  yield* add("ready", on(port, { method: "GET", path: "/health/ready" }))
  yield* add("live", on(port, { method: "GET", path: "/health/live" }))
  yield* add("openapi", on(port, { method: "GET", path: "/openapi.json" }))

  const broken = yield* serviceUnderTest({
    checkers: { checkAll: () => Effect.die(new Error("boom")), latest: Effect.die(new Error("boom")) }
  })
  yield* add("check", postJson(broken, { url: "x" }))
  yield* add("checks", postJson(broken, { urls }, {}, "/api/checks"))
  yield* add("ready", on(broken, { method: "GET", path: "/health/ready" }))

  const late = yield* Effect.fork(
    send(degraded, { path: "/api/checks", headers: { ...json, "content-length": 100 }, body: "{" })
  )
  yield* Effect.repeatN(nextTurn, 50)
  yield* adjust("10 seconds")
  yield* add("checks", Fiber.join(late))

  const closed = yield* closingService
  for (const [operation, path, method] of operations) {
    yield* add(operation, on(closed, { path, method }))
    yield* add(operation, on(port, { path: `${path}/`, method }))
    yield* add(operation, on(port, { path, method: "DELETE" }))
  }
  return answers
})

/** Documented responses that this test does not cause: neither `live` nor `openapi` can fail. */
const unreachable = ["live 500", "openapi 500"]

describe("GET /openapi.json", () => {
  it.scoped("is valid OpenAPI 3.1 by a linter's recommended rules", () =>
    Effect.gen(function* () {
      const { document, text } = yield* fetchDocument
      assert.match(document.openapi, /^3\.1\./)
      const problems = yield* Effect.promise(async () =>
        lintFromString({
          source: text,
          config: await createConfig({
            extends: ["recommended-strict"],
            rules: {
              // The project has no licence to name.
              "info-license": "off",
              // Otherwise the linter closes each schema inside another one, such as those of the details of each kind.
              "no-invalid-schema-examples": { severity: "error", allowAdditionalProperties: true }
            }
          })
        })
      )
      assert.deepStrictEqual(
        problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
        []
      )
    })
  )

  it.scoped("says which Content-Type a check needs", () =>
    Effect.gen(function* () {
      const { document } = yield* fetchDocument
      assert.include(document.paths["/api/check"]?.post?.description, "`Content-Type: application/json`")
    })
  )

  it.scoped("documents every status, body and header of the service, and no others", () =>
    Effect.gen(function* () {
      const { document } = yield* fetchDocument
      const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }))
      ajv.addSchema({ ...document, $id: "openapi" })
      const compiled = new Map<string, ReturnType<typeof ajv.compile>>()
      const seen = new Set<string>(unreachable)
      const methods = new Map(operations.map(([operation, path, method]) => [operation, [path, method]]))
      for (const [operation, answer] of yield* realResponses) {
        const [path = "", method = ""] = methods.get(operation) ?? []
        const kind = `${operation} ${answer.status}`
        const response = document.paths[path]?.[method.toLowerCase()]?.responses[answer.status]
        if (response === undefined) return assert.fail(`${kind} is not documented`)
        const conforms = (pointer: string, value: unknown) => {
          const isValid = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
          compiled.set(pointer, isValid)
          assert.isTrue(isValid(value), `${kind} ${pointer}: ${ajv.errorsText(isValid.errors)}`)
        }
        const at = `/paths/${path.replaceAll("/", "~1")}/${method.toLowerCase()}/responses/${answer.status}`
        assert.strictEqual(answer.headers["content-type"], "application/json", kind)
        conforms(`${at}/content/application~1json/schema`, JSON.parse(answer.body))
        for (const name of [
          "X-Request-Id",
          "Checker-Status",
          "List-Override",
          "Accept-Post",
          "Accept-Encoding",
          "RateLimit-Policy",
          "RateLimit",
          "Retry-After",
          "Allow"
        ]) {
          const value = answer.headers[name.toLowerCase()]
          if ((name === "List-Override" || name === "Accept-Post") && value === undefined) continue
          if (name in response.headers)
            conforms(`/components/headers/${name}/schema`, name === "Retry-After" ? Number(value) : value)
          else if (kind !== "ready 503") assert.isUndefined(value, `${kind} has a header ${name}`)
        }
        seen.add(kind)
      }
      const documented = Object.values(document.paths).flatMap((methods) =>
        Object.values(methods).flatMap(({ operationId, responses }) =>
          Object.keys(responses).map((status) => `${operationId} ${status}`)
        )
      )
      assert.deepStrictEqual([...seen].sort(), documented.sort())
    })
  )

  it("has examples for every body, but the two that are much like the one of Ready", () => {
    const counts = Object.entries(openApi.components.schemas).flatMap(([name, { examples = [] }]) =>
      examples.length === 0 ? [] : [[name, examples.length] as const]
    )
    // An example that does not have the type of its schema is left out.
    assert.deepStrictEqual(Object.fromEntries(counts), {
      BadChecksRequest: 1,
      BadRequest: 1,
      CheckRequest: 2,
      ChecksRequest: 1,
      ChecksResult: 1,
      ChecksTooLarge: 2,
      Live: 1,
      MethodNotAllowed: 1,
      NotFound: 1,
      OpenApiDocument: 1,
      PayloadTooLarge: 1,
      Ready: 1,
      RequestTimeout: 1,
      ScanResult: 2,
      ServerError: 1,
      TooManyRequests: 1,
      Unavailable: 1,
      UnsupportedEncoding: 1
    })
  })

  it.scoped("responds with 405 to another method", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest()
      const answer = yield* send(port, { method: "POST", path: "/openapi.json" })
      assert.strictEqual(answer.status, 405)
      assert.strictEqual(answer.headers.allow, "GET, HEAD, OPTIONS")
    })
  )
})
