import { createHash } from "node:crypto"
import { Duration } from "effect"
import type { HttpResponse } from "../../Layers/Server.ts"
import type { Readiness } from "../Api.ts"

/** The colours of the browser, so that contrast is right in light and dark. */
const STYLE = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:75rem;padding:1.5rem}
.table{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
a{color:inherit}
caption{text-align:left;font-weight:600;padding:.5rem 0}
th,td{border:1px solid GrayText;padding:.35rem .6rem;text-align:left;vertical-align:top}`

const styleHash = createHash("sha256").update(STYLE).digest("base64")

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

type Download = Extract<Readiness["popular"], { readonly enabled: true }>

type Lookup = Extract<Readiness["reputationLookup"], { readonly enabled: true }>

/** One row of a table; its first cell is its header. */
type Row = readonly [header: string, ...cells: ReadonlyArray<string>]

const summaries = {
  ready: "Ready: every enabled feed has a list.",
  degraded: "Degraded: some feeds have no list. Checks use the lists of the others.",
  "not-ready": "Not ready: feeds are still being fetched, or there is no list at all."
} as const satisfies Record<Readiness["status"], string>

const UNITS = [
  ["day", Duration.toMillis("1 day")],
  ["hour", Duration.toMillis("1 hour")],
  ["minute", Duration.toMillis("1 minute")]
] as const

/** `3 hours`, rounded down; less than a minute is `under a minute`. */
const lengthOf = (millis: number): string => {
  for (const [unit, size] of UNITS) {
    const count = Math.floor(millis / size)
    if (count > 0) return `${count} ${unit}${count === 1 ? "" : "s"}`
  }
  return "under a minute"
}

const minute = (isoTime: string): string => isoTime.slice(0, 16).replace("T", " ")

const NONE = "–"

const ageOf = (isoTime: string | null, now: number): string =>
  isoTime === null ? NONE : `${lengthOf(now - Date.parse(isoTime))} (${minute(isoTime)})`

const errorOf = (error: Download["lastError"]): string =>
  error === null ? NONE : `${error.message} (${minute(error.at)})`

const stateOf = ({
  fetchedAt,
  lastError,
  stale
}: Pick<Download, "fetchedAt" | "lastError" | "stale">): string => {
  if (fetchedAt !== null) return stale ? "stale" : "up to date"
  return lastError === null ? "missing: not fetched yet" : "missing: could not be fetched"
}

const downloadRow = (name: string, list: Download | { readonly enabled: false }, now: number): Row =>
  list.enabled
    ? [
        name,
        stateOf(list),
        list.source,
        list.entries.toLocaleString("en"),
        ageOf(list.fetchedAt, now),
        errorOf(list.lastError),
        list.nextAttemptAt === null ? "now" : minute(list.nextAttemptAt),
        errorOf(list.saveError)
      ]
    : [name, "off", ...Array.from({ length: 6 }, () => NONE)]

const operatorListRow = (name: string, list: Readiness["overrides"]["allow"], now: number): Row =>
  list.enabled
    ? [
        name,
        list.entries.toLocaleString("en"),
        list.skipped.toLocaleString("en"),
        ageOf(list.readAt, now),
        errorOf(list.lastError)
      ]
    : [name, "off", NONE, NONE, NONE]

const localListRow = (list: Lookup["lists"][number], now: number): Row => [
  list.name,
  stateOf(list),
  list.entries.toLocaleString("en"),
  ageOf(list.fetchedAt, now),
  errorOf(list.lastError),
  minute(list.nextUpdate)
]

const searches = {
  closed: "sent",
  open: "paused: the last ones failed",
  "half-open": "paused: one is sent to find out whether Google answers again"
} as const satisfies Record<Lookup["search"]["breaker"], string>

const lookupTables = (lookup: Readiness["reputationLookup"], now: number): ReadonlyArray<string> => {
  const summary = (rows: ReadonlyArray<Row>) => table("Reputation lookup", ["Part", "State"], rows)
  if (!lookup.enabled) return [summary([["Mode", "off"]])]
  const { lists, mode, saveError, search } = lookup
  const shown = summary([
    ["Mode", mode],
    ["Searches", searches[search.breaker]],
    ["Last error of a search", errorOf(search.lastError)],
    ["Save error of the lists", errorOf(saveError)]
  ])
  if (lists.length === 0) return [shown]
  const columns = ["List", "State", "Entries", "Age", "Last error", "Next update"]
  const rows = lists.map((list) => localListRow(list, now))
  return [shown, table("Local lists of Safe Browsing", columns, rows)]
}

const table = (caption: string, columns: ReadonlyArray<string>, rows: ReadonlyArray<Row>): string => {
  const head = columns.map((column) => `<th scope="col">${escaped(column)}</th>`).join("")
  const body = rows.map(
    ([header, ...cells]) =>
      `<tr><th scope="row">${escaped(header)}</th>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`
  )
  // On a narrow screen it scrolls: `tabindex` lets keyboard users scroll it too.
  return `<div class="table" role="region" aria-label="${escaped(caption)}" tabindex="0">
<table><caption>${escaped(caption)}</caption><thead><tr>${head}</tr></thead>
<tbody>
${body.join("\n")}
</tbody></table></div>`
}

const page = (state: Readiness, now: number): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${state.status}: state of the service</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>State of the service</h1>
<p><strong>${summaries[state.status]}</strong> ${minute(new Date(now).toISOString())}, all times in UTC.</p>
${state.status === "ready" ? "" : `<p>Missing: ${escaped(state.missing.join(", "))}.</p>\n`}${table(
  "Downloaded lists",
  ["List", "State", "Publisher", "Entries", "Age", "Last error", "Next attempt", "Save error"],
  [
    ...Object.entries(state.feeds).map(([slot, feed]) => downloadRow(slot, feed, now)),
    downloadRow("popular sites", state.popular, now)
  ]
)}
${table(
  "Lists of the operator",
  ["List", "Entries", "Skipped lines", "Read", "Last error"],
  [
    operatorListRow("ALLOW_LIST", state.overrides.allow, now),
    operatorListRow("BLOCK_LIST", state.overrides.block, now)
  ]
)}
${lookupTables(state.reputationLookup, now).join("\n")}
${table(
  "Checkers",
  ["Checker", "Last status"],
  Object.entries(state.checkers).map(([checker, status]): Row => [checker, String(status)])
)}
<p>Cache: ${escaped(state.cache)}.</p>
<p>The same as JSON: <a href="health/ready">health/ready</a>. Numbers over time: <a href="metrics">metrics</a>.</p>
</main>
</body>
</html>
`

/** The state at `now`, in milliseconds since 1970, as a page for people. */
export const response = (state: Readiness, now: number): HttpResponse => {
  const body = page(state, now)
  return {
    status: 200,
    headers: {
      "cache-control": "no-store",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      "content-type": "text/html; charset=utf-8",
      "content-length": String(Buffer.byteLength(body))
    },
    body
  }
}
