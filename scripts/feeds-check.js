// Do the lists work? `npm run feeds:check` starts the built service with its default feeds, or those that FEED_* and POPULAR_*
// name, waits until each list is there, and prints a line for each. `--once` does not wait for a second attempt. The exit status is 1 if
// a list or the weights are not as they should be.
import { realpathSync } from "node:fs"
import { parseArgs } from "node:util"
import { build } from "./build.js"
import { startService } from "./service.js"

/** Four attempts: a failed download is repeated after 1, 2 and 4 minutes. */
const WAIT_SECONDS = 480
const POLL_MS = 500

/** A tenth of what the lists had in August 2026, rounded down. */
const MIN_ENTRIES = { feed_a: 40, feed_b: 300, feed_c: 7_000, feed_d: 5_000, popular: 10_000 }

/** As `MAX_AGE` in src/Checkers/Heuristics/ConfiguredModel.ts. */
const MAX_WEIGHTS_AGE_DAYS = 183
const DAY_MS = 86_400_000

/**
 * @import { Readiness } from "../src/Http/Api/Health.ts"
 *
 * @typedef {{ line: string, isFine: boolean }} Finding
 */

/** Escapes an error for a terminal: it may quote a setting. @param {string} text */
const printable = (text) =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

/** @param {Readiness["popular"]} list */
const isMissing = (list) => list.enabled && list.fetchedAt === null

/** @param {Readiness["popular"]} list */
const isUntried = (list) => list.enabled && list.fetchedAt === null && list.lastError === null

/**
 * @param {string} name
 * @param {Readiness["popular"]} list
 * @param {number} minEntries
 * @param {number} now milliseconds since 1970
 * @returns {Finding}
 */
const findingOf = (name, list, minEntries, now) => {
  if (!list.enabled) return { line: `${name}: off`, isFine: true }
  const problems = [
    ...(list.fetchedAt === null ? ["no list"] : []),
    ...(list.fetchedAt !== null && list.entries < minEntries ? [`fewer than ${minEntries} entries`] : []),
    // Of TweetFeed not half of the rows are about other things than URLs: the publisher may have changed the format.
    ...(list.skipped > list.entries ? ["more skipped rows than entries"] : []),
    ...(list.stale ? ["stale"] : []),
    ...(list.lastError === null ? [] : [printable(list.lastError.message)])
  ]
  const age =
    list.fetchedAt === null ? "never fetched" : `fetched ${seconds(now - Date.parse(list.fetchedAt))} ago`
  const rows = list.firstSkipped.map(({ line, reason }) => `line ${line}: ${reason}`).join(", ")
  const facts = `${name} (${list.source}): ${list.entries} entries, ${list.skipped} skipped${rows === "" ? "" : ` (${rows})`}, ${age}`
  return { line: [facts, problems.join("; ") || "ok"].join(": "), isFine: problems.length === 0 }
}

const seconds = (/** @type {number} */ millis) => `${Math.max(0, Math.round(millis / 1000))} s`

/**
 * A line for each list, and one for the weights.
 *
 * @param {Readiness} health
 * @param {number} now milliseconds since 1970
 * @returns {ReadonlyArray<Finding>}
 */
export const findingsOf = ({ feeds, popular, heuristics }, now) => {
  const days = Math.floor((now - Date.parse(heuristics.learnedUpTo)) / DAY_MS)
  const isFine = days <= MAX_WEIGHTS_AGE_DAYS
  return [
    findingOf("feed_a", feeds.feed_a, MIN_ENTRIES.feed_a, now),
    findingOf("feed_b", feeds.feed_b, MIN_ENTRIES.feed_b, now),
    findingOf("feed_c", feeds.feed_c, MIN_ENTRIES.feed_c, now),
    findingOf("feed_d", feeds.feed_d, MIN_ENTRIES.feed_d, now),
    findingOf("popular", popular, MIN_ENTRIES.popular, now),
    {
      line: `heuristics: learned up to ${heuristics.learnedUpTo}, ${days} days ago: ${isFine ? "ok" : `more than ${MAX_WEIGHTS_AGE_DAYS}`}`,
      isFine
    }
  ]
}

const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS))

/** The state when each list is there, or at the deadline. @param {string} address @param {typeof isMissing} isPending */
const settled = async (address, isPending) => {
  const deadline = Date.now() + 1000 * WAIT_SECONDS
  for (;;) {
    const response = await fetch(`${address}/health/ready`)
    const health = /** @type {Readiness} */ (await response.json())
    if (![...Object.values(health.feeds), health.popular].some(isPending) || Date.now() > deadline)
      return health
    await pause()
  }
}

const run = async () => {
  const { values } = parseArgs({ options: { once: { type: "boolean", default: false } } })
  await build(undefined, { orKeep: true })
  const lists = Object.entries(process.env).filter(([name]) => /^(?:FEED_|POPULAR_|NODE_)/.test(name))
  const { address, stop } = await startService({ ...Object.fromEntries(lists), LOG_LEVEL: "info" })
  try {
    const findings = findingsOf(await settled(address, values.once ? isUntried : isMissing), Date.now())
    for (const { line } of findings) console.log(line)
    process.exitCode = findings.every(({ isFine }) => isFine) ? 0 : 1
  } finally {
    await stop()
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) await run()
