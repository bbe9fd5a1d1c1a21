/** @import { ScanResult } from "../Api.ts" */
import * as Words from "./words.browser.js"

/** Relative, so that the page also works below a path of a proxy. */
const ENDPOINT = new URL("api/check", document.baseURI).href

/** Far longer than the budget of the checkers: only a lost connection takes so long. */
const PATIENCE_MILLIS = 20_000

const COPY = "Copy as curl"

const EXAMPLE = "http://paypa1-secure.example/login"

/**
 * @template {Element} E
 * @param {string} id
 * @param {new () => E} type
 */
const element = (id, type) => {
  const found = document.getElementById(id)
  if (!(found instanceof type)) throw new Error(`#${id} is not in the page`)
  return found
}

const form = element("form", HTMLFormElement)
const input = element("url", HTMLInputElement)
const submit = element("submit", HTMLButtonElement)
const problem = element("problem", HTMLElement)
const announcement = element("announcement", HTMLElement)
const result = element("result", HTMLElement)
const command = element("curl", HTMLTextAreaElement)
const copy = element("copy", HTMLButtonElement)

/**
 * @param {string} id
 * @param {string} text
 */
const write = (id, text) => {
  element(id, HTMLElement).textContent = text
}

/** Instead of a result: none stays in sight that belongs to another link. */
const showProblem = (/** @type {string} */ text) => {
  result.hidden = true
  problem.textContent = text
  input.removeAttribute("aria-invalid")
}

/**
 * @param {string} checker
 * @param {string} status
 * @param {number | undefined} millis
 * @param {number} slowest
 */
const checkerItem = (checker, status, millis, slowest) => {
  const item = element("checker", HTMLTemplateElement).content.cloneNode(true)
  if (!(item instanceof DocumentFragment)) throw new Error("A template holds a fragment")
  const texts = {
    ".name": Object.entries(Words.checkerNames).find(([known]) => known === checker)?.[1] ?? checker,
    ".state": Words.stateOf(status),
    ".time": millis === undefined ? "" : Words.timeOf(millis)
  }
  for (const [selector, text] of Object.entries(texts))
    item.querySelector(selector)?.replaceChildren(Words.visible(text))
  const row = item.firstElementChild
  if (row instanceof HTMLElement) {
    row.dataset.status = Words.isAnswer(status) ? status : status === "not-configured" ? "off" : "silent"
    row.style.setProperty("--share", String(slowest > 0 ? (millis ?? 0) / slowest : 0))
  }
  return item
}

/**
 * @param {ScanResult} answer
 * @param {string | null} header
 */
const showResult = ({ url, score, verdict, reasons, executionTimeMs }, header) => {
  const times = new Map(Object.entries(executionTimeMs))
  const statuses = Words.statuses(header, times.keys())
  const states = [...statuses.values()]
  const advice = Words.advice({ verdict, reasons }, states)
  result.dataset.verdict = verdict
  result.dataset.silent = String(Words.isAnybodySilent(states))
  element("arc", SVGElement).style.strokeDasharray = `${score} 100`
  write("score", String(score))
  write("verdict", Words.verdictName(verdict))
  write("advice", advice)
  write("subject", Words.shortened(Words.visible(url)))
  write("coverage", Words.coverage(states))
  command.value = Words.curl(ENDPOINT, url)
  element("because", HTMLElement).hidden = reasons.length === 0
  element("reasons", HTMLElement).replaceChildren(
    ...reasons.map((reason) => {
      const item = document.createElement("li")
      item.textContent = Words.visible(reason)
      return item
    })
  )
  const slowest = Math.max(0, ...times.values())
  element("checkers", HTMLElement).replaceChildren(
    ...[...statuses].map(([checker, status]) => checkerItem(checker, status, times.get(checker), slowest))
  )
  copy.textContent = COPY
  result.hidden = false
  announcement.textContent = `${Words.verdictName(verdict)}. Score ${score} of 100. ${advice}`
}

/**
 * @param {string} url
 * @param {AbortSignal} signal
 * @returns {Promise<{ answer: ScanResult, header: string | null } | string>} the string: why there is no answer
 */
const ask = async (url, signal) => {
  try {
    const response = await fetch(ENDPOINT, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url }),
      credentials: "omit",
      signal
    })
    const { headers, ok, status } = response
    if (!ok) return Words.refusal(status, headers.get("retry-after"))
    const answer = await response.json()
    return Words.isResult(answer) ? { answer, header: headers.get("checker-status") } : Words.NOT_OURS
  } catch (error) {
    if (error instanceof SyntaxError) return Words.NOT_OURS
    return "The service was not reached. This says nothing about the link: try again."
  }
}

/** The last request alone is shown: it ends the one before. */
let current = new AbortController()

/** @param {string} url */
const check = async (url) => {
  current.abort()
  const own = new AbortController()
  current = own
  const patience = setTimeout(() => own.abort(), PATIENCE_MILLIS)
  showProblem("")
  announcement.textContent = "Checking"
  submit.setAttribute("aria-busy", "true")
  const outcome = await ask(url, own.signal)
  clearTimeout(patience)
  if (own !== current) return
  announcement.textContent = ""
  submit.removeAttribute("aria-busy")
  if (typeof outcome === "string") return showProblem(outcome)
  showResult(outcome.answer, outcome.header)
  // The keyboard on a screen would hide the answer.
  if (matchMedia("(pointer: coarse)").matches) input.blur()
  result.scrollIntoView({ block: "nearest" })
}

form.addEventListener("submit", (event) => {
  event.preventDefault()
  const url = input.value.trim()
  if (url !== "") return void check(url)
  showProblem("Paste a link first.")
  input.setAttribute("aria-invalid", "true")
  input.focus()
})

element("example", HTMLButtonElement).addEventListener("click", () => {
  input.value = EXAMPLE
  check(EXAMPLE)
})

copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(command.value)
    announcement.textContent = "Copied"
    copy.textContent = "Copied"
  } catch {
    // Browsers give no clipboard to a page that came over plain http from another machine.
    command.select()
    announcement.textContent = "Selected: copy it with the keyboard"
    copy.textContent = "Selected"
  }
})
