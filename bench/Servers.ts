/** The service and the baselines, each with the same lists, in processes of their own. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { listedIn, mixed, SLOTS } from "./CheckedUrls.ts"
import * as ListMaking from "./ListMaking.ts"
import * as Load from "./Load.ts"
import { processCpuSeconds, residentMegabytes } from "./Measurement.ts"
import * as Publisher from "./Publisher.ts"
import * as Service from "./Service.ts"

export interface Server {
  readonly name: string
  readonly pid: number
  readonly port: number
}

/** See `Baseline.ts`. */
export type BaselineKind = "bare" | "fastify" | "lookup"

const REST_MILLIS = 10_000
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Lists of `entries` URLs together, and `urlCount` URLs of all kinds to check. */
export const make = async (main: string, entries: number, urlCount: number) => {
  const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-bench-"))
  const children: Array<ChildProcess> = []
  process.once("exit", () => {
    for (const child of children) child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  })
  const perSlot = entries / SLOTS.length
  const checked = mixed(urlCount, perSlot)
  const knownFile = join(folder, "known.json")
  writeFileSync(knownFile, JSON.stringify(checked))
  const documents = SLOTS.map((_, slot) => ListMaking.lines(listedIn(slot, perSlot)))
  const listFiles: Array<string> = []
  for (const document of documents) {
    const file = join(folder, `${listFiles.length}.list`)
    writeFileSync(file, await ListMaking.make(main, document))
    listFiles.push(file)
  }

  return {
    checked,
    baseline: async (
      name: string,
      kind: BaselineKind,
      environment: Readonly<Record<string, string>> = {}
    ): Promise<Server> => {
      const script = join(import.meta.dirname, "Baseline.mjs")
      const child = spawn(process.execPath, [script, kind, main, knownFile, ...listFiles], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, ...environment }
      })
      children.push(child)
      const [line = ""] = await new Promise<ReadonlyArray<string>>((resolve, reject) => {
        createInterface(child.stdout).once("line", (line) => resolve([line]))
        child.once("exit", () => reject(new Error(`${name} ended`)))
      })
      return { name, pid: child.pid ?? 0, port: JSON.parse(line).port }
    },
    /** The service with its lists loaded. */
    service: async (environment: Readonly<Record<string, string>>): Promise<Service.Service> => {
      const feeds = await Promise.all(documents.map(() => Publisher.make()))
      const loading = feeds.map((feed, slot) => feed.publish(documents[slot] ?? Buffer.alloc(0)))
      const service = await Service.start(
        main,
        {
          ...Object.fromEntries(
            feeds.flatMap((feed, slot) => [
              [`${SLOTS[slot]}_URL`, feed.url],
              [`${SLOTS[slot]}_FORMAT`, "lines"]
            ])
          ),
          ...environment
        },
        "as it is"
      )
      await Promise.all(loading)
      for (;;) {
        const { status } = await fetch(`http://127.0.0.1:${service.port}/health/ready`)
        if (status === 200) break
        await pause(50)
      }
      for (const feed of feeds) feed.stop()
      return service
    }
  }
}

/** The smallest resident memory in the next seconds, in MB. */
export const memoryAtRest = async ({ pid }: Service.Service): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let waited = 0; waited < REST_MILLIS; waited += 100) {
    await pause(100)
    least = Math.min(least, residentMegabytes(pid))
  }
  return least
}

/** One round of load, with the microseconds of CPU a request of all threads of the server. */
export const round = async (
  { pid, port }: Server,
  urls: Load.Urls,
  connections: number,
  length: Load.Length,
  perRequest = 1
) => {
  const cpu = processCpuSeconds(pid)
  const measured = await Load.run(port, urls, connections, length, perRequest)
  return { ...measured, cpu: ((processCpuSeconds(pid) - cpu) * 1e6) / measured.requests }
}

export type Round = Awaited<ReturnType<typeof round>>
