/** The cache's commands as plain functions: each a call of the REST interface by Node's own client. */
import { Agent } from "node:http"
import * as PlainHttp from "./PlainHttp.ts"

const INCREMENT = `
local current = redis.call('INCR', KEYS[1])
if current == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {current, redis.call('PTTL', KEYS[1])}`

const WINDOW_MILLIS = 900_000

type Command = ReadonlyArray<string | number>

export interface PlainDatabase {
  readonly count: (client: string) => Promise<unknown>
  readonly getMany: (keys: ReadonlyArray<string>) => Promise<ReadonlyArray<string | null>>
  readonly setMany: (entries: ReadonlyArray<readonly [string, string]>, seconds: number) => Promise<unknown>
}

export const make = (environment: {
  readonly CACHE_REST_URL: string
  readonly CACHE_REST_TOKEN: string
}): PlainDatabase => {
  const agent = new Agent({ keepAlive: true })
  const url = new URL("/pipeline", environment.CACHE_REST_URL).href
  const headers = {
    authorization: `Bearer ${environment.CACHE_REST_TOKEN}`,
    "content-type": "application/json"
  }
  const run = async (commands: ReadonlyArray<Command>): Promise<ReadonlyArray<{ readonly result: never }>> =>
    JSON.parse((await PlainHttp.send(url, { agent, headers, body: JSON.stringify(commands) })).toString())
  return {
    count: (client) => run([["EVAL", INCREMENT, 1, `plain:${client}`, WINDOW_MILLIS]]),
    getMany: async (keys) => (await run([["MGET", ...keys]]))[0]?.result ?? [],
    setMany: (entries, seconds) => run(entries.map(([key, value]) => ["SET", key, value, "EX", seconds]))
  }
}
