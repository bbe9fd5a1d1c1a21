import autocannon from "autocannon"
import { percentile } from "./Measurement.ts"

/** What a load generator saw in one round. */
export interface Round {
  readonly perSecond: number
  readonly requests: number
  /** Milliseconds. */
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
          perSecond: (times.length * 1e9) / Number(last - began),
          requests: times.length,
          p50: percentile(times, 0.5),
          p99: percentile(times, 0.99)
        })
      }
    )
    load.on("response", (_client, status, _bytes, millis) => {
      times.push(millis)
      last = process.hrtime.bigint()
      if (status !== 200) failed(`status ${status}`)
    })
    load.on("reqError", (error) => failed(String(error)))
  })
