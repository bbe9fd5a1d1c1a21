import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism, cpus, loadavg, totalmem } from "node:os"

/** One quantity, measured in several rounds. */
export interface Measurement {
  readonly what: string
  readonly unit: string
  readonly rounds: ReadonlyArray<number>
}

/** Rounds that differ by more than this part of their median: other programs used the machine. */
const NOISY = 0.3

const sorted = (rounds: ReadonlyArray<number>) => [...rounds].sort((a, b) => a - b)

export const median = (rounds: ReadonlyArray<number>): number => {
  const all = sorted(rounds)
  const middle = Math.floor(all.length / 2)
  return all.length % 2 === 1 ? (all[middle] ?? 0) : ((all[middle - 1] ?? 0) + (all[middle] ?? 0)) / 2
}

export const percentile = (rounds: ReadonlyArray<number>, part: number): number => {
  const all = sorted(rounds)
  return all[Math.min(all.length - 1, Math.ceil(part * all.length) - 1)] ?? 0
}

const digits = (value: number): string =>
  value > 0 && value < 0.01
    ? value.toExponential(1)
    : value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })

const machine = () => ({
  node: process.version,
  processor: cpus()[0]?.model ?? "unknown",
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${process.arch}`
})

const busy = (): string | undefined => {
  const [load = 0] = loadavg()
  return load > availableParallelism() ? `${digits(load)} on ${availableParallelism()} cores` : undefined
}

/** Collects the measurements of a part. Prints each as text, and writes all as JSON at the end. */
export class Report {
  readonly #measurements: Array<Measurement & { readonly section: string; readonly median: number }> = []
  readonly #ratios: Array<{ readonly section: string; readonly what: string; readonly ratio: number }> = []
  #section = ""
  readonly #loads: Array<string> = []

  constructor(title: string) {
    const { node, processor, cores, memoryGiB, system } = machine()
    console.log(`${title}\nNode ${node}, ${cores} cores of ${processor}, ${memoryGiB} GiB, ${system}`)
    console.log("median (min .. max of the rounds)\n")
  }

  section(title: string): void {
    this.#section = title
    const load = busy()
    if (load !== undefined) this.#loads.push(`${title}: ${load}`)
    console.log(`${title}${load === undefined ? "" : `   [the machine is busy: load ${load}]`}`)
  }

  add(what: string, unit: string, rounds: ReadonlyArray<number>): number {
    const middle = median(rounds)
    this.#measurements.push({ section: this.#section, what, unit, rounds, median: middle })
    const [least, most] = [Math.min(...rounds), Math.max(...rounds)]
    const range = rounds.length === 1 ? "" : ` (${digits(least)} .. ${digits(most)})`
    const noise = most - least > NOISY * middle ? "  noisy" : ""
    console.log(`  ${what.padEnd(64)} ${digits(middle).padStart(9)} ${unit}${range}${noise}`)
    return middle
  }

  ratio(what: string, ratio: number): void {
    this.#ratios.push({ section: this.#section, what, ratio })
    console.log(`  ${what.padEnd(64)} ${digits(ratio).padStart(9)} times`)
  }

  write(file: string): void {
    const report = {
      machine: machine(),
      busy: this.#loads,
      measurements: this.#measurements,
      ratios: this.#ratios
    }
    writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`)
    if (this.#loads.length > 0)
      console.log(
        "\nOther programs used the machine: do not trust times; ratios are better, memory is right."
      )
    console.log(`\n${file}`)
  }
}

/** CPU seconds of all threads of this process since an earlier `process.cpuUsage()`, or since the start. */
export const cpuSeconds = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1e6
}

export const wallSeconds = (since: bigint): number => Number(process.hrtime.bigint() - since) / 1e9

/** Resident memory of a process in MB (10^6 bytes). Linux only. */
export const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1.024e-3

const CLOCK_TICKS_PER_SECOND = 100

/** CPU seconds of all threads of another process since its start, to 0.01 s. Linux only. */
export const processCpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND
}

/** CPU seconds of the main thread of another process since its start. Linux only. */
export const mainThreadCpuSeconds = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ")[0]) / 1e9
