/**
 * What the page of state says about the body of `/health/ready`. Pure: no document, no network. Times are in milliseconds since
 * 1970, and shown in UTC.
 *
 * @import { Readiness } from "../Api.ts"
 */

/** @typedef {Extract<Readiness["popular"], { readonly enabled: true }>} Download */
/** @typedef {Extract<Readiness["reputationLookup"], { readonly enabled: true }>} Lookup */
/** @typedef {"good" | "bad" | "off"} Tone the colour and the shape of the mark */

/**
 * A list in the words of people. `id` is its name in the configuration.
 *
 * @typedef {{ name: string, id: string, state: string, tone: Tone, content: string }} Item
 */

/** @typedef {{ caption: string, columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>> }} Table */

export const UNREACHABLE = "The service was not reached. Load the page again in a moment."

/**
 * For a response that is not the service's state, such as that of a proxy.
 *
 * @param {number} status
 */
export const noState = (status) =>
  `The service did not answer with its state (status ${status}). Load the page again in a moment.`

/** @satisfies {Record<Readiness["status"], string>} */
const summaries = {
  ready: "Ready: every feed that is switched on has its list.",
  degraded: "Some lists are missing. Links are checked with the others.",
  "not-ready": "Not ready: lists are still being fetched, or none could be fetched."
}

/** @param {unknown} value */
const isObject = (value) => typeof value === "object" && value !== null

/**
 * Whether a body has the fields of `/health/ready`.
 *
 * @param {Readonly<Partial<Record<keyof Readiness, unknown>>> | null} body
 * @returns {body is Readiness}
 */
export const isHealth = (body) =>
  typeof body?.status === "string" &&
  Object.hasOwn(summaries, body.status) &&
  typeof body.cache === "string" &&
  [
    body.feeds,
    body.popular,
    body.newDomains,
    body.overrides,
    body.heuristics,
    body.reputationLookup,
    body.checkers
  ].every(isObject)

/**
 * The state in one sentence, and whether something is missing or old.
 *
 * @param {Readiness} health
 * @returns {{ sentence: string, tone: Tone }}
 */
export const summaryOf = ({ status, feeds }) => {
  const enabled = Object.values(feeds).filter((feed) => feed.enabled)
  if (enabled.length === 0)
    return {
      sentence: "No feed is switched on: links are checked without lists of reported pages.",
      tone: "good"
    }
  if (status === "ready" && enabled.some(({ stale }) => stale))
    return { sentence: "Ready, but a feed is old: it may lack new pages.", tone: "good" }
  return { sentence: summaries[status], tone: status === "ready" ? "good" : "bad" }
}

/**
 * The feeds without a list: `PhishTank (feed_c)`, by commas; empty if there is none.
 *
 * @param {Readiness} health
 */
export const missingOf = (health) =>
  health.status === "ready"
    ? ""
    : health.missing
        .map((id) => {
          const feed = health.feeds[id]
          return feed.enabled ? `${feed.source} (${id})` : id
        })
        .join(", ")

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** @type {ReadonlyArray<readonly [unit: string, size: number]>} */
const units = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS]
]

/**
 * `3 hours`, rounded down; less than a minute is `under a minute`.
 *
 * @param {number} millis
 */
const lengthOf = (millis) => {
  for (const [unit, size] of units) {
    const count = Math.floor(millis / size)
    if (count > 0) return `${count} ${unit}${count === 1 ? "" : "s"}`
  }
  return "under a minute"
}

/**
 * `2026-11-21 09:10`
 *
 * @param {string} isoTime
 */
const minuteOf = (isoTime) => isoTime.slice(0, 16).replace("T", " ")

/** @param {number} now */
export const timeText = (now) => `At ${minuteOf(new Date(now).toISOString())}. All times are in UTC.`

const NONE = "–"

/** @param {string | null} isoTime @param {number} now */
const ageOf = (isoTime, now) =>
  isoTime === null ? NONE : `${lengthOf(now - Date.parse(isoTime))} (${minuteOf(isoTime)})`

/** @param {Download["lastError"]} error */
const errorOf = (error) => (error === null ? NONE : `${error.message} (${minuteOf(error.at)})`)

/** @param {number} count */
const countOf = (count) => count.toLocaleString("en")

/** @param {number} count */
const entriesOf = (count) => `${countOf(count)} ${count === 1 ? "entry" : "entries"}`

/**
 * @param {Pick<Download, "fetchedAt" | "lastError" | "stale">} list
 * @returns {{ state: string, tone: Tone }}
 */
const stateOf = ({ fetchedAt, lastError, stale }) => {
  if (fetchedAt === null)
    return {
      state: lastError === null ? "missing: not fetched yet" : "missing: could not be fetched",
      tone: "bad"
    }
  return stale ? { state: "old", tone: "bad" } : { state: "up to date", tone: "good" }
}

/** @type {{ state: string, tone: Tone, content: string }} */
const off = { state: "switched off", tone: "off", content: "" }

/** @param {string} id @param {Readiness["popular"]} list @param {number} now @returns {Item} */
const listItem = (id, list, now) => {
  // The names that the page for people has for them.
  if (!list.enabled) {
    const [, letter] = /^feed_(.)$/.exec(id) ?? []
    return letter === undefined
      ? { name: id, id: "", ...off }
      : { name: `List ${letter.toUpperCase()}`, id, ...off }
  }
  const content =
    list.fetchedAt === null
      ? ""
      : `${entriesOf(list.entries)}, fetched ${lengthOf(now - Date.parse(list.fetchedAt))} ago`
  return { name: list.source, id, ...stateOf(list), content }
}

/** @param {Readiness["reputationLookup"]} lookup @returns {Item} */
const lookupItem = (lookup) => {
  const name = "Google Safe Browsing"
  if (!lookup.enabled) return { name, id: "", ...off }
  const entries = lookup.lists.reduce((sum, list) => sum + list.entries, 0)
  const content = lookup.lists.length === 0 ? "" : `${entriesOf(entries)} in local lists`
  const id = "reputation_lookup"
  return lookup.search.breaker === "closed"
    ? { name, id, state: "switched on", tone: "good", content }
    : { name, id, state: "paused: Google does not answer", tone: "bad", content }
}

/** Six months; the same as in `LearnedUpTo.ts`. */
const MAX_AGE_OF_WEIGHTS_MS = 183 * DAY_MS

/** @param {Readiness["heuristics"]} heuristics @param {number} now @returns {Item} */
const heuristicsItem = ({ learnedUpTo }, now) => ({
  name: "Our own check",
  id: "heuristics",
  ...(now - Date.parse(learnedUpTo) > MAX_AGE_OF_WEIGHTS_MS
    ? { state: "old", tone: "bad" }
    : { state: "up to date", tone: "good" }),
  content: `learned from phishing up to ${learnedUpTo}`
})

/**
 * The lists that are downloaded, each with its id.
 *
 * @param {Readiness} health
 * @returns {ReadonlyArray<[id: string, list: Readiness["popular"]]>}
 */
const downloads = ({ feeds, popular }) => [...Object.entries(feeds), ["popular sites", popular]]

/**
 * What the service checks with.
 *
 * @param {Readiness} health
 * @param {number} now
 * @returns {ReadonlyArray<Item>}
 */
export const itemsOf = (health, now) => [
  ...downloads(health).map(([id, list]) => listItem(id, list, now)),
  lookupItem(health.reputationLookup),
  heuristicsItem(health.heuristics, now)
]

/** @param {string} id @param {Readiness["popular"]} list */
const downloadRow = (id, list) =>
  list.enabled
    ? [
        id,
        list.fetchedAt === null ? NONE : minuteOf(list.fetchedAt),
        errorOf(list.lastError),
        list.nextAttemptAt === null ? "now" : minuteOf(list.nextAttemptAt),
        countOf(list.skipped),
        countOf(list.ignored),
        errorOf(list.saveError)
      ]
    : [id, NONE, NONE, NONE, NONE, NONE, NONE]

/** @param {string} name @param {Readiness["overrides"]["allow"]} list @param {number} now */
const operatorListRow = (name, list, now) =>
  list.enabled
    ? [name, countOf(list.entries), countOf(list.skipped), ageOf(list.readAt, now), errorOf(list.lastError)]
    : [name, "off", NONE, NONE, NONE]

/** @param {Lookup["lists"][number]} list @param {number} now */
const localListRow = (list, now) => [
  list.name,
  stateOf(list).state,
  countOf(list.entries),
  ageOf(list.fetchedAt, now),
  errorOf(list.lastError),
  minuteOf(list.nextUpdate)
]

/** @satisfies {Record<Lookup["search"]["breaker"], string>} */
const searches = {
  closed: "sent",
  open: "paused: the last ones failed",
  "half-open": "paused: one is sent to find out whether Google answers again"
}

/** @param {Readiness["reputationLookup"]} lookup @param {number} now @returns {ReadonlyArray<Table>} */
const lookupTables = (lookup, now) => {
  const [caption, columns] = ["Reputation lookup", ["Part", "State"]]
  if (!lookup.enabled) return [{ caption, columns, rows: [["Mode", "off"]] }]
  const { lists, mode, saveError, search } = lookup
  const rows = [
    ["Mode", mode],
    ["Searches", searches[search.breaker]],
    ["Last error of a search", errorOf(search.lastError)],
    ["Save error of the lists", errorOf(saveError)]
  ]
  const local = {
    caption: "Local lists of Safe Browsing",
    columns: ["List", "State", "Entries", "Age", "Last error", "Next update"],
    rows: lists.map((list) => localListRow(list, now))
  }
  return [{ caption, columns, rows }, ...(lists.length === 0 ? [] : [local])]
}

/**
 * What operators want to know too. The first cell of a row is its header.
 *
 * @param {Readiness} health
 * @param {number} now
 * @returns {ReadonlyArray<Table>}
 */
export const tablesOf = (health, now) => [
  {
    caption: "Downloads",
    columns: [
      "List",
      "Fetched",
      "Last error",
      "Next attempt",
      "Rows skipped",
      "Rows ignored",
      "Not saved because"
    ],
    rows: downloads(health).map(([id, list]) => downloadRow(id, list))
  },
  {
    caption: "Lists of the operator",
    columns: ["List", "Entries", "Skipped lines", "Read", "Last error"],
    rows: [
      operatorListRow("ALLOW_LIST", health.overrides.allow, now),
      operatorListRow("BLOCK_LIST", health.overrides.block, now)
    ]
  },
  ...lookupTables(health.reputationLookup, now),
  {
    caption: "Checkers",
    columns: ["Checker", "Last status"],
    rows: Object.entries(health.checkers).map(([checker, status]) => [checker, String(status)])
  }
]
