import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { Array as Arr, Effect, Option, Predicate, Record, Schema } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import type { HttpResponse } from "../Layers/Server.ts"
import { ThreatFeeds } from "../Lists/ThreatFeed.ts"
import * as Languages from "./Pages/Languages.ts"
import * as PageFile from "./Pages/PageFile.ts"
import type { GetRoute, RequestData } from "./Route.ts"

/** Allows only files and responses of this service (https://developer.mozilla.org/docs/Web/HTTP/Guides/CSP). */
const ownOnly = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
]

/** Trusted types prevent that text becomes markup or code. */
const checkPolicy = [
  ...ownOnly,
  "img-src 'self'",
  "manifest-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
]

/** Swagger UI draws its icons from `data:`. */
const docsPolicy = [...ownOnly, "img-src 'self' data:"]

const textsOf = (language: Languages.Language) => `Languages/${language}.json`

/** The files of each page, in the folder `Pages`. The build adds those of Swagger UI, and the reader of texts. */
const pages: ReadonlyArray<{
  readonly policy: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
}> = [
  {
    policy: checkPolicy,
    names: [
      "page.html",
      "page.css",
      "page.browser.js",
      "checks.browser.js",
      "link.browser.js",
      "text.browser.js",
      "mail.browser.js",
      "texts.browser.js",
      "verdict.browser.js",
      "reasons.browser.js",
      "picture.browser.js",
      "qr.browser.js",
      "Languages/message.browser.js",
      "Languages/reporting.json",
      ...Languages.languages.map(textsOf),
      "App/icon.svg",
      "App/manifest.webmanifest",
      "App/share.html",
      "App/share.browser.js"
    ]
  },
  {
    policy: docsPolicy,
    names: ["Docs/docs.html", "Docs/docs.css", "Docs/docs.browser.js", "swagger-ui.css", "swagger-ui.js"]
  }
]

const HTML = /\.html$/

/** Pages are served beside each other, and other files by their place in the folder. */
const pathOf = (name: string) =>
  name === "page.html" ? "/" : HTML.test(name) ? `/${basename(name, ".html")}` : `/${name}`

const headersOf = (name: string, policy: ReadonlyArray<string>) => ({
  // Browsers ask each time, so that an update shows at once. Nothing must keep the query of `/share`: it is what an app shared.
  "cache-control": name === "App/share.html" ? "no-store" : "no-cache",
  "content-security-policy": policy.join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer"
})

/** What the pages show of the configuration. A block of a page whose value is undefined is left out. */
const values = Effect.gen(function* () {
  const { contactUrl, reputation } = yield* AppConfig
  const { popular: _, new_domains: __, ...feeds } = yield* ThreatFeeds
  const publishers = Record.map(Record.getSomes(feeds), ({ sourceName }) => sourceName)
  return {
    publishers: String(new URLSearchParams(publishers)),
    contact: Option.getOrUndefined(Option.map(contactUrl, ({ href }) => href)),
    google: Option.isSome(reputation) ? "" : undefined
  }
})

/** The texts of a language that a page has from the start: those without plurals. */
const Texts = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

type Respond = (request: RequestData) => HttpResponse

/** A page in the language of the browser, or in that of its query (`?language=de`): no cookie says which a visitor chose. */
const inLanguages = (
  name: string,
  headers: HttpResponse["headers"],
  page: string,
  texts: (language: Languages.Language) => Readonly<Record<string, string | undefined>>
): Respond => {
  const byLanguage = new Map<string, ReturnType<typeof PageFile.ofText>>()
  return ({ headers: { "accept-encoding": coding, "accept-language": preferred }, query }) => {
    const language = Languages.chosen(query.get("language"), preferred)
    const responses =
      byLanguage.get(language) ??
      PageFile.ofText(
        name,
        { ...headers, "content-language": language, vary: "Accept-Encoding, Accept-Language" },
        PageFile.fill(page.replace('lang="en"', 'lang="{{language}}"'), { ...texts(language), language })
      )
    byLanguage.set(language, responses)
    return responses(coding)
  }
}

/**
 * The web page, its share target and the documentation. All files are read at start, because a build may replace them later. A
 * file that is missing is logged and not served: only a build has those of Swagger UI.
 */
export const routes = Effect.gen(function* () {
  const filling = yield* values
  const texts = new Map(
    Arr.getSomes(
      yield* Effect.forEach(Languages.languages, (language) =>
        PageFile.text(readFileSync, textsOf(language)).pipe(
          Effect.flatMap(Schema.decode(Texts)),
          Effect.map((all) => [language, Record.filter(all, Predicate.isString)] as const),
          Effect.option
        )
      )
    )
  )
  const filled = (language: Languages.Language) => ({ ...texts.get(language), ...filling })
  const respond = (name: string, policy: ReadonlyArray<string>) => {
    const headers = headersOf(name, policy)
    if (!HTML.test(name))
      return Effect.map(
        PageFile.read(readFileSync, name, headers),
        (responseTo): Respond =>
          ({ headers }) =>
            responseTo(headers["accept-encoding"])
      )
    return Effect.map(PageFile.text(readFileSync, name), (page): Respond => {
      if (policy === checkPolicy) return inLanguages(name, headers, page, filled)
      const responseTo = PageFile.ofText(name, headers, PageFile.fill(page, filling))
      return ({ headers }) => responseTo(headers["accept-encoding"])
    })
  }
  const files = pages.flatMap(({ names, policy }) =>
    names.map((name) =>
      Effect.map(
        respond(name, policy),
        (respond): GetRoute => ({
          path: pathOf(name),
          method: "GET",
          audience: "clients",
          isAsset: !HTML.test(name),
          handle: (request) => Effect.succeed(respond(request))
        })
      )
    )
  )
  return Arr.getSomes(yield* Effect.all(files.map(Effect.option)))
})
