/** @import { ScanResult } from "../Api.ts" */
import * as Texts from "./texts.browser.js"

/** Relative to the page, so that it also works below a path of a proxy. */
const ENDPOINT = new URL("api/check", document.baseURI).href

/** Far longer than the timeout of the checkers. */
const TIMEOUT_MS = 20_000

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
const errorMessage = element("error", HTMLElement)
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

/** Shows an error and hides the result, which belongs to an earlier link. */
const showError = (/** @type {string} */ text) => {
  result.hidden = true
  errorMessage.textContent = text
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
  if (!(item instanceof DocumentFragment)) throw new Error("A template contains a fragment")
  const texts = {
    ".name": Object.entries(Texts.checkerNames).find(([known]) => known === checker)?.[1] ?? checker,
    ".state": Texts.statusText(status),
    ".time": millis === undefined ? "" : Texts.durationText(millis)
  }
  for (const [selector, text] of Object.entries(texts))
    item.querySelector(selector)?.replaceChildren(Texts.escapeInvisible(text))
  const row = item.firstElementChild
  if (row instanceof HTMLElement) {
    row.dataset.status = Texts.hasAnswered(status)
      ? status
      : status === "not-configured"
        ? "off"
        : "no-answer"
    row.style.setProperty("--share", String(slowest > 0 ? (millis ?? 0) / slowest : 0))
  }
  return item
}

/**
 * @param {ScanResult} answer
 * @param {Headers} headers
 */
const showResult = ({ url, score, verdict, reasons, executionTimeMs }, headers) => {
  const times = new Map(Object.entries(executionTimeMs))
  const statuses = Texts.parseStatuses(headers.get("checker-status"), times.keys())
  const statusList = [...statuses.values()]
  const listOverride = headers.get("list-override")
  const override = Texts.overrideText(listOverride)
  const advice = Texts.advice({ verdict, reasons, listOverride }, statusList)
  result.dataset.verdict = verdict
  result.dataset.incomplete = String(Texts.isIncomplete(statusList))
  element("arc", SVGElement).style.strokeDasharray = `${score} 100`
  write("score", String(score))
  write("verdict", Texts.verdictText(verdict))
  write("override", override)
  element("override", HTMLElement).hidden = override === ""
  write("advice", advice)
  write("subject", Texts.shorten(Texts.escapeInvisible(url)))
  write("coverage", Texts.coverage(statusList))
  command.value = Texts.curl(ENDPOINT, url)
  element("because", HTMLElement).hidden = reasons.length === 0
  element("google", HTMLElement).hidden = !Texts.hasGoogleReason(reasons)
  element("reasons", HTMLElement).replaceChildren(
    ...reasons.map((reason) => {
      const item = document.createElement("li")
      item.textContent = Texts.escapeInvisible(reason)
      return item
    })
  )
  const slowest = Math.max(0, ...times.values())
  element("checkers", HTMLElement).replaceChildren(
    ...[...statuses].map(([checker, status]) => checkerItem(checker, status, times.get(checker), slowest))
  )
  copy.textContent = COPY
  result.hidden = false
  const sentences = [`${Texts.verdictText(verdict)}.`, `Score ${score} of 100.`, override, advice]
  announcement.textContent = sentences.filter((sentence) => sentence !== "").join(" ")
}

/**
 * @param {string} url
 * @param {AbortSignal} signal
 * @returns {Promise<{ answer: ScanResult, headers: Headers } | string>} a string: why there is no result
 */
const request = async (url, signal) => {
  try {
    const response = await fetch(ENDPOINT, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url }),
      credentials: "omit",
      signal
    })
    const { headers, ok, status } = response
    if (!ok) return Texts.errorText(status, headers.get("retry-after"))
    const answer = await response.json()
    return Texts.isResult(answer) ? { answer, headers } : Texts.FOREIGN_RESPONSE
  } catch (error) {
    if (error instanceof SyntaxError) return Texts.FOREIGN_RESPONSE
    return "The service was not reached. This says nothing about the link: try again."
  }
}

/** Only the result of the last request is shown: each request aborts the previous one. */
let current = new AbortController()

/** @param {string} url */
const check = async (url) => {
  current.abort()
  const own = new AbortController()
  current = own
  const timeout = setTimeout(() => own.abort(), TIMEOUT_MS)
  showError("")
  announcement.textContent = "Checking"
  submit.setAttribute("aria-busy", "true")
  const outcome = await request(url, own.signal)
  clearTimeout(timeout)
  if (own !== current) return
  announcement.textContent = ""
  submit.removeAttribute("aria-busy")
  if (typeof outcome === "string") return showError(outcome)
  showResult(outcome.answer, outcome.headers)
  // An on-screen keyboard would hide the result.
  if (matchMedia("(pointer: coarse)").matches) input.blur()
  result.scrollIntoView({ block: "nearest" })
}

form.addEventListener("submit", (event) => {
  event.preventDefault()
  const url = input.value.trim()
  if (url !== "") return void check(url)
  showError("Paste a link first.")
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
    // Browsers disable the clipboard on pages loaded over plain HTTP from another machine.
    command.select()
    announcement.textContent = "Selected: copy it with the keyboard"
    copy.textContent = "Selected"
  }
})
