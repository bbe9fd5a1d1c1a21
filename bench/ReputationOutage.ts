import * as Load from "./Load.ts"
import { mainThreadCpuSeconds, wallSeconds } from "./Measurement.ts"
import {
  behave,
  CONNECTIONS,
  freshUrl,
  type Mode,
  pause,
  probes,
  report,
  startService
} from "./ReputationSetup.ts"

const STAGE_SECONDS = 5

const lookupStatus = async (port: number, url: string): Promise<string | undefined> => {
  const response = await fetch(`http://127.0.0.1:${port}/api/check`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url })
  })
  await response.arrayBuffer()
  return /reputation_lookup=(\w+)/.exec(response.headers.get("checker-status") ?? "")?.[1]
}

export const outage = async (mode: Mode) => {
  await behave({ _tag: "Protobuf" })
  const service = await startService(mode, { LOG_LEVEL: "warning" })
  const load = (length: Load.Length) => Load.run(service.port, freshUrl, CONNECTIONS, length)
  const stage = async () => {
    const cpu = mainThreadCpuSeconds(service.pid)
    const round = await load({ duration: STAGE_SECONDS })
    return { ...round, cpu: ((mainThreadCpuSeconds(service.pid) - cpu) * 1e6) / round.requests }
  }
  await load({ amount: 10_000 })
  const before = await stage()
  await behave({ _tag: "Hang" })
  const firstSeconds = await stage()
  const hanging = await stage()
  await behave({ _tag: "Status", status: 503 })
  await stage()
  const down = await stage()
  await behave({ _tag: "Protobuf" })
  const back = process.hrtime.bigint()
  for (const probe of probes) {
    if ((await lookupStatus(service.port, probe)) === "ok") break
    await pause(200)
  }
  const recovered = wallSeconds(back)
  const after = await stage()
  await service.stop()

  report.section(`An outage in ${mode}: ${CONNECTIONS} connections, each check another URL`)
  for (const [what, round] of [
    ["before", before],
    ["while it hangs, the first 5 seconds", firstSeconds],
    ["while it hangs, from the fifth second on", hanging],
    ["while it answers 503", down],
    ["after", after]
  ] as const) {
    report.add(`${what}: checks a second`, "", [round.perSecond])
    report.add("  p50", "ms", [round.p50])
    report.add("  p99", "ms", [round.p99])
    report.add("  CPU time of the main thread of a check", "µs", [round.cpu])
  }
  report.ratio("checks a second while it hangs over before (goal: 0.5)", hanging.perSecond / before.perSecond)
  report.ratio("checks a second while 503 over before (goal: 0.5)", down.perSecond / before.perSecond)
  report.ratio("checks a second after over before", after.perSecond / before.perSecond)
  report.add("until a local hit is confirmed again", "s", [recovered])
}
