/** @import { Readiness } from "../Api.ts" */
import * as Health from "./health.browser.js"

/** A health response needs milliseconds. */
const TIMEOUT_MS = 10_000

/** @param {string} id */
const byId = (id) => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`#${id} is not in the page`)
  return found
}

/**
 * Writes a text, or hides the element if it is empty.
 *
 * @param {string} id
 * @param {string} text
 */
const write = (id, text) => {
  const written = byId(id)
  written.textContent = text
  written.hidden = text === ""
}

/**
 * @param {string} tag
 * @param {Readonly<Record<string, string>>} attributes
 * @param {ReadonlyArray<Node | string>} children
 */
const element = (tag, attributes, ...children) => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** @param {string} text */
const muted = (text) => (text === "" ? [] : [element("span", { class: "muted" }, text)])

/** @param {Health.Item} item */
const itemElement = ({ name, id, state, tone, content }) =>
  element(
    "li",
    {},
    element("div", {}, element("strong", {}, name), ...muted(id)),
    element("div", { "data-tone": tone }, element("span", { class: "state" }, state), ...muted(content))
  )

/** @param {Health.Table} table */
const tableElement = ({ caption, columns, rows }) => {
  const head = columns.map((column) => element("th", { scope: "col" }, column))
  const body = rows.map(([header = "", ...cells]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, header),
      ...cells.map((cell) => element("td", {}, cell))
    )
  )
  const table = element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body)
  )
  // On a narrow screen it scrolls: `tabindex` lets keyboard users scroll it too.
  return element("div", { class: "table", role: "region", "aria-label": caption, tabindex: "0" }, table)
}

/** @param {string} sentence @param {Health.Tone} tone @param {string} status */
const showSummary = (sentence, tone, status) => {
  document.title = `${status}: state of the service`
  byId("summary").dataset.tone = tone
  write("sentence", sentence)
}

/** @param {Readiness} health @param {number} now */
const show = (health, now) => {
  const { sentence, tone } = Health.summaryOf(health)
  const missing = Health.missingOf(health)
  showSummary(sentence, tone, health.status)
  write("missing", missing === "" ? "" : `Missing: ${missing}.`)
  write("time", Health.timeText(now))
  byId("lists").replaceChildren(...Health.itemsOf(health, now).map(itemElement))
  byId("tables").replaceChildren(...Health.tablesOf(health, now).map(tableElement))
  write("cache", `Cache: ${health.cache}.`)
  byId("health").hidden = false
}

/** @returns {Promise<Readiness | string>} a string: why there is no state */
const read = async () => {
  try {
    const response = await fetch("health/ready", {
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS)
    })
    const body = await response.json().catch(() => null)
    return Health.isHealth(body) ? body : Health.noState(response.status)
  } catch {
    return Health.UNREACHABLE
  }
}

write("sentence", "Loading …")
byId("summary").hidden = false
const state = await read()
if (typeof state === "string") showSummary(state, "bad", "unknown")
else show(state, Date.now())
