import autocannon from "autocannon"
import { percentile } from "./Measurement.ts"

/** What a load generator saw in one round. */
export interface Round {
  readonly perSecond: number
  readonly requests: number
  /**
   * Milliseconds, without the first answer on each connection: node accepts one connection in a turn of its event loop, so that
   * of those that come at once the last waits for as many turns.
   */
  readonly p50: number
  readonly p99: number
}

/** How long a round lasts. */
export type Length = { readonly duration: number } | { readonly amount: number }

/** Asks about each of the URLs in turn, on so many connections at once, as fast as the answers come. */
export const run = (
  port: number,
  urls: ReadonlyArray<string>,
  connections: number,
  length: Length
): Promise<Round> =>
  new Promise((resolve, reject) => {
    const times: Array<number> = []
    const failures = new Map<string, number>()
    const failed = (why: string) => failures.set(why, (failures.get(why) ?? 0) + 1)
    const began = process.hrtime.bigint()
    let last = began
    const requests = urls.map((url) => ({
      method: "POST" as const,
      path: "/api/check",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url })
    }))
    let client = 0
    let answers = 0
    const answered = new Set<unknown>()
    const load = autocannon(
      {
        url: `http://127.0.0.1:${port}`,
        connections,
        ...length,
        sampleInt: 100,
        timeout: 60,
        requests,
        setupClient: (each) => {
          // Each connection begins elsewhere, so that they do not ask the same at the same time.
          const start = Math.floor((client++ * urls.length) / connections)
          each.setRequests([...requests.slice(start), ...requests.slice(0, start)])
        }
      },
      (error) => {
        if (error !== null && error !== undefined) return reject(error)
        if (failures.size > 0 || times.length === 0)
          return reject(new Error(`requests failed: ${JSON.stringify([...failures])}`))
        return resolve({
          perSecond: (answers * 1e9) / Number(last - began),
          requests: answers,
          p50: percentile(times, 0.5),
          p99: percentile(times, 0.99)
        })
      }
    )
    load.on("response", (client, status, _bytes, millis) => {
      answers++
      if (answered.has(client)) times.push(millis)
      else answered.add(client)
      last = process.hrtime.bigint()
      if (status !== 200) failed(`status ${status}`)
    })
    load.on("reqError", (error) => failed(String(error)))
  })
