import { type ChildProcess, fork } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Agent, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import { loopbackAddress } from "../test/fixtures/LoopbackAddresses.js"

/**
 * Runs inside the service. Measures how late a timer of one millisecond is, how long the main thread is busy between two of
 * its ticks, and garbage collection. Busy is the time in which the event loop was active, or its CPU time if that is less:
 * then another program had the core. `process.cpuUsage` makes the system update the thread's CPU time.
 */
const probe = `
import { openSync, readSync } from "node:fs"
import { constants, monitorEventLoopDelay, performance, PerformanceObserver } from "node:perf_hooks"
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const schedule = openSync("/proc/thread-self/schedstat", "r")
const text = Buffer.alloc(64)
const cpuTime = () => {
  process.cpuUsage()
  return Number(text.latin1Slice(0, readSync(schedule, text, 0, text.length, 0)).split(" ")[0]) / 1e6
}
let last = { cpu: cpuTime(), ...performance.eventLoopUtilization() }
let held = 0
setInterval(() => {
  const now = { cpu: cpuTime(), ...performance.eventLoopUtilization() }
  held = Math.max(held, Math.min(now.active - last.active, now.cpu - last.cpu))
  last = now
}, 1).unref()
let collecting = 0
let oldCollections = 0
const collected = (entries) => {
  for (const { duration, detail } of entries) {
    collecting = Math.max(collecting, duration)
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) oldCollections++
  }
}
const collections = new PerformanceObserver((list) => collected(list.getEntries()))
collections.observe({ entryTypes: ["gc"] })
process.on("message", (question) => {
  if (question === "memory") {
    globalThis.gc()
    return process.send(process.memoryUsage())
  }
  collected(collections.takeRecords())
  const lateness = { lateness: delay.max / 1e6, lateness99: delay.percentile(99) / 1e6 }
  process.send({ held, collecting, oldCollections, ...lateness })
  delay.reset()
  held = collecting = oldCollections = 0
})
process.channel.unref()
`

export interface Responsiveness {
  /** The longest time between two turns of the event loop, in milliseconds. */
  readonly held: number
  /** The longest garbage collection, in milliseconds of wall-clock time. */
  readonly collecting: number
  /** Collections of the whole heap. */
  readonly oldCollections: number
  /** The largest delay of a timer, in milliseconds. */
  readonly lateness: number
  readonly lateness99: number
}

/** After a garbage collection, in MB (10^6 bytes). */
export interface Memory {
  /** Objects and buffers. */
  readonly used: number
  readonly resident: number
}

export interface Service {
  readonly pid: number
  readonly port: number
  /** Resolves with the next refresh of a feed. */
  readonly refreshed: () => Promise<unknown>
  /** Resolves with the next line of the log that contains the text. */
  readonly logged: (text: string) => Promise<string>
  /** Since the last call. */
  readonly responsiveness: () => Promise<Responsiveness>
  readonly memory: () => Promise<Memory>
  readonly stop: () => Promise<void>
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** Resolves with the first response of 200. */
export const live = async (port: number, hasEnded: () => boolean): Promise<void> => {
  for (;;) {
    const status = await new Promise((resolve) => {
      const probe = request({ port, host: "127.0.0.1", path: "/health/live", agent: false }, (response) => {
        response.resume()
        response.once("end", () => resolve(response.statusCode))
      })
      probe.once("error", resolve)
      probe.end()
    })
    if (status === 200) return
    if (hasEnded()) throw new Error("the service ended")
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/**
 * Starts dist/main.js as plain `node` does, with all feeds off unless the environment has them. The probe reports the
 * responsiveness and costs a timer that ticks every millisecond.
 */
export const start = async (
  main: string,
  environment: Readonly<Record<string, string>>,
  probed: "probed" | "as it is" = "probed"
): Promise<Service> => {
  const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))
  const probeFile = join(folder, "probe.mjs")
  writeFileSync(probeFile, probe)
  const port = await freePort()
  const child: ChildProcess = fork(main, {
    execArgv: probed === "probed" ? ["--expose-gc", "--import", pathToFileURL(probeFile).href] : [],
    cwd: folder,
    env: {
      ...{
        HOST: "127.0.0.1",
        PORT: String(port),
        DATA_DIR: folder,
        LOG_FORMAT: "json",
        RATE_LIMIT: "1000000000"
      },
      ...{ FEED_A_URL: "off", FEED_B_URL: "off", FEED_C_URL: "off", FEED_D_URL: "off", POPULAR_URL: "off" },
      ...environment
    },
    silent: true
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const cleanUp = () => {
    child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  }
  process.once("exit", cleanUp)
  const listeners = new Set<(line: string) => void>()
  const lineWith = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const listen = (line: string) => {
        if (!line.includes(text)) return
        listeners.delete(listen)
        resolve(line)
      }
      listeners.add(listen)
      child.once("exit", () => reject(new Error("the service ended")))
    })
  if (child.stdout !== null)
    createInterface(child.stdout).on("line", (line) => {
      for (const listen of listeners) listen(line)
    })
  child.stderr?.pipe(process.stderr)
  /** One question at a time. */
  const ask = <A>(question: string) =>
    new Promise<A>((resolve) => {
      child.once("message", (message) => resolve(message as A))
      child.send(question)
    })
  await live(port, () => child.exitCode !== null)
  return {
    pid: child.pid ?? 0,
    port,
    refreshed: () => lineWith("is up to date: "),
    logged: lineWith,
    responsiveness: () => ask<Responsiveness>("report"),
    memory: async () => {
      const { heapUsed, external, rss } = await ask<NodeJS.MemoryUsage>("memory")
      return { used: (heapUsed + external) / 1e6, resident: rss / 1e6 }
    },
    stop: () => {
      child.kill("SIGTERM")
      return ended.then(() => {
        process.off("exit", cleanUp)
        cleanUp()
      })
    }
  }
}

export type Load = ReturnType<typeof load>

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

/** A publisher of one document. Each `publish` gives it a new entity tag. */
export const publisher = async () => {
  let version = 0
  let document: Uint8Array = Buffer.from("http://first.example/\n")
  let requested = () => {}
  const server = createServer(({ headers }, response) => {
    const etag = `"${version}"`
    if (headers["if-none-match"] === etag) return response.writeHead(304).end()
    requested()
    return response.writeHead(200, { etag, "content-length": document.length }).end(document)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/feed`,
    /** Resolves when the service requests the new document. */
    publish: (bytes: Uint8Array) => {
      document = bytes
      version++
      return new Promise<void>((resolve) => {
        requested = resolve
      })
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
