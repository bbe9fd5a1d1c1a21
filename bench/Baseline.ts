/** A server that responds to POST /api/check with PlainCheck, by `node:http` or Fastify, and prints its port. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import fastify from "fastify"
import * as PlainCheck from "./PlainCheck.ts"

const [, , kind, main = "", knownFile = "", ...listFiles] = process.argv
const check = await PlainCheck.make(main, listFiles, JSON.parse(readFileSync(knownFile, "utf8")))

const printPort = (port: number) => process.stdout.write(`${JSON.stringify({ port })}\n`)

const bare = () => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      if (request.method !== "POST" || request.url !== "/api/check") return response.writeHead(404).end()
      const body = JSON.stringify(check(JSON.parse(Buffer.concat(chunks).toString()).url))
      return response
        .writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
        .end(body)
    })
  })
  server.listen(0, "127.0.0.1", () => printPort((server.address() as AddressInfo).port))
}

const number = { type: "number" }
const times = ["heuristics", "feed_a", "reputation_lookup", "feed_b", "feed_c", "feed_d"]

const withFastify = async () => {
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

if (kind === "fastify") await withFastify()
else bare()
