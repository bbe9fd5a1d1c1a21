import { Agent, request } from "node:http"
import { loopbackAddress } from "../test/fixtures/LoopbackAddresses.js"

/** Sends POST /api/check at a fixed rate, whether earlier requests have a response or not. Times are in milliseconds. */
export const load = (port: number, urls: ReadonlyArray<string>, perSecond: number) => {
  const agent = new Agent({ keepAlive: true })
  let times: Array<number> = []
  let failures = 0
  let sent = 0
  const began = process.hrtime.bigint()
  const post = (due: number) => {
    const body = JSON.stringify({ url: urls[sent % urls.length] })
    const posted = request(
      {
        ...{ port, host: "127.0.0.1", path: "/api/check", method: "POST", agent },
        localAddress: loopbackAddress(sent),
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
      },
      (response) => {
        if (response.statusCode !== 200) failures++
        response.resume()
        // From the planned time: a late load generator must not hide latency.
        response.once("end", () => times.push(Number(process.hrtime.bigint() - began) / 1e6 - due))
      }
    )
    posted.on("error", () => failures++)
    posted.end(body)
  }
  const timer = setInterval(() => {
    const now = Number(process.hrtime.bigint() - began) / 1e6
    for (; perSecond > 0 && (sent * 1000) / perSecond <= now; sent++) post((sent * 1000) / perSecond)
  }, 1)
  return {
    /** The latencies since the last call. */
    take: () => {
      const taken = times
      times = []
      return { times: taken, failures }
    },
    stop: () => {
      clearInterval(timer)
      agent.destroy()
    }
  }
}
