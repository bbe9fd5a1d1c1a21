import * as Link from "./link.browser.js"
import * as Texts from "./texts.browser.js"
import * as Verdict from "./verdict.browser.js"

/** Far longer than the timeout of the checkers. */
const TIMEOUT_MS = 20_000

const EXAMPLE = "Your parcel is waiting. Pay the fee now: http://paypa1-secure.example/login"

/** Relative to the page, so that it also works below a path of a proxy. */
const ENDPOINT = "api/checks"

/** Links of a text in one request: a message rarely has more, and each counts against the visitor's rate limit. */
const MAX_LINKS = 10

/** Of a request that the service is too busy for. */
const MAX_RETRIES = 2

/** A visitor does not wait longer. The service asks for one second. */
const MAX_RETRY_AFTER_SECONDS = 5

const MS_PER_SECOND = 1000

/** Fewer than `MAX_LINKS` if the rate limit is lower. */
let maxLinks = MAX_LINKS

/**
 * How many of these links the next request checks.
 *
 * @param {number} links
 */
const nextCount = (links) => Math.min(links, maxLinks)

/**
 * A parameter of `RateLimit` or `RateLimit-Policy`, such as `q` of `"default";q=100;w=900`.
 *
 * @param {string | null} header
 * @param {string} name
 */
const parameter = (header, name) => {
  const fields = (header ?? "").split(";").map((field) => field.trim())
  const digits = fields.find((field) => field.startsWith(`${name}=`))?.slice(name.length + 1)
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Waits. Rejects when the signal aborts.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 */
const pause = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds)
    signal.addEventListener("abort", reject, { once: true })
  })

/**
 * Checks the first of the links: up to ten, or as many as the rate limit leaves. Tries again when the service is too busy.
 *
 * @param {ReadonlyArray<string>} links
 * @param {AbortSignal} signal
 * @returns {Promise<ReadonlyArray<Texts.Result> | string>} a string: why there are no results
 */
const checkFirst = async (links, signal) => {
  let urls = links.slice(0, maxLinks)
  try {
    for (let retries = 0; ; ) {
      const response = await fetch(ENDPOINT, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ urls }),
        signal
      })
      const { headers, ok, status } = response
      maxLinks = Math.min(MAX_LINKS, parameter(headers.get("ratelimit-policy"), "q") ?? MAX_LINKS)
      if (ok) return Texts.resultsOf(await response.json(), urls) ?? Texts.FOREIGN_RESPONSE
      const left = parameter(headers.get("ratelimit"), "r") ?? 0
      const seconds = Number(headers.get("retry-after") ?? Number.NaN)
      // Above the limit 400, and 429 if only this window has too few: no link was checked.
      if ((status === 400 || status === 429) && left > 0 && left < urls.length) urls = urls.slice(0, left)
      else if (status === 503 && seconds <= MAX_RETRY_AFTER_SECONDS && retries < MAX_RETRIES) {
        retries++
        await pause(seconds * MS_PER_SECOND, signal)
      } else return Texts.errorText(status, seconds, urls.length)
    }
  } catch (error) {
    return error instanceof SyntaxError ? Texts.FOREIGN_RESPONSE : Texts.UNREACHABLE
  }
}

/**
 * @template {Element} E
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => E} type
 */
const part = (root, selector, type) => {
  const found = root.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`${selector} is not in the page`)
  return found
}

/**
 * @template {Element} E
 * @param {string} id
 * @param {new () => E} type
 */
const element = (id, type) => part(document, `#${id}`, type)

/** @param {string} id of a template */
const clone = (id) => {
  const copied = document.importNode(element(id, HTMLTemplateElement).content, true).firstElementChild
  if (!(copied instanceof HTMLElement)) throw new Error(`#${id} has no element`)
  return copied
}

const form = element("form", HTMLFormElement)
const input = element("text", HTMLTextAreaElement)
const submit = element("submit", HTMLButtonElement)
const errorMessage = element("error", HTMLElement)
const waiting = element("waiting", HTMLElement)
const announcement = element("announcement", HTMLElement)
const result = element("result", HTMLElement)
const headline = element("headline", HTMLElement)
const more = element("more", HTMLButtonElement)
const moreError = element("more-error", HTMLElement)

const TITLE = document.title

/** What a pasted text shows in place of links that its reader does not see. @type {Map<string, string>} */
const disguises = new Map()

/** Of a text that is not read. */
const NOTHING = { links: /** @type {ReadonlyArray<string>} */ ([]), shown: new Map() }

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
  document.title = TITLE
  waiting.hidden = true
  submit.removeAttribute("aria-busy")
  input.removeAttribute("aria-invalid")
  const strong = document.createElement("strong")
  strong.textContent = title
  errorMessage.replaceChildren(...(title === "" ? [] : help === undefined ? [title] : [strong, " ", help]))
  if (title !== "") errorMessage.scrollIntoView({ block: "nearest" })
}

/** @param {Texts.Refusal} refusal */
const refuse = ({ title, help }) => {
  if (hasKeyboard) input.focus()
  // An on-screen keyboard would hide the error.
  else input.blur()
  showError(title, help)
  input.setAttribute("aria-invalid", "true")
}

/**
 * @param {string} checker
 * @param {string} status
 * @param {number | undefined} millis
 * @param {boolean} hasFindings
 */
const checkerItem = (checker, status, millis, hasFindings) => {
  const item = clone("checker")
  const texts = {
    ".name": nameOf(checker),
    ".state": Verdict.statusText(status, hasFindings),
    ".time": millis === undefined || status === "not-configured" ? "" : Texts.durationText(millis)
  }
  for (const [selector, text] of Object.entries(texts))
    part(item, selector, HTMLElement).textContent = Texts.escapeInvisible(text)
  item.dataset.status = Verdict.hasAnswered(status)
    ? hasFindings
      ? "found"
      : "ok"
    : status === "not-configured"
      ? "off"
      : "no-answer"
  return item
}

/** @param {{ readonly text: string, readonly isGoogle: boolean }} reason */
const reasonItem = ({ text, isGoogle }) => {
  const item = document.createElement("li")
  const [before, advisory, after] = isGoogle ? Texts.splitAtAdvisory(text) : [text, undefined, ""]
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
 * @param {HTMLButtonElement} copy
 * @param {HTMLTextAreaElement} command
 */
const copyCommand = async (copy, command) => {
  let done = "Copied"
  try {
    await navigator.clipboard.writeText(command.value)
    announcement.textContent = "Copied"
  } catch {
    // Browsers disable the clipboard on pages loaded over plain HTTP from another machine.
    command.select()
    announcement.textContent = "Selected: copy it with the keyboard"
    done = "Selected"
  }
  copy.firstChild?.replaceWith(done)
}

/**
 * The folded details of a link.
 *
 * @param {Texts.Result} answer
 * @param {string} suffix of the names of its controls; empty if there is one link
 */
const linkDetails = (answer, suffix) => {
  const { url, score, findings, checkers, executionTimeMs } = answer
  const details = clone("link-details")
  const times = new Map(Object.entries(executionTimeMs))
  const command = part(details, "textarea", HTMLTextAreaElement)
  const copy = part(details, ".copy", HTMLButtonElement)
  for (const name of details.querySelectorAll(".visually-hidden")) name.textContent = suffix
  command.setAttribute("aria-label", `The same check as a command${suffix}`)
  command.value = Texts.curl(new URL("api/check?findings=true", document.baseURI).href, url)
  copy.addEventListener("click", () => copyCommand(copy, command))
  if (suffix !== "")
    part(details, ".reasons", HTMLElement).append(...Verdict.reasonsOf(answer, nameOf).map(reasonItem))
  part(details, ".listings", HTMLElement).append(
    ...Verdict.listingsOf(answer).map((text) => reasonItem({ text, isGoogle: false }))
  )
  for (const list of details.querySelectorAll("ul:empty:not(.checkers)")) list.remove()
  part(details, ".score", HTMLElement).textContent = Verdict.scoreText(score)
  part(details, ".coverage", HTMLElement).textContent = Verdict.coverage(checkers)
  part(details, ".checkers", HTMLElement).append(
    ...Object.entries(checkers).map(([id, status]) =>
      checkerItem(
        id,
        status,
        times.get(id),
        findings.some(({ checker }) => checker === id)
      )
    )
  )
  return details
}

/** @param {string} link */
const shownLink = (link) => Texts.shorten(Texts.escapeInvisible(link))

/** @param {string} link */
const disguiseOf = (link) => {
  const shown = disguises.get(link)
  return shown === undefined ? "" : Texts.escapeInvisible(Link.disguiseText(shown))
}

/**
 * @param {Texts.Result} answer
 * @param {number} index in the list
 */
const linkItem = (answer, index) => {
  const item = clone("link-item")
  const outcome = Verdict.outcomeOf(answer)
  const disguise = part(item, ".disguise", HTMLElement)
  item.dataset.outcome = outcome
  part(item, "use", SVGElement).setAttribute("href", `#mark-${Verdict.markOf(outcome)}`)
  part(item, "strong", HTMLElement).textContent = Verdict.headlines[outcome]
  part(item, ".code", HTMLElement).textContent = shownLink(answer.url)
  disguise.textContent = disguiseOf(answer.url)
  disguise.hidden = disguise.textContent === ""
  item.append(linkDetails(answer, ` for link ${index + 1}, ${Texts.shortName(answer.url)}`))
  return item
}

/**
 * Shows the results of a text's first links.
 *
 * @param {ReadonlyArray<Texts.Result>} answers
 * @param {number} unchecked how many links follow
 */
const showResults = (answers, unchecked) => {
  const byOutcome = answers
    .map((answer) => ({ answer, outcome: Verdict.outcomeOf(answer) }))
    .sort((left, right) => Verdict.compare(left.outcome, right.outcome))
  const worst = byOutcome[0]?.answer
  if (worst === undefined) return
  const counts = { checked: answers.length, unchecked }
  const isOne = counts.checked + unchecked === 1
  const outcome = Verdict.outcomeOfText(
    byOutcome.map(({ outcome }) => outcome),
    unchecked
  )
  const title = Verdict.headlineOf(outcome, counts)
  const countText = isOne ? "" : Verdict.countText(counts)
  // Of several links one is shown by itself if it needs attention.
  const isShown = isOne || Verdict.isSerious(outcome)
  const override = isShown || outcome === "allowed" ? Verdict.overrideText(worst.override) : ""
  const advice = Verdict.advice(outcome, counts, worst.checkers, nameOf)
  const reasons = isShown ? Verdict.reasonsOf(worst, nameOf) : []
  document.title = `${title} – Link check`
  result.dataset.outcome = outcome
  element("mark", SVGElement).setAttribute("href", `#mark-${Verdict.markOf(outcome)}`)
  write("headline", title)
  write("override", override)
  write("advice", advice)
  show("one", isShown)
  write("one-title", isOne ? "We checked" : "This link")
  write("subject", shownLink(worst.url))
  write("disguise", disguiseOf(worst.url))
  show("because", reasons.length > 0)
  write("why", Verdict.isWarning(outcome) ? "Why" : "What we noticed")
  element("reasons", HTMLElement).replaceChildren(...reasons.map(reasonItem))
  show("links", !isOne)
  write("links-title", countText)
  element("links-list", HTMLElement).replaceChildren(
    ...(isOne ? [] : byOutcome.map(({ answer }, index) => linkItem(answer, index)))
  )
  write("more", unchecked === 0 ? "" : Verdict.moreText(nextCount(unchecked)))
  show("help", Verdict.isWarning(outcome))
  show("mistake", Verdict.isWarning(outcome))
  element("details", HTMLElement).replaceChildren(...(isOne ? [linkDetails(worst, "")] : []))
  result.hidden = false
  const sentences = [title, outcome === "partial" ? "" : countText].filter((text) => text !== "")
  announcement.textContent = [...sentences.map((text) => `${text}.`), override, advice]
    .filter((text) => text !== "")
    .join(" ")
}

/** Only the result of the last request is shown: each request aborts the previous one. */
let current = new AbortController()

/** The links of the text, and the results of the first of them. */
let links = /** @type {ReadonlyArray<string>} */ ([])
let answers = /** @type {ReadonlyArray<Texts.Result>} */ ([])

const cancel = () => {
  current.abort()
  current = new AbortController()
}

/**
 * Checks the next links of the text.
 *
 * @returns {Promise<string | undefined>} why they have no results; undefined also if another request took its place
 */
const checkNext = async () => {
  cancel()
  const own = current
  const timeout = setTimeout(() => own.abort(), TIMEOUT_MS)
  announcement.textContent = "Checking"
  const outcome = await checkFirst(links.slice(answers.length), own.signal)
  clearTimeout(timeout)
  if (own !== current) return
  announcement.textContent = ""
  if (typeof outcome === "string") return outcome
  showError("")
  answers = [...answers, ...outcome]
  showResults(answers, links.length - answers.length)
  // The button that was pressed may be gone.
  if (document.activeElement === document.body) headline.focus({ preventScroll: true })
  result.scrollIntoView({ block: hasKeyboard ? "nearest" : "start" })
}

/** @param {ReadonlyArray<string>} found the links of a text */
const check = async (found) => {
  // A double click: each request counts for the visitor's rate limit.
  if (!waiting.hidden && found.join("\n") === links.join("\n")) return
  links = found
  answers = []
  showError("")
  waiting.hidden = false
  submit.setAttribute("aria-busy", "true")
  // An on-screen keyboard would hide the result.
  if (!hasKeyboard) input.blur()
  const error = await checkNext()
  if (error !== undefined) showError(error)
}

more.addEventListener("click", async () => {
  if (more.ariaBusy === "true") return
  more.ariaBusy = "true"
  moreError.textContent = ""
  moreError.textContent = (await checkNext()) ?? ""
  more.ariaBusy = "false"
})

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

form.addEventListener("submit", async (event) => {
  event.preventDefault()
  const text = input.value
  const isTooLong = text.length > Link.MAX_TEXT_LENGTH
  const { links: found, shown } =
    isTooLong || Link.appScheme(text) !== undefined ? NOTHING : await Link.linksOf(text)
  for (const [link, text] of shown) if (!disguises.has(link)) disguises.set(link, text)
  if (found.length > 0) return void check(found)
  cancel()
  announcement.textContent = ""
  refuse(isTooLong ? Texts.TOO_LONG : Texts.refusalOf(text))
})

input.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
  event.preventDefault()
  form.requestSubmit()
})

// An e-mail that is copied from a browser shows no link where it has a button.
input.addEventListener("paste", (event) => {
  const { clipboardData } = event
  const text = clipboardData?.getData("text/plain") ?? ""
  const hidden = Link.hiddenLinks(text, clipboardData?.getData("text/html") ?? "")
  if (hidden.size === 0) return
  event.preventDefault()
  for (const [link, shown] of hidden) disguises.set(link, shown)
  input.setRangeText([...hidden.keys(), "", text].join("\n"), input.selectionStart, input.selectionEnd, "end")
})

element("example", HTMLButtonElement).addEventListener("click", () => {
  input.value = EXAMPLE
  form.requestSubmit()
})

element("again", HTMLButtonElement).addEventListener("click", () => {
  cancel()
  showError("")
  announcement.textContent = ""
  input.value = ""
  disguises.clear()
  scrollTo({ top: 0 })
  input.focus()
})

addEventListener("hashchange", fill)
if (hasKeyboard) input.focus()
fill()
