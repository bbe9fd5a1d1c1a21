/** @import { Name, Texts as LanguageTexts } from "./Languages/message.browser.js" */
/** @import { Reason } from "./reasons.browser.js" */

import * as Checks from "./checks.browser.js"
import { formatter } from "./Languages/message.browser.js"
import * as Link from "./link.browser.js"
import * as Reasons from "./reasons.browser.js"
import * as Texts from "./texts.browser.js"
import * as Verdict from "./verdict.browser.js"

/** Far longer than the timeout of the checkers. */
const TIMEOUT_MS = 20_000

const EXAMPLE = "http://paypa1-secure.example/login"

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
const found = element("found", HTMLElement)
const announcement = element("announcement", HTMLElement)
const result = element("result", HTMLElement)
const headline = element("headline", HTMLElement)
const more = element("more", HTMLButtonElement)
const moreError = element("more-error", HTMLElement)

/** @param {string} id @param {boolean} isShown */
const show = (id, isShown) => {
  // The page has some parts only if the operator set a variable.
  const shown = document.getElementById(id)
  if (shown !== null) shown.hidden = !isShown
}

const TITLE = document.title

/** What the visitor chose, only on this device. Some browsers forbid it. @param {string} key */
const remembered = (key) => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** @param {string} key @param {string} value */
const remember = (key, value) => {
  try {
    localStorage.setItem(key, value)
  } catch {
    // It holds for this visit.
  }
}

const LANGUAGE = "language"
const COUNTRY = "country"

/** @param {string} file */
const json = async (file) => {
  const response = await fetch(file, { credentials: "same-origin" })
  if (!response.ok) throw new Error(`${file}: ${response.status}`)
  return response.json()
}

const { lang } = document.documentElement

// The server chooses by the browser's language, because it does not know this choice.
const chosenLanguage = remembered(LANGUAGE)
if (chosenLanguage !== null && chosenLanguage !== lang && !new URLSearchParams(location.search).has(LANGUAGE))
  location.replace(`?${LANGUAGE}=${encodeURIComponent(chosenLanguage)}${location.hash}`)

/** What a pasted page or mail shows in place of links that its reader does not see. @type {Link.Shown} */
const pasted = new Map()

/** In UTF-16 units. Browsers open no address of some megabytes. */
const MAX_FRAGMENT_LENGTH = 100_000

/**
 * The text for the page in another language, behind `#`, which no server gets. Not with what a pasted page shows in place of its
 * links: without that its text would seem more honest than it is.
 */
const textFragment = () => {
  // Half a surrogate pair cannot be encoded.
  const fragment = `#url=${encodeURIComponent(input.value.replace(/\p{Cs}/gu, "\ufffd"))}`
  return input.value === "" || pasted.size > 0 || fragment.length > MAX_FRAGMENT_LENGTH ? "" : fragment
}

for (const link of document.querySelectorAll("#languages a")) {
  const language = link.getAttribute("lang") ?? ""
  if (language === lang) link.setAttribute("aria-current", "true")
  link.addEventListener("click", () => {
    remember(LANGUAGE, language)
    link.setAttribute("href", `?${LANGUAGE}=${language}${textFragment()}`)
  })
}

/** @type {LanguageTexts} */
const languageTexts = await json(`Languages/${lang}.json`).catch((error) => {
  show("broken", true)
  throw error
})

const texts = formatter(lang, languageTexts)
const { say } = texts

/** What the checked text shows in place of its links. @type {Link.Shown} */
let disguises = new Map()

/** Of a text that is not read. */
const NOTHING = { links: /** @type {ReadonlyArray<string>} */ ([]), shown: new Map(), isWhole: true }

/** Of a text for which the reader of mails was not loaded. */
const FAILED = { ...NOTHING, shown: new Map() }

/** Whether the text had no attachment that was not read. */
let isWholeText = true

/** Where a finger is the pointer, a focused field opens a keyboard, which hides half of the page. */
const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)").matches

/** The publishers of the lists, which the service writes into the page. */
const publishers = new URLSearchParams(
  document.querySelector('meta[name="publishers"]')?.getAttribute("content") ?? ""
)

const nameOf = (/** @type {string} */ checker) => Verdict.checkerName(checker, publishers, texts)

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

/**
 * Shows an error and hides the result, which belongs to an earlier link.
 *
 * @param {string} title
 * @param {string} [help]
 */
const showError = (title, help) => {
  result.hidden = true
  found.textContent = ""
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
const refuse = ({ help, title, values }) => {
  if (hasKeyboard) input.focus()
  // An on-screen keyboard would hide the error.
  else input.blur()
  showError(say(title), say(help, values))
  input.setAttribute("aria-invalid", "true")
}

/** @param {Name} text */
const wait = (text) => {
  showError("")
  write("waiting-for", say(text))
  waiting.hidden = false
  submit.setAttribute("aria-busy", "true")
  // An on-screen keyboard would hide the result.
  if (!hasKeyboard) input.blur()
}

/**
 * @param {string} checker
 * @param {string} status
 * @param {number | undefined} millis
 * @param {boolean} hasFindings
 */
const checkerItem = (checker, status, millis, hasFindings) => {
  const item = clone("checker")
  const contents = {
    ".name": Texts.escapeInvisible(nameOf(checker)),
    ".state": Texts.escapeInvisible(Verdict.statusText(status, hasFindings, texts)),
    // French and Polish divide thousands by special spaces.
    ".time": millis === undefined || status === "not-configured" ? "" : texts.duration(millis)
  }
  for (const [selector, text] of Object.entries(contents))
    part(item, selector, HTMLElement).textContent = text
  item.dataset.status = Verdict.hasAnswered(status)
    ? hasFindings
      ? "found"
      : "ok"
    : status === "not-configured"
      ? "off"
      : "no-answer"
  return item
}

/** @param {Reason} reason */
const reasonItem = ({ isGoogle, text }) => {
  const item = document.createElement("li")
  item.append(Texts.escapeInvisible(text))
  if (isGoogle) {
    const link = document.createElement("a")
    link.href = Texts.ADVISORY
    link.rel = "noreferrer"
    link.textContent = say("advisory")
    item.append(" ", link)
  }
  return item
}

/**
 * Copies a text, and says so on the button.
 *
 * @param {Element} label
 * @param {string} text
 * @param {() => void} select for browsers that disable the clipboard on pages loaded over plain HTTP from another machine
 */
const copyText = async (label, text, select) => {
  /** @type {Name} */
  let done = "copied"
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    select()
    done = "selected"
  }
  announcement.textContent = say(done)
  label.textContent = say(done)
}

/** @param {string} link */
const shownLink = (link) => {
  const escaped = Texts.escapeInvisible(link)
  const more = escaped.length - Texts.MAX_SHOWN_LENGTH
  return more <= 0
    ? escaped
    : `${escaped.slice(0, Texts.MAX_SHOWN_LENGTH)}… (${say("moreCharacters", { count: more })})`
}

/** What the message shows in place of a link if that is the address of another site. @param {Texts.Result} answer */
const otherSiteFor = ({ addresses, url }) =>
  [...(disguises.get(url) ?? [])].find((shown) => Texts.showsOtherSite(Link.shownAddresses(shown), addresses))

/** @param {Texts.Result} answer */
const disguiseOf = (answer) => {
  const all = disguises.get(answer.url)
  if (all === undefined) return ""
  const shown = otherSiteFor(answer) ?? [...all].find((text) => text !== "")
  return shown === undefined ? say("notShown") : say("shownAs", { shown: Texts.quotable(shown) })
}

/** @param {Texts.Result} answer */
const outcomeOf = (answer) => Verdict.outcomeOf(answer, otherSiteFor(answer) !== undefined)

/** Where a link leads: a known redirector leads to another address. @param {Texts.Result} answer */
const addressesOf = ({ addresses = [], url }) => {
  const own = addresses.find(({ relation }) => relation === "submitted")
  const destination = addresses.findLast(({ relation }) => relation === "destination")
  const address = destination ?? own
  return {
    divided: address && Texts.dividedAddress(address, destination === undefined ? url : ""),
    through: destination === undefined ? undefined : own?.host
  }
}

/**
 * Shows an address with its site in bold, and letters that are not a to z marked.
 *
 * @param {Element} element
 * @param {ReturnType<typeof Texts.dividedAddress> | undefined} divided
 * @param {string} link shown if it has no address
 */
const writeAddress = (element, divided, link) => {
  if (divided === undefined) return element.replaceChildren(shownLink(link))
  const site = document.createElement("strong")
  for (const [part, isOther] of Texts.divideLetters(divided.site)) {
    const letters = document.createElement(isOther ? "mark" : "span")
    letters.textContent = part
    site.append(letters)
  }
  element.replaceChildren(divided.before, site, divided.after)
}

/** @param {ReturnType<typeof Texts.dividedAddress> | undefined} divided */
const lettersText = (divided) => {
  if (divided?.ascii === undefined) return ""
  const { ascii } = divided
  const scripts = texts.scriptsOf(`${divided.before}${divided.site}`)
  return scripts.length === 0
    ? say("specialLetters", { ascii })
    : say("otherLetters", { ascii, scripts: texts.list(scripts) })
}

/**
 * All that is known of a link, for the folded part.
 *
 * @param {Texts.Result} answer
 * @param {ReadonlyArray<Reason>} reasons that are not shown elsewhere
 */
const linkFacts = (answer, reasons) => {
  const { checkers, executionTimeMs, findings, score, url } = answer
  const facts = clone("link-facts")
  const times = new Map(Object.entries(executionTimeMs))
  const command = part(facts, "textarea", HTMLTextAreaElement)
  const copy = part(facts, ".copy", HTMLButtonElement)
  const label = part(copy, "span", HTMLElement)
  command.setAttribute("aria-label", say("command"))
  command.value = Texts.curl(new URL("api/check?findings=true", document.baseURI).href, url)
  copy.addEventListener("click", () => copyText(label, command.value, () => command.select()))
  const share = part(facts, ".share", HTMLButtonElement)
  share.addEventListener("click", () => {
    // What is behind # is never sent to a server, so that no log has it.
    const link = new URL(`./#url=${encodeURIComponent(url)}`, location.href).href
    void copyText(share, link, () => prompt(say("share"), link))
  })
  part(facts, ".reasons", HTMLElement).append(...reasons.map(reasonItem))
  for (const list of facts.querySelectorAll("ul:empty:not(.checkers)")) list.remove()
  part(facts, ".code", HTMLElement).textContent = shownLink(url)
  part(facts, ".score", HTMLElement).textContent = say("score", { score })
  part(facts, ".coverage", HTMLElement).textContent = Verdict.coverage(checkers, texts)
  part(facts, ".checkers", HTMLElement).append(
    ...Object.entries(checkers).map(([id, status]) =>
      checkerItem(
        id,
        status,
        times.get(id),
        findings.some(({ checker }) => checker === id)
      )
    )
  )
  return facts
}

/**
 * A line of the list of links, which unfolds.
 *
 * @param {{ readonly answer: Texts.Result, readonly outcome: Verdict.Outcome }} link
 */
const linkItem = ({ answer, outcome }) => {
  const item = clone("link-item")
  const details = part(item, "details", HTMLElement)
  const disguise = part(item, ".disguise", HTMLElement)
  item.dataset.outcome = outcome
  part(item, "use", SVGElement).setAttribute("href", `#mark-${Verdict.markOf(outcome)}`)
  part(item, ".verdict", HTMLElement).textContent = outcome === "partial" ? "" : say(`${outcome}Short`)
  const { divided } = addressesOf(answer)
  // One line: the site is what counts.
  writeAddress(
    part(item, ".site", HTMLElement),
    divided && { ...divided, before: "", after: "" },
    Texts.shortName(answer.url)
  )
  disguise.textContent = disguiseOf(answer)
  disguise.hidden = disguise.textContent === ""
  details.append(linkFacts(answer, Reasons.reasonsOf(answer, nameOf, texts)))
  return item
}

/** @typedef {Readonly<Record<string, ReadonlyArray<{ readonly name: string, readonly url: string }>>>} Reporting by country */

/** @type {Promise<Reporting> | undefined} */
let reporting

const help = element("help", HTMLDetailsElement)
const country = element("country", HTMLSelectElement)

/** The country of a language tag. Some systems have one that is not a tag, such as `en-US@posix`. @param {string} tag */
const regionOf = (tag) => {
  try {
    return new Intl.Locale(tag).region
  } catch {
    return undefined
  }
}

/** The reader's country, by the language of the browser; empty if it has no page. @param {Reporting} pages */
const guessedCountry = (pages) => {
  const regions = navigator.languages.map(regionOf)
  const likely = new Intl.Locale(lang).maximize().region
  const country = remembered(COUNTRY) ?? regions.find((code) => code !== undefined) ?? likely ?? ""
  return country in pages ? country : ""
}

/** Shows where to report in the reader's country. Nothing is opened or sent. */
const showReporting = async () => {
  reporting ??= json("Languages/reporting.json").catch(() => ({}))
  const pages = await reporting
  if (country.options.length === 0) {
    const options = Object.keys(pages)
      .map((code) => new Option(texts.country(code), code))
      .sort((left, right) => left.text.localeCompare(right.text, lang))
    country.append(...options, new Option(say("noCountry"), ""))
    country.value = guessedCountry(pages)
  }
  const links = (pages[country.value] ?? []).map(({ name, url }) => {
    const link = document.createElement("a")
    link.href = url
    link.rel = "noreferrer"
    link.textContent = name
    return link
  })
  element("report", HTMLElement).replaceChildren(
    ...(links.length === 0
      ? [say("nextPolice")]
      : links.flatMap((link, index) => (index === 0 ? [link] : [", ", link])))
  )
}

country.addEventListener("change", () => {
  remember(COUNTRY, country.value)
  void showReporting()
})

/**
 * Shows the results of a text's first links.
 *
 * @param {ReadonlyArray<Texts.Result>} answers
 * @param {number} unchecked how many links follow
 */
const showResults = (answers, unchecked) => {
  const byOutcome = answers
    .map((answer) => ({ answer, outcome: outcomeOf(answer) }))
    .sort((left, right) => Verdict.compare(left.outcome, right.outcome))
  const worst = byOutcome[0]?.answer
  if (worst === undefined) return
  const total = answers.length + unchecked
  const isOne = total === 1
  const outcome = Verdict.outcomeOfText(
    byOutcome.map(({ outcome }) => outcome),
    unchecked
  )
  const title = say(outcome, { checked: answers.length, total })
  const counted =
    unchecked === 0 ? say("allLinks", { count: total }) : say("partial", { checked: answers.length, total })
  // Of several links one is shown by itself if it needs attention.
  const isShown = isOne || Verdict.isSerious(outcome)
  const others = isShown ? byOutcome.slice(1) : byOutcome
  const override = (isShown || outcome === "allowed") && worst.override === "block" ? say("blocked") : ""
  const advice = Verdict.advice(outcome, worst.checkers, nameOf, texts)
  const allReasons = Reasons.reasonsOf(worst, nameOf, texts)
  const first = Reasons.first(allReasons)
  // Several links are to fit on two screens of a phone.
  const reasons = isShown ? first.slice(0, isOne ? first.length : 2) : []
  const { divided, through } = addressesOf(worst)
  const isWarning = Verdict.isWarning(outcome)
  const brand = Reasons.brandOf(worst.findings)
  document.title = `${title} – ${say("name")}`
  result.dataset.outcome = outcome
  element("mark", SVGElement).setAttribute("href", `#mark-${Verdict.markOf(outcome)}`)
  write("headline", title)
  write("override", reasons.some(({ text }) => text === override) ? "" : override)
  write("advice", advice)
  show("one", isShown)
  write("one-title", say(outcome === "hidden" || divided === undefined ? "address" : "leadsTo"))
  writeAddress(element("subject", HTMLElement), divided, worst.url)
  write("letters", lettersText(divided))
  write("through", through === undefined ? "" : say("through", { host: through }))
  write("disguise", disguiseOf(worst))
  show("because", reasons.length > 0)
  write("why", say(isWarning ? "why" : "noticed"))
  element("reasons", HTMLElement).replaceChildren(...reasons.map(reasonItem))
  show("links", !isOne)
  write("links-title", isShown && others.length > 0 ? say("otherLinks") : counted)
  element("links-list", HTMLElement).replaceChildren(...(isOne ? [] : others.map(linkItem)))
  write("unread", isWholeText ? "" : say("unreadPart"))
  write("more", unchecked === 0 ? "" : say("moreLinks", { count: Checks.nextCount(unchecked) }))
  show("next", isWarning)
  help.hidden = !isWarning
  help.open = isOne
  show("mistake", isWarning && isOne)
  write("next-first", say(outcome === "phishing" ? "nextDelete" : "nextAsk"))
  write(
    "next-real",
    brand === undefined ? say("nextReal") : say("nextRealBrand", { brand: brand.name, domain: brand.domain })
  )
  if (isWarning) void showReporting()
  const details = clone("link-details")
  details.append(
    linkFacts(
      worst,
      allReasons.filter((reason) => !reasons.includes(reason))
    )
  )
  element("details", HTMLElement).replaceChildren(...(isShown ? [details] : []))
  result.hidden = false
  const sentences = [title, isOne || outcome === "partial" ? "" : counted].filter((text) => text !== "")
  announcement.textContent = [...sentences.map((text) => `${text}.`), advice]
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
  announcement.textContent = say("waiting")
  const outcome = await Checks.checkFirst(links.slice(answers.length), own.signal, texts)
  clearTimeout(timeout)
  if (own !== current) return
  announcement.textContent = ""
  if ("name" in outcome) return say(outcome.name, outcome.values)
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
  wait("waiting")
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
  pasted.clear()
  input.value = text
  if (hasKeyboard) submit.focus()
}

form.addEventListener("submit", async (event) => {
  event.preventDefault()
  const text = input.value
  const isTooLong = text.length > Link.MAX_TEXT_LENGTH
  // A text that begins with a secret is one; in another text only its links with secrets are left out.
  const secret = Texts.secretIn(text)
  const readable =
    secret === undefined
      ? text
      : text
          .split("\n")
          .filter((line) => !Texts.secretIn(line))
          .join("\n")
  const own = current
  const {
    links: all,
    shown,
    isWhole
  } = isTooLong || secret?.title === "payment" ? NOTHING : await Link.linksOf(readable).catch(() => FAILED)
  if (own !== current) return
  if (shown === FAILED.shown) return showError(say(Texts.UNREACHABLE.name))
  disguises = new Map()
  for (const part of [pasted, shown]) Link.addAllShown(disguises, part)
  isWholeText = isWhole
  const found = all.filter((link) => Texts.secretIn(link) === undefined)
  if (found.length > 0) return void check(found)
  cancel()
  announcement.textContent = ""
  const secretLink = all.map(Texts.secretIn).find((refusal) => refusal !== undefined)
  const refusal = isWhole ? Texts.refusalOf(text) : Texts.UNREAD
  refuse(isTooLong ? Texts.TOO_LONG : (secret ?? secretLink ?? refusal))
})

/**
 * Reads the codes of a picture into the field, where the visitor sees what they hold before it is checked.
 *
 * @param {Blob} blob
 */
const readPicture = async (blob) => {
  cancel()
  const own = current
  wait("reading")
  announcement.textContent = say("reading")
  /** @type {ReadonlyArray<string> | undefined} */
  let codes
  let isRead = true
  try {
    const { codesIn } = await import("./picture.browser.js")
    // The browser paints first what it waits for.
    await new Promise((resolve) => setTimeout(resolve))
    codes = await codesIn(blob)
  } catch {
    isRead = false
  }
  if (own !== current) return
  announcement.textContent = ""
  // The reader of pictures was not loaded.
  if (!isRead) return showError(say(Texts.UNREACHABLE.name))
  if (codes === undefined) return showError(say("unreadablePicture"), say("unreadablePictureHelp"))
  if (codes.length === 0) return showError(say("noCode"), say("noCodeHelp"))
  pasted.clear()
  // A text that begins with a secret is read as one: the lines of Wi-Fi and payments are not searched for links.
  const secretsFirst = [true, false].flatMap((isSecret) =>
    codes.filter((code) => (Texts.secretIn(code) !== undefined) === isSecret)
  )
  input.value = secretsFirst.join("\n")
  showError("")
  found.textContent = say("pictureFound", { count: codes.length })
  submit.focus({ preventScroll: true })
}

/** The picture among what was pasted or dropped. @param {DataTransfer | null} data */
const pictureOf = (data) => [...(data?.files ?? [])].find(({ type }) => type.startsWith("image/"))

const file = element("file", HTMLInputElement)
element("picture", HTMLButtonElement).addEventListener("click", () => file.click())
file.addEventListener("change", () => {
  const [picture] = file.files ?? []
  if (picture !== undefined) void readPicture(picture)
  // The same picture may be chosen again.
  file.value = ""
})

addEventListener("dragover", (event) => {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault()
})
addEventListener("drop", (event) => {
  if (!event.dataTransfer?.types.includes("Files")) return
  event.preventDefault()
  const picture = pictureOf(event.dataTransfer)
  if (picture !== undefined) void readPicture(picture)
  else showError(say("unreadablePicture"), say("unreadablePictureHelp"))
})
addEventListener("paste", (event) => {
  const picture = pictureOf(event.clipboardData)
  // Some programs copy a picture of the text with the text.
  if (picture === undefined || event.clipboardData?.getData("text/plain")) return
  event.preventDefault()
  void readPicture(picture)
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
  if (input.selectionEnd - input.selectionStart === input.value.length) pasted.clear()
  if (hidden.size === 0) return
  event.preventDefault()
  Link.addAllShown(pasted, hidden)
  input.setRangeText([...hidden.keys(), "", text].join("\n"), input.selectionStart, input.selectionEnd, "end")
})

// What is pasted next is another text.
input.addEventListener("input", () => {
  if (input.value === "") pasted.clear()
})

element("example", HTMLButtonElement).addEventListener("click", () => {
  pasted.clear()
  input.value = say("exampleMessage", { link: EXAMPLE })
  form.requestSubmit()
})

element("again", HTMLButtonElement).addEventListener("click", () => {
  cancel()
  showError("")
  announcement.textContent = ""
  input.value = ""
  pasted.clear()
  scrollTo({ top: 0 })
  input.focus()
})

addEventListener("hashchange", fill)
if (hasKeyboard) input.focus()
fill()
