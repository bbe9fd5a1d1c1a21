import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * A cache database with the part of Upstash's REST protocol that the service's cache uses: counters that start at zero, and
 * no values. Each response takes `distanceMillis`.
 */
export const make = async (distanceMillis: number) => {
  const counters = new Map<string, number>()
  const database = { calls: 0 }
  const answer = (command: ReadonlyArray<unknown>): unknown => {
    const [name, script, keyCount, ...rest] = command.map(String)
    if (name?.toLowerCase() !== "eval") return "OK"
    const keys = rest.slice(0, Number(keyCount))
    if (!script?.includes("INCR")) return [keys.map(() => null), keys.map(() => 0)]
    const [key = ""] = keys
    counters.set(key, (counters.get(key) ?? 0) + 1)
    return [counters.get(key), 900_000]
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      database.calls++
      const commands: ReadonlyArray<ReadonlyArray<unknown>> = JSON.parse(Buffer.concat(chunks).toString())
      const replies = JSON.stringify(commands.map((command) => ({ result: answer(command) })))
      setTimeout(() => response.writeHead(200).end(replies), distanceMillis)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    database,
    environment: { CACHE_REST_URL: `http://127.0.0.1:${port}`, CACHE_REST_TOKEN: "token" },
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
