import { gzipSync } from "node:zlib"
import { Option } from "effect"
import * as ThreatListBytes from "../src/Lists/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../src/Lists/ThreatList.ts"
import * as Random from "../training/Random.ts"
import * as ListMaking from "./ListMaking.ts"
import { cpuSeconds, processCpuSeconds, type Report, residentMegabytes, wallSeconds } from "./Measurement.ts"
import * as Publisher from "./Publisher.ts"
import * as Servers from "./Servers.ts"
import * as Service from "./Service.ts"

/** About as many as hagezi's list of seven days has. */
const NAMES = 2_000_000
const ROUNDS = 5
const BUILDS = 3
const LOOKUPS = 100_000
const CHECKS = 5_000

const words =
  "example sample garden river shop cloud parcel notice mail market photo travel studio coffee music".split(
    " "
  )
const suffixes = "com com com net org top xyz shop online info site de co.uk".split(" ")

/** Distinct invented domains, the same for a seed. */
function* domains(count: number, seed: number): Generator<string> {
  const next = Random.random(seed)
  const pick = (from: ReadonlyArray<string>) => from[Math.floor(next() * from.length)] ?? ""
  for (let i = 0; i < count; i++)
    yield `${pick(words)}-${pick(words)}${seed}x${i.toString(36)}.${pick(suffixes)}`
}

const entriesOf = async (port: number): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`)
  const { newDomains } = (await response.json()) as { readonly newDomains: { readonly entries: number } }
  return newDomains.entries
}

/** A list of two million new domains: building, memory, lookups, and what it adds to a check. */
export const newDomains = async (report: Report, main: string) => {
  const names = [...domains(NAMES, 1)]
  const text = gzipSync(ListMaking.lines(names))
  const others = [...domains(LOOKUPS, 2)]

  report.section(`${NAMES.toLocaleString("en")} new domains: the list`)
  const { make, stop } = await ListMaking.start(main, {
    isHostList: true,
    limits: { connectTimeoutMs: 10_000, idleTimeoutMs: 30_000, maxBodyBytes: 268_435_456, maxKeys: NAMES }
  })
  const builds: Array<number> = []
  let bytes = await make(text)
  for (let round = 0; round < BUILDS; round++) {
    const cpu = process.cpuUsage()
    bytes = await make(text)
    builds.push((cpuSeconds(cpu) * 1e6) / NAMES)
  }
  stop()
  const list = new ThreatList(Option.getOrThrow(ThreatListBytes.open(bytes)))
  report.add("memory a name (goal: at most 12.1)", "B", [list.bytes.buffer.byteLength / NAMES])
  report.add("CPU time of building, a name", "us", builds)
  const step = NAMES / LOOKUPS
  const listed = names.filter((_, i) => i % step === 0)
  for (const [what, looked] of [
    ["a new domain", listed],
    ["another domain", others]
  ] as const) {
    const rounds = Array.from({ length: ROUNDS }, () => {
      const start = process.hrtime.bigint()
      const found = looked.filter((name) => list.hasHost(name)).length
      if (found !== (looked === listed ? LOOKUPS : 0)) throw new Error(`${found} found`)
      return (wallSeconds(start) * 1e9) / LOOKUPS
    })
    report.add(`lookup of ${what}`, "ns", rounds)
  }

  report.section(`${NAMES.toLocaleString("en")} new domains: the service`)
  const publisher = await Publisher.make()
  void publisher.publish(text)
  const without = await Service.start(main, { LOG_LEVEL: "warning" }, "as it is")
  const began = process.hrtime.bigint()
  const having = await Service.start(
    main,
    { LOG_LEVEL: "warning", NEW_DOMAINS_URL: publisher.url },
    "as it is"
  )
  let peak = 0
  while ((await entriesOf(having.port)) === 0) {
    peak = Math.max(peak, residentMegabytes(having.pid))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  report.add("from the start to the list", "s", [wallSeconds(began)])
  report.add("CPU time until then", "s", [processCpuSeconds(having.pid)])
  const [plain, listing] = await Promise.all([without, having].map(Servers.memoryAtRest))
  report.add("resident memory until then, at most", "MB", [peak])
  report.add("resident memory at rest", "MB", [listing ?? 0])
  report.add("resident memory at rest without the list", "MB", [plain ?? 0])

  for (const [what, looked] of [
    ["a new domain", listed],
    ["another domain", others]
  ] as const) {
    const checked = looked.slice(0, CHECKS).map((name, i) => `https://www.${name}/account/${i}`)
    const cpu: Record<"having" | "without", Array<number>> = { having: [], without: [] }
    // The first round is not counted: it compiles.
    for (let round = 0; round <= ROUNDS; round++)
      for (const [kind, service] of [
        ["having", having],
        ["without", without]
      ] as const) {
        const measured = await Servers.round({ name: kind, ...service }, checked, 4, { amount: CHECKS })
        if (round > 0) cpu[kind].push(measured.cpu)
      }
    const mine = report.add(`CPU time of a check of ${what}`, "us", cpu.having)
    const theirs = report.add("the same without the list", "us", cpu.without)
    report.ratio(`CPU time of a check of ${what} over a service's without the list`, mine / theirs)
  }
  await Promise.all([having.stop(), without.stop()])
  publisher.stop()
}
