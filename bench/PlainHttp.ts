import { type Agent, type OutgoingHttpHeaders, request } from "node:http"

export interface PlainRequest {
  readonly agent: Agent
  readonly headers?: OutgoingHttpHeaders
  /** Sent by POST; without one the method is GET. */
  readonly body?: string
}

/** Sends one request by Node's own client, and returns the response's body. */
export const send = (url: string, { agent, headers = {}, body }: PlainRequest): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST"
    const sent = request(url, { agent, method, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("end", () => resolve(Buffer.concat(chunks)))
    })
    sent.once("error", reject)
    sent.end(body)
  })

/** The milliseconds of calls, one after the other. */
export const times = async (calls: number, call: () => Promise<unknown>): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  for (let i = 0; i < calls; i++) {
    const began = performance.now()
    await call()
    times.push(performance.now() - began)
  }
  return times
}
