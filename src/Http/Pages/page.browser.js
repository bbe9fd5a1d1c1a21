/** @import { ScanFinding } from "../Api.ts" */
import * as Link from "./link.browser.js"
import * as Texts from "./texts.browser.js"
import * as Verdict from "./verdict.browser.js"

/** Relative to the page, so that it also works below a path of a proxy. */
const ENDPOINT = new URL("api/check?findings=true", document.baseURI).href

/** Far longer than the timeout of the checkers. */
const TIMEOUT_MS = 20_000

const EXAMPLE = "Your parcel is waiting. Pay the fee now: http://paypa1-secure.example/login"

/** A message with more links is read elsewhere. */
const MAX_OTHERS = 10

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
const input = element("text", HTMLTextAreaElement)
const submit = element("submit", HTMLButtonElement)
const errorMessage = element("error", HTMLElement)
const waiting = element("waiting", HTMLElement)
const announcement = element("announcement", HTMLElement)
const result = element("result", HTMLElement)
const headline = element("headline", HTMLElement)
const command = element("curl", HTMLTextAreaElement)
const copy = element("copy", HTMLButtonElement)

/** Where a finger is the pointer, a focused field opens a keyboard, which hides half of the page. */
const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)").matches

/** The publishers of the lists, which the service writes into the page. */
const publishers = new URLSearchParams(
  document.querySelector('meta[name="publishers"]')?.getAttribute("content") ?? ""
)

const nameOf = (/** @type {string} */ checker) => Verdict.checkerName(checker, publishers)

/**
 * Writes a text, or hides the element if it is empty.
 *
 * @param {string} id
 * @param {string} text
 */
const write = (id, text) => {
  const written = element(id, HTMLElement)
  written.textContent = text
  written.hidden = text === ""
}

/** @param {string} id @param {boolean} isShown */
const show = (id, isShown) => {
  // The page has some parts only if the operator set a variable.
  const shown = document.getElementById(id)
  if (shown !== null) shown.hidden = !isShown
}

/**
 * Shows an error and hides the result, which belongs to an earlier link.
 *
 * @param {string} title
 * @param {string} [help]
 */
const showError = (title, help) => {
  result.hidden = true
  waiting.hidden = true
  submit.removeAttribute("aria-busy")
  input.removeAttribute("aria-invalid")
  const strong = document.createElement("strong")
  strong.textContent = title
  errorMessage.replaceChildren(...(title === "" ? [] : help === undefined ? [title] : [strong, " ", help]))
  if (title !== "") errorMessage.scrollIntoView({ block: "nearest" })
}

/** @param {string} text @param {string} help */
const refuse = (text, help) => {
  if (hasKeyboard) input.focus()
  // An on-screen keyboard would hide the error.
  else input.blur()
  showError(text, help)
  input.setAttribute("aria-invalid", "true")
}

/**
 * @param {string} checker
 * @param {string} status
 * @param {number | undefined} millis
 * @param {boolean} hasFindings
 */
const checkerItem = (checker, status, millis, hasFindings) => {
  const item = element("checker", HTMLTemplateElement).content.cloneNode(true)
  if (!(item instanceof DocumentFragment)) throw new Error("A template contains a fragment")
  const texts = {
    ".name": nameOf(checker),
    ".state": Verdict.statusText(status, hasFindings),
    ".time": millis === undefined || status === "not-configured" ? "" : Texts.durationText(millis)
  }
  for (const [selector, text] of Object.entries(texts))
    item.querySelector(selector)?.replaceChildren(Texts.escapeInvisible(text))
  const row = item.firstElementChild
  if (row instanceof HTMLElement)
    row.dataset.status = Verdict.hasAnswered(status)
      ? hasFindings
        ? "found"
        : "ok"
      : status === "not-configured"
        ? "off"
        : "no-answer"
  return item
}

/** @param {ScanFinding} finding */
const reasonItem = ({ checker, reason }) => {
  const item = document.createElement("li")
  const [before, advisory, after] =
    checker === "reputation_lookup" ? Texts.splitAtAdvisory(reason) : [reason, undefined, ""]
  item.append(Texts.escapeInvisible(before))
  if (advisory !== undefined) {
    const link = document.createElement("a")
    link.href = advisory
    link.rel = "noreferrer"
    link.textContent = advisory
    item.append(link, Texts.escapeInvisible(after))
  }
  return item
}

/**
 * @param {string} link
 * @param {ReadonlyArray<string>} links all of the text
 */
const otherItem = (link, links) => {
  const item = document.createElement("li")
  const text = document.createElement("span")
  text.className = "code"
  text.dir = "ltr"
  text.textContent = Texts.shorten(Texts.escapeInvisible(link))
  const button = document.createElement("button")
  button.type = "button"
  button.className = "quiet"
  button.textContent = "Check this one"
  button.addEventListener("click", () => check(link, links))
  item.append(text, button)
  return item
}

/**
 * @param {Texts.Result} answer
 * @param {Headers} headers
 * @param {ReadonlyArray<string>} others the links of the text that were not checked
 * @param {ReadonlyArray<string>} links all of the text
 */
const showResult = ({ url, score, verdict, findings, executionTimeMs }, headers, others, links) => {
  const times = new Map(Object.entries(executionTimeMs))
  const statuses = Verdict.parseStatuses(headers.get("checker-status"), times.keys())
  const listOverride = headers.get("list-override")
  const outcomeOfLink = Verdict.outcomeOf({ verdict, findings, listOverride }, statuses)
  const outcome = Verdict.outcomeOfText(outcomeOfLink, others.length)
  const override = Verdict.overrideText(listOverride)
  const advice = Verdict.advice(outcomeOfLink, others.length, statuses, nameOf)
  const title = Verdict.headlineOf(outcome, others.length)
  const othersText = Verdict.othersText(others.length)
  result.dataset.outcome = outcome
  element("mark", SVGElement).setAttribute("href", `#mark-${Verdict.markOf(outcome)}`)
  write("headline", title)
  write("override", override)
  write("advice", advice)
  write("subject", Texts.shorten(Texts.escapeInvisible(url)))
  write("others-text", othersText)
  show("others", others.length > 0)
  element("others-list", HTMLElement).replaceChildren(
    ...others.slice(0, MAX_OTHERS).map((link) => otherItem(link, links))
  )
  show("because", findings.length > 0)
  write("why", Verdict.isWarning(outcome) ? "Why" : "What we noticed")
  element("reasons", HTMLElement).replaceChildren(...findings.map(reasonItem))
  show("help", Verdict.isWarning(outcome))
  show("mistake", Verdict.isWarning(outcome))
  element("details", HTMLDetailsElement).open = false
  write("score", Verdict.scoreText(score))
  write("coverage", Verdict.coverage(statuses))
  element("checkers", HTMLElement).replaceChildren(
    ...[...statuses].map(([id, status]) =>
      checkerItem(
        id,
        status,
        times.get(id),
        findings.some(({ checker }) => checker === id)
      )
    )
  )
  command.value = Texts.curl(ENDPOINT, url)
  copy.textContent = "Copy"
  result.hidden = false
  const sentences = [`${title}.`, outcome === "partial" ? "" : othersText, override, advice]
  announcement.textContent = sentences.filter((sentence) => sentence !== "").join(" ")
}

/**
 * @param {string} url
 * @param {AbortSignal} signal
 * @returns {Promise<{ answer: Texts.Result, headers: Headers } | string>} a string: why there is no result
 */
const request = async (url, signal) => {
  try {
    const response = await fetch(ENDPOINT, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url }),
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

/** The link of the last request. */
let lastLink = ""

const cancel = () => {
  current.abort()
  current = new AbortController()
}

/**
 * @param {string} url
 * @param {ReadonlyArray<string>} links all of the text that it is from
 */
const check = async (url, links) => {
  // A double click: each request counts for the visitor's rate limit.
  if (!waiting.hidden && url === lastLink) return
  lastLink = url
  cancel()
  const own = current
  const timeout = setTimeout(() => own.abort(), TIMEOUT_MS)
  showError("")
  waiting.hidden = false
  announcement.textContent = "Checking the link"
  submit.setAttribute("aria-busy", "true")
  // An on-screen keyboard would hide the result.
  if (!hasKeyboard) input.blur()
  const outcome = await request(url, own.signal)
  clearTimeout(timeout)
  if (own !== current) return
  announcement.textContent = ""
  showError(typeof outcome === "string" ? outcome : "")
  if (typeof outcome === "string") return
  const others = links.filter((link) => link !== url)
  showResult(outcome.answer, outcome.headers, others, links)
  // The button that was pressed may be gone.
  if (document.activeElement === document.body) headline.focus({ preventScroll: true })
  result.scrollIntoView({ block: hasKeyboard ? "nearest" : "start" })
}

/** Fills the field from the address, and removes the text from there: a link may fill it, but not spend the visitor's limit. */
const fill = () => {
  const text = Link.textOfFragment(location.hash)
  if (text === undefined) return
  history.replaceState(null, "", location.pathname + location.search)
  cancel()
  showError("")
  announcement.textContent = ""
  input.value = text
  if (hasKeyboard) submit.focus()
}

form.addEventListener("submit", (event) => {
  event.preventDefault()
  const text = input.value
  const links = Link.linksIn(text)
  const [link] = links
  if (link !== undefined) return void check(link, links)
  cancel()
  announcement.textContent = ""
  if (text.trim() === "") refuse("Paste a link first.", "Or the whole message that it came in.")
  else refuse("This is not a link.", Texts.NOT_A_LINK)
})

input.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
  event.preventDefault()
  form.requestSubmit()
})

// An e-mail that is copied from a browser shows no link where it has a button.
input.addEventListener("paste", (event) => {
  const { clipboardData } = event
  const text = Link.withHiddenLinks(
    clipboardData?.getData("text/plain") ?? "",
    clipboardData?.getData("text/html") ?? ""
  )
  if (text === undefined) return
  event.preventDefault()
  input.setRangeText(text, input.selectionStart, input.selectionEnd, "end")
})

element("example", HTMLButtonElement).addEventListener("click", () => {
  input.value = EXAMPLE
  form.requestSubmit()
})

element("again", HTMLButtonElement).addEventListener("click", () => {
  showError("")
  announcement.textContent = ""
  input.value = ""
  scrollTo({ top: 0 })
  input.focus()
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

addEventListener("hashchange", fill)
if (hasKeyboard) input.focus()
fill()
