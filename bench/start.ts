/** Time from the start of the process to its first response, with an empty data directory and unreachable feeds. */
import { mainThreadCpuSeconds, Report, wallSeconds } from "./Measurement.ts"
import * as Service from "./Service.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ROUNDS = 5

/** The discard port on loopback: no server listens there. */
const NOWHERE = "http://127.0.0.1:9/feed"
const feeds = {
  FEED_A_URL: NOWHERE,
  FEED_B_URL: NOWHERE,
  FEED_C_URL: NOWHERE,
  FEED_D_URL: NOWHERE,
  POPULAR_URL: "off"
}

const report = new Report(
  "From the start of the process to the first 200: empty data directory, no feed reachable"
)

const start = async () => {
  const began = process.hrtime.bigint()
  const service = await Service.start(main, feeds, "as it is")
  const measured = { seconds: wallSeconds(began), cpu: mainThreadCpuSeconds(service.pid) }
  await service.stop()
  return measured
}

report.section("Seconds")
const rounds: Array<Awaited<ReturnType<typeof start>>> = []
for (let i = 0; i < ROUNDS; i++) rounds.push(await start())
report.add(
  "node dist/main.js (goal: about 1)",
  "s",
  rounds.map(({ seconds }) => seconds)
)
report.add(
  "  CPU time of its main thread",
  "s",
  rounds.map(({ cpu }) => cpu)
)
report.write(jsonFile)
process.exit(0)
