import { Either } from "effect"
import type { ThreatList } from "../src/Lists/ThreatList.ts"
import * as CanonicalUrl from "../src/Url/CanonicalUrl.ts"
import { UrlExpressions } from "../src/Url/UrlExpressions.ts"
import { urls } from "./InventedFeed.ts"
import { type Report, wallSeconds } from "./Measurement.ts"

const ROUNDS = 5
const LOOKUPS = 100_000
const FEEDS = 4
const gc = globalThis.gc ?? (() => {})

/** Copies of strings, without a cached hash and not part of a larger string, as the characters of a request are. */
const fresh = (values: Iterable<string>): Array<string> =>
  Array.from(values, (value) => Buffer.from(value, "latin1").toString("latin1"))

const weigh = <A>(make: () => A): { readonly made: A; readonly bytes: number } => {
  const used = () => {
    gc()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = used()
  const made = make()
  return { made, bytes: used() - before }
}

/** How many expressions a lookup tries: the exact one, and each host with each path. */
const countExpressions = (url: CanonicalUrl.CanonicalUrl): number => {
  const { hosts, prefixes } = new UrlExpressions(url)
  return 1 + hosts.length * prefixes.length
}

const isListed = (list: ThreatList, url: CanonicalUrl.CanonicalUrl): boolean =>
  list.match(new UrlExpressions(url)) !== undefined

/** Memory and lookups of a list, against a `Set<string>` of the lines of the same text. */
export const holding = (report: Report, list: ThreatList, text: Buffer) => {
  report.section("Memory: bytes an entry")
  const { made: set, bytes } = weigh(() => {
    const strings = new Set<string>()
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf(10, start)
      strings.add(text.toString("latin1", start, end))
      start = end + 1
    }
    return strings
  })
  const ours = report.add("list, everything counted", "B", [
    list.bytes.buffer.byteLength / list.header.entries
  ])
  report.add("records an entry", "records", [list.header.records / list.header.entries])
  const theirs = report.add("Set<string> of the same URLs", "B", [bytes / set.size])
  report.ratio("memory of the Set over ours", theirs / ours)

  report.section("Lookup: nanoseconds a URL")
  const step = Math.floor(set.size / LOOKUPS)
  const listed = [...set].filter((_, i) => i % step === 0)
  const unlisted = [...urls(LOOKUPS, 2)]
  for (const [what, chosen] of [
    ["hit", listed],
    ["miss", unlisted]
  ] as const) {
    const one: Array<number> = []
    const four: Array<number> = []
    const inSet: Array<number> = []
    for (let round = 0; round < ROUNDS; round++) {
      const canonical = chosen.map((url) => Either.getOrThrow(CanonicalUrl.parse(url)))
      const timed = (work: () => number, count: number) => {
        const start = process.hrtime.bigint()
        const found = work()
        if (found !== (what === "hit" ? chosen.length : 0)) throw new Error(`${found} ${what}s`)
        return (wallSeconds(start) * 1e9) / count
      }
      const lists = (count: number) => () =>
        canonical.reduce((sum, url) => {
          const expressions = new UrlExpressions(url)
          let isFound = false
          for (let i = 0; i < count; i++) isFound = list.match(expressions) !== undefined
          return sum + (isFound ? 1 : 0)
        }, 0)
      one.push(timed(lists(1), chosen.length))
      four.push(timed(lists(FEEDS), FEEDS * chosen.length))
      const strings = fresh(chosen)
      inSet.push(timed(() => strings.reduce((sum, url) => sum + (set.has(url) ? 1 : 0), 0), strings.length))
    }
    const mine = report.add(`${what} in one list, computing the expressions included`, "ns", one)
    report.add(`${what} in each of four lists, which use the same digests`, "ns", four)
    const theirs = report.add(`${what} in the Set<string>, one exact string`, "ns", inSet)
    report.ratio(`time of our ${what} over the Set's`, mine / theirs)
  }

  report.section("False matches")
  report.add("expected in 10^9 lookups: hosts * 10^9 / 2^64", "", [(list.header.hosts * 1e9) / 2 ** 64])
  let tried = 0
  let matched = 0
  for (let i = 0; tried < 10_000_000; i++) {
    const url: CanonicalUrl.CanonicalUrl = {
      ...{
        scheme: "http",
        host: `m${i.toString(36)}.example`,
        path: `/${(i * 7919).toString(36)}/x`,
        query: "y"
      },
      ...{ port: undefined, userInfo: undefined }
    }
    if (isListed(list, url)) matched++
    tried += countExpressions(url)
  }
  report.add(`found of ${tried.toLocaleString("en")} expressions that are not listed`, "", [matched])
}
