import * as Load from "./Load.ts"
import { mainThreadCpuSeconds } from "./Measurement.ts"
import {
  CHECKED_URLS,
  CONNECTIONS,
  checked,
  count,
  MODES,
  main,
  PART_LIKELY_SAFE,
  PART_LISTED,
  report,
  startService
} from "./ReputationSetup.ts"
import * as Service from "./Service.ts"

export const requestsOut = async () => {
  report.section(
    `What leaves the process: ${CHECKED_URLS} URLs once, 1 of ${PART_LIKELY_SAFE} in the global cache, 1 of ${PART_LISTED} listed`
  )
  const searches: Array<number> = []
  for (const mode of MODES) {
    const service = await startService(mode)
    const before = await count()
    // In turn: on several connections, each would begin with URLs that are the first for another.
    const { requests } = await Load.run(service.port, checked, 1, { amount: checked.length })
    const after = await count()
    searches.push((after.searches - before.searches) / requests)
    report.add(`${mode}: requests a check`, "", [(after.searches - before.searches) / requests])
    report.add(`${mode}: prefixes a check`, "", [(after.prefixes - before.prefixes) / requests])
    await service.stop()
  }
  const [all = 1, local = 0, realTime = 0] = searches
  report.ratio("requests in local-list over those in no-storage", local / all)
  report.ratio("requests in real-time over those in no-storage", realTime / all)
}

const CPU_ROUNDS = 7
const CPU_CHECKS = 10_000
const CPU_URLS = 500

export const cost = async () => {
  const known = checked.slice(-CPU_URLS)
  const services = {
    none: await Service.start(main, { LOG_LEVEL: "warning" }, "as it is"),
    cached: await startService("no-storage", { LOG_LEVEL: "warning" }),
    local: await startService("local-list", { LOG_LEVEL: "warning" })
  }
  const micros = async ({ port, pid }: Service.Service) => {
    const cpu = mainThreadCpuSeconds(pid)
    const { requests } = await Load.run(port, known, CONNECTIONS, { amount: CPU_CHECKS })
    return ((mainThreadCpuSeconds(pid) - cpu) * 1e6) / requests
  }
  const warm = async (service: Service.Service) => {
    for (let i = 0; i < 3; i++) await micros(service)
  }
  for (const service of Object.values(services)) await warm(service)
  const rounds: Record<keyof typeof services, Array<number>> = { none: [], cached: [], local: [] }
  for (let i = 0; i < CPU_ROUNDS; i++)
    for (const which of ["none", "cached", "local"] as const)
      rounds[which].push(await micros(services[which]))
  for (const service of Object.values(services)) await service.stop()
  report.section(`CPU time of the main thread of a check, ${CPU_URLS} URLs again and again`)
  report.add("without a key", "µs", rounds.none)
  report.add("whose lookup is cached (no-storage)", "µs", rounds.cached)
  report.add("whose lookup local lists decide (local-list)", "µs", rounds.local)
  report.add(
    "the last over the one before (goal: at most 20)",
    "µs",
    rounds.local.map((micros, i) => micros - (rounds.cached[i] ?? 0))
  )
}
