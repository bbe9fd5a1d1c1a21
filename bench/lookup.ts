/**
 * The CPU time of a reputation lookup of a URL that is not cached: alone, against plain functions that do the same work, and
 * as a part of a check by the service, against one without a key.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { Chunk, ConfigProvider, Effect, Layer, ManagedRuntime, Option } from "effect"
import { HashSearch } from "../src/Checkers/ReputationLookup/HashSearch.ts"
import * as ReputationLookup from "../src/Checkers/ReputationLookup.ts"
import { AppConfig } from "../src/Layers/AppConfig.ts"
import { Cache } from "../src/Layers/Cache.ts"
import { HttpGet } from "../src/Layers/Outbound.ts"
import * as Timeouts from "../src/Layers/Time/Timeouts.ts"
import { HashLists, noLists } from "../src/Lists/HashLists.ts"
import * as Submission from "../src/Url/Submission.ts"
import * as Load from "./Load.ts"
import { cpuSeconds, processCpuSeconds, Report } from "./Measurement.ts"
import * as PlainLookup from "./PlainLookup.ts"
import * as Service from "./Service.ts"

const [, , main = "", jsonFile = ""] = process.argv
const ROUNDS = 9
const CONNECTIONS = 16
const LOOKUPS = 3000
const CHECKS = 3000
const WARM_UP = 6000

const report = new Report("CPU time of a reputation lookup of a URL that is not cached, with eight prefixes")

/** A Safe Browsing that lists nothing, cacheable for 300 seconds, in a process of its own. */
const safeBrowsing = `
import { createServer } from "node:http"
const body = Uint8Array.of(0x12, 0x03, 0x08, 0xac, 0x02)
const headers = { "content-type": "application/x-protobuf", "content-length": body.length }
const server = createServer((_request, response) => response.writeHead(200, headers).end(body))
server.keepAliveTimeout = 600_000
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
`
const server = spawn(process.execPath, ["--input-type=module", "--eval", safeBrowsing], {
  stdio: ["ignore", "pipe", "inherit"]
})
process.once("exit", () => server.kill("SIGKILL"))
const [port] = await once(createInterface(server.stdout), "line")
const environment = {
  REPUTATION_API_KEY: "key",
  REPUTATION_API_URL: `http://127.0.0.1:${port}`,
  REPUTATION_MODE: "no-storage"
}

let urls = 0
const newUrl = () => `https://host-${urls++}.shop.example/dir/page.html?item=1`

interface Lookup {
  readonly name: string
  /** Looks all of them up, CONNECTIONS at a time. */
  readonly run: (submissions: ReadonlyArray<Submission.Submission>) => Promise<unknown>
  readonly rounds: Array<number>
}

const plainLookup = PlainLookup.make(environment)

const plain: Lookup = {
  name: "plain functions: hash, GET by node:http, decode, store",
  run: (submissions) => {
    const left = submissions.values()
    const worker = async () => {
      for (const submission of left) await plainLookup(submission)
    }
    return Promise.all(Array.from({ length: CONNECTIONS }, worker))
  },
  rounds: []
}

const runtime = ManagedRuntime.make(
  ReputationLookup.ReputationLookup.layer.pipe(
    Layer.provide(HashSearch.layer),
    Layer.provide([
      Cache.inMemory,
      HttpGet.layer,
      Layer.succeed(
        HashLists,
        Option.some({
          mode: "no-storage",
          current: () => noLists,
          status: Effect.succeed([]),
          saveError: Effect.succeedNone
        })
      )
    ]),
    Layer.provide(AppConfig.layer),
    Layer.provide(
      Layer.setConfigProvider(
        ConfigProvider.fromMap(new Map(Object.entries(environment)), { pathDelim: "_" })
      )
    )
  )
)
const checker = await runtime.runPromise(ReputationLookup.ReputationLookup)

const timeouts = Timeouts.make(checker.budget)

const lookUp = (submission: Submission.Submission) => {
  const lookup = checker.prepare(submission)
  if (!("plan" in lookup)) return lookup
  return Effect.flatMap(checker.ask([lookup]), ({ check, onAnswered }) =>
    Effect.flatMap(timeouts.waitFor(onAnswered), () => check(lookup))
  )
}

const ours: Lookup = {
  name: "the checker (goal: at most 3 times as much)",
  run: (submissions) => {
    const shares = Chunk.split(Chunk.fromIterable(submissions), CONNECTIONS)
    const worker = (share: Iterable<Submission.Submission>) =>
      Effect.forEach(share, lookUp, { discard: true })
    return runtime.runPromise(Effect.forEach(shares, worker, { concurrency: "unbounded", discard: true }))
  },
  rounds: []
}

/** Microseconds of CPU per lookup. */
const measured = async ({ run }: Lookup, count: number): Promise<number> => {
  const submissions = Array.from({ length: count }, () => Submission.read(newUrl(), Date.now()))
  const since = process.cpuUsage()
  await run(submissions)
  return (cpuSeconds(since) * 1e6) / count
}

const alone = async () => {
  const lookups = [plain, ours]
  for (const lookup of lookups) await measured(lookup, WARM_UP)
  for (let round = 0; round < ROUNDS; round++)
    for (const lookup of lookups) lookup.rounds.push(await measured(lookup, LOOKUPS))
  report.section(`A lookup, ${CONNECTIONS} at a time`)
  const [plainTime = 0, ourTime = 0] = lookups.map(({ name, rounds }) => report.add(name, "us", rounds))
  report.ratio("the checker, compared with plain functions (goal: at most 3)", ourTime / plainTime)
}

const inService = async () => {
  const services = await Promise.all(
    [{}, environment].map(async (environment) => ({
      service: await Service.start(main, { ...environment, LOG_LEVEL: "warning" }, "as it is"),
      rounds: [] as number[]
    }))
  )
  /** Milliseconds of CPU per check of a new URL. Twice as many URLs as checks: no two connections check the same. */
  const perCheck = async ({ pid, port }: Service.Service, amount: number) => {
    const fresh = Array.from({ length: 2 * amount }, newUrl)
    const before = processCpuSeconds(pid)
    await Load.run(port, fresh, CONNECTIONS, { amount })
    return ((processCpuSeconds(pid) - before) * 1000) / amount
  }
  for (const { service } of services) await perCheck(service, WARM_UP)
  for (let round = 0; round < ROUNDS; round++)
    for (const { service, rounds } of services) rounds.push(await perCheck(service, CHECKS))
  report.section(`A check by the service, ${CONNECTIONS} connections`)
  const [withoutKey = 0, withKey = 0] = services.map(({ rounds }, at) =>
    report.add(at === 0 ? "without a key" : "with a lookup", "ms", rounds)
  )
  report.add("more with a lookup (goal: at most 0.6)", "ms", [withKey - withoutKey])
  await Promise.all(services.map(({ service }) => service.stop()))
}

await alone()
await inService()
report.write(jsonFile)
process.exit(0)
