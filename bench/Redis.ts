/** A redis-server, and Upstash's REST interface in front of it in another process. Needs `redis-server`. */
import * as ChildProgram from "./ChildProgram.ts"

/** Since the start. */
export interface Counts {
  /** Of the REST interface. */
  readonly calls: number
  /** In all calls. */
  readonly commands: number
}

export interface Listening {
  readonly url: string
  readonly token: string
}

export const start = async () => {
  const { listening, run, stop } = await ChildProgram.start<Listening, "count", Counts>("RedisProgram.mjs")
  return {
    environment: { CACHE_REST_URL: listening.url, CACHE_REST_TOKEN: listening.token },
    count: () => run("count"),
    stop
  }
}
