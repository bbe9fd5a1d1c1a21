/** What a check costs as lists and URLs grow. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { listedIn } from "./CheckedUrls.ts"
import { urls } from "./InventedFeed.ts"
import * as ListMaking from "./ListMaking.ts"
import { cpuSeconds, Report } from "./Measurement.ts"
import * as PlainCheck from "./PlainCheck.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ROUNDS = 5
const CHECKS = 5_000

const report = new Report("The functions of a check, without the server around them, as the work grows")
const folder = mkdtempSync(join(tmpdir(), "url-threat-scoring-growth-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

/** Microseconds of CPU time a check, with one list of so many entries. */
const timed = (check: PlainCheck.KnownCheck, checked: ReadonlyArray<string>) => {
  const cpu = process.cpuUsage()
  for (const url of checked) check(url)
  return (cpuSeconds(cpu) * 1e6) / checked.length
}

report.section("Microseconds a check; entries of the list")
const half = (count: number) => {
  const listed = [...listedIn(0, 10_000)].slice(0, count / 2)
  const others = [...urls(count / 2, 99)]
  return listed.flatMap((url, i) => [url, others[i] ?? ""])
}
const checked = half(CHECKS)
const checks = new Map<number, PlainCheck.KnownCheck>()
for (const entries of [10_000, 100_000, 1_000_000]) {
  const file = join(folder, `${entries}.list`)
  writeFileSync(file, await ListMaking.make(main, ListMaking.lines(listedIn(0, entries))))
  const check = await PlainCheck.makeKnown(main, [file], [])
  for (let i = 0; i < 3; i++) timed(check, checked)
  checks.set(entries, check)
}
const rounds = new Map([...checks.keys()].map((entries): [number, Array<number>] => [entries, []]))
for (let i = 0; i < ROUNDS; i++)
  for (const [entries, check] of checks) rounds.get(entries)?.push(timed(check, checked))
const byEntries = [...rounds].map(([entries, times]) =>
  report.add(`${entries.toLocaleString("en")} entries`, "us", times)
)
report.ratio("1,000,000 over 10,000 entries (goal: flat)", (byEntries[2] ?? 0) / (byEntries[0] ?? 1))

report.section("Microseconds a check; bytes of the URL")
const check = checks.get(10_000) ?? (await PlainCheck.makeKnown(main, [], []))
const lengths = [50, 500, 5_000, 50_000]
const byLength = lengths.map((bytes) => {
  const query = "a=1&b=%41".repeat(bytes)
  const checked = Array.from({ length: Math.ceil(CHECKS / Math.sqrt(bytes)) }, (_, i) =>
    `https://www.example.com/p?${i}${query}`.slice(0, bytes)
  )
  for (let i = 0; i < 3; i++) timed(check, checked)
  return report.add(
    `${bytes.toLocaleString("en")} bytes`,
    "us",
    Array.from({ length: ROUNDS }, () => timed(check, checked))
  )
})
const [first = 0, , third = 0, last = 0] = byLength
report.add("slope from 50 to 5,000 bytes", "ns a byte", [((third - first) * 1000) / (5_000 - 50)])
report.add("slope from 5,000 to 50,000 bytes (goal: the same)", "ns a byte", [
  ((last - third) * 1000) / (50_000 - 5_000)
])
report.write(jsonFile)
process.exit(0)
