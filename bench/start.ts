/** From the start of the process to its first answer, with an empty data directory and no feed that can be reached. */
import { join } from "node:path"
import { mainThreadCpuSeconds, Report, wallSeconds } from "./Measurement.ts"
import * as Service from "./Service.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ROUNDS = 5

/** The discard service's port on loopback, where nobody listens. */
const NOWHERE = "http://127.0.0.1:9/feed"
const feeds = { FEED_A_URL: NOWHERE, FEED_B_URL: NOWHERE, FEED_C_URL: NOWHERE, FEED_D_URL: NOWHERE }

const report = new Report(
  "From the start of the process to the first 200: empty data directory, no feed reachable"
)

const start = async (script: string) => {
  const began = process.hrtime.bigint()
  const service = await Service.start(script, feeds, "as it is")
  const measured = { seconds: wallSeconds(began), cpu: mainThreadCpuSeconds(service.pid) }
  await service.stop()
  return measured
}

report.section("Seconds")
const scripts = [
  ["the built service (goal: at most 0.35)", main],
  ["scripts/start.js, which first looks for changed sources", join(main, "../../../scripts/start.js")]
] as const
const rounds = scripts.map((): Array<Awaited<ReturnType<typeof start>>> => [])
for (let i = 0; i < ROUNDS; i++)
  for (const [index, [, script]] of scripts.entries()) rounds[index]?.push(await start(script))
for (const [index, [what]] of scripts.entries()) {
  const of = rounds[index] ?? []
  report.add(
    what,
    "s",
    of.map(({ seconds }) => seconds)
  )
  report.add(
    "  CPU time of its main thread",
    "s",
    of.map(({ cpu }) => cpu)
  )
}
report.write(jsonFile)
process.exit(0)
