import autocannon from "autocannon"
import { percentile } from "./Measurement.ts"

/** One round of load. */
export interface Round {
  readonly perSecond: number
  readonly requests: number
  /**
   * Milliseconds, without the first response of each connection: Node accepts one connection in a turn of its event loop.
   */
  readonly p50: number
  readonly p99: number
}

/** How long a round lasts. */
export type Length = { readonly duration: number } | { readonly amount: number }

/** To check: in turn, or the function's next. */
export type Urls = ReadonlyArray<string> | (() => string)

const single = (url: string) => ({ path: "/api/check", body: JSON.stringify({ url }) })

const bulk = (urls: ReadonlyArray<string>) => ({ path: "/api/checks", body: JSON.stringify({ urls }) })

const chunksOf = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size)
  )

/**
 * Checks URLs on `connections` connections: those given in turn, each connection from another one on, or the function's next.
 * Each connection sends its next request when it has a response. With `perRequest` the given URLs are sent in bulk requests
 * of so many.
 */
export const run = (
  port: number,
  urls: Urls,
  connections: number,
  length: Length,
  perRequest = 1
): Promise<Round> =>
  new Promise((resolve, reject) => {
    const times: Array<number> = []
    const failures = new Map<string, number>()
    const failed = (why: string) => failures.set(why, (failures.get(why) ?? 0) + 1)
    const began = process.hrtime.bigint()
    let last = began
    const post = { method: "POST" as const, headers: { "content-type": "application/json" } }
    const requests =
      typeof urls === "function"
        ? [{ ...post, setupRequest: (request: autocannon.Request) => ({ ...request, ...single(urls()) }) }]
        : perRequest === 1
          ? urls.map((url) => ({ ...post, ...single(url) }))
          : chunksOf(urls, perRequest).map((chunk) => ({ ...post, ...bulk(chunk) }))
    let client = 0
    let responses = 0
    const warm = new Set<unknown>()
    const load = autocannon(
      {
        url: `http://127.0.0.1:${port}`,
        connections,
        ...length,
        sampleInt: 100,
        timeout: 60,
        requests,
        setupClient: (each) => {
          const start = Math.floor((client++ * requests.length) / connections)
          each.setRequests([...requests.slice(start), ...requests.slice(0, start)])
        }
      },
      (error) => {
        if (error !== null && error !== undefined) return reject(error)
        if (failures.size > 0 || times.length === 0)
          return reject(new Error(`requests failed: ${JSON.stringify([...failures])}`))
        return resolve({
          perSecond: (responses * 1e9) / Number(last - began),
          requests: responses,
          p50: percentile(times, 0.5),
          p99: percentile(times, 0.99)
        })
      }
    )
    load.on("response", (client, status, _bytes, millis) => {
      responses++
      if (warm.has(client)) times.push(millis)
      else warm.add(client)
      last = process.hrtime.bigint()
      if (status !== 200) failed(`status ${status}`)
    })
    load.on("reqError", (error) => failed(String(error)))
  })
