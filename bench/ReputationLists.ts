import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Load from "./Load.ts"
import { residentMegabytes } from "./Measurement.ts"
import {
  CONNECTIONS,
  checked,
  count,
  ENTRIES,
  google,
  LIST,
  pause,
  publish,
  REPLACED,
  report,
  startService,
  untilLists
} from "./ReputationSetup.ts"
import type * as Service from "./Service.ts"

/** Eight seconds after a start V8 collects a few times to return memory. */
const SETTLING_MILLIS = 12_000
const REST_MILLIS = 5_000
const WAIT_SECONDS = 10
const UPDATES = 3

/** As in the image. By default glibc keeps freed memory, in one run 10 MB and in the next 80. */
const ENVIRONMENT = { MALLOC_TRIM_THRESHOLD_: "131072" }

const settled = async (service: Service.Service) => {
  await Load.run(service.port, checked.slice(0, 100), CONNECTIONS, { amount: 2_000 })
  await pause(SETTLING_MILLIS)
  const { used } = await service.memory()
  // The system takes pages back one after the other.
  let resident = Number.POSITIVE_INFINITY
  for (let waited = 0; waited < REST_MILLIS; waited += 100) {
    await pause(100)
    resident = Math.min(resident, residentMegabytes(service.pid))
  }
  return { used, resident }
}

/** Runs one update of the list that `prepare` causes. */
const oneUpdate = async (service: Service.Service, prepare: () => Promise<unknown>) => {
  const before = await untilLists(service, () => true)
  // Between two updates.
  const { fetchedAt } = await untilLists(service, ({ fetchedAt }) => fetchedAt !== before.fetchedAt)
  await prepare()
  await service.responsiveness()
  await pause(1_000)
  const { held: rest } = await service.responsiveness()
  const updated = await untilLists(service, (list) => list.fetchedAt !== fetchedAt)
  const { lastUpdateAt } = await count()
  const seconds = (Date.parse(updated.fetchedAt ?? "") - lastUpdateAt) / 1000
  await pause(500)
  return { rest, seconds, held: (await service.responsiveness()).held }
}

export const memoryAndUpdates = async () => {
  const without = await startService("no-storage", ENVIRONMENT, "probed")
  const withoutLists = await settled(without)
  await without.stop()
  await google.run({ _tag: "SetWait", seconds: WAIT_SECONDS })
  const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-bench-"))
  const service = await startService("local-list", { ...ENVIRONMENT, DATA_DIR: folder }, "probed")
  const full: Array<Awaited<ReturnType<typeof oneUpdate>>> = []
  const partial: Array<Awaited<ReturnType<typeof oneUpdate>>> = []
  for (let i = 0; i < UPDATES; i++) {
    full.push(await oneUpdate(service, () => google.run({ _tag: "ForgetVersions", name: LIST })))
    partial.push(await oneUpdate(service, () => publish(i % 2 === 0 ? REPLACED : 0)))
  }
  await google.run({ _tag: "SetWait", seconds: 1800 })
  await pause(WAIT_SECONDS * 1000)
  const withLists = await settled(service)
  await service.stop()
  const loaded = await startService("local-list", { ...ENVIRONMENT, DATA_DIR: folder }, "probed")
  const fromDisk = await settled(loaded)
  await loaded.stop()
  rmSync(folder, { recursive: true, force: true })

  report.section("Memory at rest, after a garbage collection")
  report.add("without lists: objects and buffers", "MB", [withoutLists.used])
  report.add("without lists: resident", "MB", [withoutLists.resident])
  // Not of objects and buffers: the lists are in shared memory, which they do not count.
  for (const [what, { resident }] of [
    ["updated", withLists],
    ["from disk", fromDisk]
  ] as const)
    report.add(`an entry, ${what}: resident (goal: at most 5)`, "bytes", [
      ((resident - withoutLists.resident) * 1e6) / ENTRIES
    ])

  for (const [what, rounds] of [
    ["full", full],
    [`partial (${REPLACED} of the entries replaced)`, partial]
  ] as const) {
    report.section(`A ${what} update, from its request to the list in use`)
    report.add(
      "time",
      "s",
      rounds.map(({ seconds }) => seconds)
    )
    report.add(
      "longest hold of the main thread in a second at rest",
      "ms",
      rounds.map(({ rest }) => rest)
    )
    report.add(
      "longest hold of the main thread during it (goal: at most 20)",
      "ms",
      rounds.map(({ held }) => held)
    )
  }
}
