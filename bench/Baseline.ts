/**
 * A server that responds to POST /api/check with PlainCheck, and prints its port: `bare` is by `node:http`, `fastify` by
 * Fastify. `bare` also checks the URLs of POST /api/checks one after the other, and responds to POST /loop with how many URLs a
 * second it checks in a loop without HTTP. `lookup` is by `node:http` and looks up by PlainLookup; if its environment has a cache database, it counts there and
 * stores there.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import fastify from "fastify"
import * as Submission from "../src/Url/Submission.ts"
import * as PlainCheck from "./PlainCheck.ts"
import * as PlainDatabase from "./PlainDatabase.ts"
import * as PlainLookup from "./PlainLookup.ts"

const [, , kind, main = "", knownFile = "", ...listFiles] = process.argv

/** With the responses about all URLs. */
const knownCheck = () => PlainCheck.makeKnown(main, listFiles, JSON.parse(readFileSync(knownFile, "utf8")))

const lookupCheck = async () => {
  const check = await PlainCheck.make(main, listFiles)
  const { REPUTATION_API_KEY = "", REPUTATION_API_URL = "" } = process.env
  const { CACHE_REST_TOKEN = "", CACHE_REST_URL } = process.env
  const database =
    CACHE_REST_URL === undefined ? undefined : PlainDatabase.make({ CACHE_REST_URL, CACHE_REST_TOKEN })
  const lookup = PlainLookup.make({ REPUTATION_API_KEY, REPUTATION_API_URL }, database)
  return async (url: string) => {
    await database?.count("127.0.0.1")
    const submission = Submission.read(url, Date.now())
    const result = await lookup(submission)
    return check(submission, () => result)
  }
}

const printPort = (port: number) => process.stdout.write(`${JSON.stringify({ port })}\n`)

type Check = (url: string) => PlainCheck.PlainAnswer | Promise<PlainCheck.PlainAnswer>

/** The URLs that a loop checks before it looks at the clock again. */
const LOOP_CHUNK = 200
const LOOP_MILLIS = 1_000

const bare = (check: Check) => {
  const works = new Map<string, (body: { readonly url: string; readonly urls: Array<string> }) => unknown>([
    ["/api/check", ({ url }) => check(url)],
    ["/api/checks", async ({ urls }) => ({ results: await Promise.all(urls.map(check)) })],
    [
      "/loop",
      ({ urls }) => {
        const from = performance.now()
        let checked = 0
        while (performance.now() - from < LOOP_MILLIS)
          for (let i = 0; i < LOOP_CHUNK; i++) check(urls[checked++ % urls.length] ?? "")
        return { perSecond: (checked * 1000) / (performance.now() - from) }
      }
    ]
  ])
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", async () => {
      const work = request.method === "POST" ? works.get(request.url ?? "") : undefined
      if (work === undefined) return response.writeHead(404).end()
      const body = JSON.stringify(await work(JSON.parse(Buffer.concat(chunks).toString())))
      return response
        .writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
        .end(body)
    })
  })
  server.listen(0, "127.0.0.1", () => printPort((server.address() as AddressInfo).port))
}

const number = { type: "number" }
const times = ["heuristics", "feed_a", "reputation_lookup", "feed_b", "feed_c", "feed_d"]

const withFastify = async (check: Check) => {
  const server = fastify()
  server.post<{ readonly Body: { readonly url: string } }>(
    "/api/check",
    {
      schema: {
        body: {
          type: "object",
          required: ["url"],
          properties: { url: { type: "string", minLength: 1 } }
        },
        response: {
          200: {
            type: "object",
            properties: {
              url: { type: "string" },
              score: number,
              verdict: { type: "string" },
              reasons: { type: "array", items: { type: "string" } },
              executionTimeMs: {
                type: "object",
                properties: Object.fromEntries(times.map((name) => [name, number]))
              }
            }
          }
        }
      }
    },
    (request, reply) => reply.send(check(request.body.url))
  )
  await server.listen({ port: 0, host: "127.0.0.1" })
  printPort((server.server.address() as AddressInfo).port)
}

if (kind === "fastify") await withFastify(await knownCheck())
else bare(await (kind === "lookup" ? lookupCheck() : knownCheck()))
