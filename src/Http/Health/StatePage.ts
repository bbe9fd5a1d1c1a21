import { createHash } from "node:crypto"
import { Duration } from "effect"
import * as LearnedUpTo from "../../Checkers/Heuristics/Model/LearnedUpTo.ts"
import type { HttpResponse } from "../../Layers/Server.ts"
import type { Readiness } from "../Api.ts"
import { escapedHtml } from "../EscapedHtml.ts"

const STYLE = `:root{color-scheme:light dark;--ground:#f3f5fa;--surface:#fff;--text:#182033;--muted:#535f78;--line:#d9dfea;
--accent:#2450d1;--good:#2c5fb8;--bad:#9a5b00}
@media (prefers-color-scheme:dark){:root{--ground:#10131b;--surface:#191e29;--text:#e8ecf4;--muted:#a5b0c5;--line:#2d3547;
--accent:#a3b8ff;--good:#a3b8ff;--bad:#f0b23f}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1rem clamp(1rem,5vw,2rem) 2rem;background:var(--ground);color:var(--text);
font:1.0625rem/1.5 system-ui,sans-serif}
h1{margin:.5rem 0 1rem;font-size:clamp(1.8rem,1.3rem + 2vw,2.3rem);line-height:1.15;letter-spacing:-.02em}
a{color:var(--accent);text-underline-offset:.18em}
nav a{display:inline-block;padding-block:.4rem}
.summary{padding:1rem 1.2rem;border:1px solid var(--line);border-left:6px solid var(--good);border-radius:1rem;
background:var(--surface)}
.summary[data-status=degraded],.summary[data-status=not-ready]{border-left-color:var(--bad)}
.summary p{margin:.3rem 0 0}
.summary strong{font-size:1.125rem}
.muted{color:var(--muted)}
.lists{margin:1.25rem 0 0;padding:.3rem 1.2rem;list-style:none;border:1px solid var(--line);border-radius:1rem;
background:var(--surface)}
.lists li{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:.1rem 1rem;padding-block:.8rem}
.lists li+li{border-top:1px solid var(--line)}
.lists div{overflow-wrap:anywhere}
.state::before{content:"";display:inline-block;width:.65rem;height:.65rem;margin-right:.55rem;border-radius:50%;
border:2px solid var(--muted)}
:is([data-state="up to date"],[data-state="switched on"]) .state::before{border-color:var(--good);background:var(--good)}
:is([data-state^=missing],[data-state^=paused],[data-state=old]) .state{color:var(--bad);font-weight:600}
:is([data-state^=missing],[data-state^=paused],[data-state=old]) .state::before{border-color:var(--bad);border-radius:0}
@media (max-width:36rem){.lists li{grid-template-columns:minmax(0,1fr)}}
.table{margin-top:1.25rem;padding:.4rem 1.2rem .8rem;overflow-x:auto;border:1px solid var(--line);border-radius:1rem;
background:var(--surface)}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{padding:.5rem 0;text-align:left;font-weight:650}
th,td{padding:.45rem 1.2rem .45rem 0;border-top:1px solid var(--line);text-align:left;vertical-align:top}
thead th{border-top:0;color:var(--muted);font-size:.9rem;font-weight:600}
summary{width:fit-content;margin-top:1.25rem;padding-block:.4rem;color:var(--accent);font-weight:600;cursor:pointer}
details{font-size:.9375rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}`

const styleHash = createHash("sha256").update(STYLE).digest("base64")

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

type Download = Extract<Readiness["popular"], { readonly enabled: true }>

type Lookup = Extract<Readiness["reputationLookup"], { readonly enabled: true }>

/** One row of a table; its first cell is its header. */
type Row = readonly [header: string, ...cells: ReadonlyArray<string>]

const NO_FEED = "No feed is switched on: links are checked without lists of reported pages."
const OLD_FEED = "Ready, but a feed is old: it may lack new pages."

const summaries = {
  ready: "Ready: every feed that is switched on is there.",
  degraded: "Some lists are missing. Links are checked with the others.",
  "not-ready": "Not ready: lists are still being fetched, or none could be fetched."
} as const satisfies Record<Readiness["status"], string>

const summaryOf = ({ status, feeds }: Readiness): string => {
  const enabled = Object.values(feeds).filter((feed) => feed.enabled)
  if (enabled.length === 0) return NO_FEED
  return status === "ready" && enabled.some(({ stale }) => stale) ? OLD_FEED : summaries[status]
}

const UNITS = [
  ["day", Duration.toMillis("1 day")],
  ["hour", Duration.toMillis("1 hour")],
  ["minute", Duration.toMillis("1 minute")]
] as const

/** The length of a time in milliseconds: `3 hours`, rounded down; less than a minute is `under a minute`. */
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
  if (fetchedAt !== null) return stale ? "old" : "up to date"
  return lastError === null ? "missing: not fetched yet" : "missing: could not be fetched"
}

const OFF = { enabled: false } as const

const muted = (text: string): string => `<br><span class="muted">${escapedHtml(text)}</span>`

/** A list in the words of people. `use` and `content` are HTML. */
const item = (name: string, use: string, state: string, content: string): string =>
  `<li data-state="${state}"><div><strong>${escapedHtml(name)}</strong>${use}</div>
<div><span class="state">${state}</span>${content}</div></li>`

const entriesOf = (count: number): string =>
  `${count.toLocaleString("en")} ${count === 1 ? "entry" : "entries"}`

const listItem = (slot: string, list: Download | typeof OFF, now: number): string => {
  if (!list.enabled) return item(slot, "", "switched off", "")
  const content =
    list.fetchedAt === null
      ? ""
      : muted(`${entriesOf(list.entries)}, fetched ${lengthOf(now - Date.parse(list.fetchedAt))} ago`)
  return item(list.source, muted(slot), stateOf(list), content)
}

const lookupItem = (lookup: Readiness["reputationLookup"]): string => {
  const name = "Google Safe Browsing"
  if (!lookup.enabled) return item(name, "", "switched off", "")
  const state = lookup.search.breaker === "closed" ? "switched on" : "paused: Google does not answer"
  const entries = lookup.lists.reduce((sum, list) => sum + list.entries, 0)
  const content = lookup.lists.length === 0 ? "" : muted(`${entriesOf(entries)} in local lists`)
  return item(name, muted("reputation_lookup"), state, content)
}

const heuristicsItem = ({ learnedUpTo }: Readiness["heuristics"], now: number): string =>
  item(
    "Text of links",
    muted("heuristics"),
    LearnedUpTo.isOld(learnedUpTo, now) ? "old" : "up to date",
    muted(`learned from phishing up to ${learnedUpTo}`)
  )

/** What operators want to know of it beside that. */
const downloadRow = (name: string, list: Download | typeof OFF): Row =>
  list.enabled
    ? [
        name,
        list.fetchedAt === null ? NONE : minute(list.fetchedAt),
        errorOf(list.lastError),
        list.nextAttemptAt === null ? "now" : minute(list.nextAttemptAt),
        list.skipped.toLocaleString("en"),
        list.ignored.toLocaleString("en"),
        errorOf(list.saveError)
      ]
    : [name, ...Array.from({ length: 6 }, () => NONE)]

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
  const head = columns.map((column) => `<th scope="col">${escapedHtml(column)}</th>`).join("")
  const body = rows.map(
    ([header, ...cells]) =>
      `<tr><th scope="row">${escapedHtml(header)}</th>${cells.map((cell) => `<td>${escapedHtml(cell)}</td>`).join("")}</tr>`
  )
  // On a narrow screen it scrolls: `tabindex` lets keyboard users scroll it too.
  return `<div class="table" role="region" aria-label="${escapedHtml(caption)}" tabindex="0">
<table><caption>${escapedHtml(caption)}</caption><thead><tr>${head}</tr></thead>
<tbody>
${body.join("\n")}
</tbody></table></div>`
}

/** The names of the missing lists: their publishers, with the slots. */
const missingOf = (state: Readiness): string =>
  state.status === "ready"
    ? ""
    : state.missing
        .map((slot) => {
          const feed = state.feeds[slot]
          return feed.enabled ? `${feed.source} (${slot})` : slot
        })
        .join(", ")

const page = (state: Readiness, now: number, hasMainPage: boolean): string => {
  const downloads = [...Object.entries(state.feeds), ["popular sites", state.popular] as const]
  const missing = missingOf(state)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${state.status}: state of the service</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
${hasMainPage ? '<nav aria-label="Service"><a href="./">Check a link</a></nav>\n' : ""}<main>
<h1>State of the service</h1>
<div class="summary" data-status="${state.status}">
<strong>${summaryOf(state)}</strong>
${missing === "" ? "" : `<p>Missing: ${escapedHtml(missing)}.</p>\n`}<p class="muted">At ${minute(new Date(now).toISOString())}. All times are in UTC.</p>
</div>
<ul class="lists">
${downloads.map(([slot, list]) => listItem(slot, list, now)).join("\n")}
${lookupItem(state.reputationLookup)}
${heuristicsItem(state.heuristics, now)}
</ul>
<p class="muted">The feeds are lists of pages that people have reported. The list of popular sites protects well-known sites from mistakes in them.</p>
<details>
<summary>Details for the operator</summary>
${table(
  "Downloads",
  ["List", "Fetched", "Last error", "Next attempt", "Rows skipped", "Rows ignored", "Not saved because"],
  downloads.map(([slot, list]) => downloadRow(slot, list))
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
<p>Cache: ${escapedHtml(state.cache)}.</p>
<p>The same as JSON: <a href="health/ready">health/ready</a>. Numbers over time: <a href="metrics">metrics</a>.</p>
</details>
</main>
</body>
</html>
`
}

/**
 * The state at `now`, in milliseconds since 1970, as a page for people. `hasMainPage`: whether the page that checks links is on
 * the same port.
 */
export const response = (state: Readiness, now: number, hasMainPage: boolean): HttpResponse => {
  const body = page(state, now, hasMainPage)
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
