import { type ChildProcess, fork } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Agent, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"

/**
 * Runs inside the service: how late a timer of one millisecond is, how long the main thread is held between two of its
 * ticks, and how it collects garbage. Held is the time that it did not wait for events, or the CPU time that it used if that
 * is less: then another program had the core. The system counts a running thread's CPU time every few milliseconds, and when
 * the process asks what all of its threads have used, which `process.cpuUsage` does.
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
process.on("message", () => {
  collected(collections.takeRecords())
  const lateness = { lateness: delay.max / 1e6, lateness99: delay.percentile(99) / 1e6 }
  process.send({ held, collecting, oldCollections, ...lateness })
  delay.reset()
  held = collecting = oldCollections = 0
})
process.channel.unref()
`

export interface Responsiveness {
  /** Longest between two turns of the event loop; milliseconds. */
  readonly held: number
  /** Longest pause to collect garbage, by the clock; milliseconds. */
  readonly collecting: number
  /** Collections of all of the heap. */
  readonly oldCollections: number
  /** Of a timer; milliseconds. */
  readonly lateness: number
  readonly lateness99: number
}

export interface Service {
  readonly pid: number
  readonly port: number
  /** Resolves when the next list is held. */
  readonly refreshed: () => Promise<unknown>
  /** Since the last time that it was asked. */
  readonly responsiveness: () => Promise<Responsiveness>
  readonly stop: () => Promise<void>
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** Resolves with the first answer of 200. */
export const live = async (port: number, hasEnded: () => boolean): Promise<void> => {
  for (;;) {
    const status = await new Promise((resolve) => {
      const asked = request({ port, host: "127.0.0.1", path: "/health/live", agent: false }, (response) => {
        response.resume()
        response.once("end", () => resolve(response.statusCode))
      })
      asked.once("error", resolve)
      asked.end()
    })
    if (status === 200) return
    if (hasEnded()) throw new Error("the service ended")
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/**
 * Starts the built service, all feeds off unless the environment says otherwise. With a probe it can tell its
 * responsiveness, at the price of a timer that ticks every millisecond.
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
    execArgv: probed === "probed" ? ["--import", pathToFileURL(probeFile).href] : [],
    cwd: folder,
    env: {
      ...{
        HOST: "127.0.0.1",
        PORT: String(port),
        DATA_DIR: folder,
        LOG_FORMAT: "json",
        RATE_LIMIT: "1000000000"
      },
      ...{ FEED_A_URL: "off", FEED_B_URL: "off", FEED_C_URL: "off", FEED_D_URL: "off" },
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
  await live(port, () => child.exitCode !== null)
  return {
    pid: child.pid ?? 0,
    port,
    refreshed: () => lineWith("A threat list was refreshed"),
    responsiveness: () =>
      new Promise((resolve) => {
        child.once("message", (message) => resolve(message as Responsiveness))
        child.send("report")
      }),
    stop: () => {
      child.kill("SIGTERM")
      return ended.then(() => {
        process.off("exit", cleanUp)
        cleanUp()
      })
    }
  }
}

/** One POST to /api/check at a fixed rate, whether the ones before are answered or not. Gives times in milliseconds. */
/** A load under way. */
export type Load = ReturnType<typeof load>

export const load = (port: number, urls: ReadonlyArray<string>, perSecond: number) => {
  const agent = new Agent({ keepAlive: true })
  let times: Array<number> = []
  let failures = 0
  let sent = 0
  const began = process.hrtime.bigint()
  const ask = (due: number) => {
    const body = JSON.stringify({ url: urls[sent % urls.length] })
    const asked = request(
      {
        ...{ port, host: "127.0.0.1", path: "/api/check", method: "POST", agent },
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
      },
      (response) => {
        if (response.statusCode !== 200) failures++
        response.resume()
        // From when it was due: a generator that is held up must not hide what a caller would have waited.
        response.once("end", () => times.push(Number(process.hrtime.bigint() - began) / 1e6 - due))
      }
    )
    asked.on("error", () => failures++)
    asked.end(body)
  }
  const timer = setInterval(() => {
    const now = Number(process.hrtime.bigint() - began) / 1e6
    for (; perSecond > 0 && (sent * 1000) / perSecond <= now; sent++) ask((sent * 1000) / perSecond)
  }, 1)
  return {
    /** Times of the answers since the last time that it was asked. */
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

/** A publisher of one document, which counts as new whenever `publish` is called. */
export const publisher = async () => {
  let version = 0
  let document: Uint8Array = Buffer.from("http://first.example/\n")
  let asked = () => {}
  const server = createServer(({ headers }, response) => {
    const etag = `"${version}"`
    if (headers["if-none-match"] === etag) return response.writeHead(304).end()
    asked()
    return response.writeHead(200, { etag, "content-length": document.length }).end(document)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/feed`,
    /** Resolves when the service asks for the new document. */
    publish: (bytes: Uint8Array) => {
      document = bytes
      version++
      return new Promise<void>((resolve) => {
        asked = resolve
      })
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
