import { type ChildProcess, fork } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import { type Memory, probe, type Responsiveness } from "./Probe.ts"

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
