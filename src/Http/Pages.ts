import { readFileSync } from "node:fs"
import { Array as Arr, Effect, Option, Record } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import { ThreatFeeds } from "../Lists/ThreatFeeds.ts"
import * as PageFile from "./Pages/PageFile.ts"
import type { GetRoute, Route } from "./Route.ts"

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

/** Prevents that text becomes markup or code. */
const textOnly = ["require-trusted-types-for 'script'", "trusted-types 'none'"]

const checkPolicy = [...ownOnly, "img-src 'self'", "manifest-src 'self'", ...textOnly]

/** Its icon is an empty one: that of the page for people is not on `ADMIN_PORT`. */
const statePolicy = [...ownOnly, "img-src data:", ...textOnly]

/** Swagger UI draws its icons from `data:`. */
const docsPolicy = [...ownOnly, "img-src 'self' data:"]

/** The page of state, which reads `/health/ready`. */
export const STATE = "/state"

/** The files of each page, in the folder `Pages`. The build adds those of Swagger UI and the reader of texts. */
const pages: ReadonlyArray<
  Pick<Route, "audience"> & { readonly policy: ReadonlyArray<string>; readonly names: ReadonlyArray<string> }
> = [
  {
    audience: "clients",
    policy: checkPolicy,
    names: [
      "page.html",
      "page.css",
      "page.browser.js",
      "link.browser.js",
      "text.browser.js",
      "mail.browser.js",
      "texts.browser.js",
      "verdict.browser.js",
      "icon.svg",
      "manifest.webmanifest",
      "share.html",
      "share.browser.js"
    ]
  },
  {
    audience: "clients",
    policy: docsPolicy,
    names: ["docs.html", "docs.css", "docs.browser.js", "swagger-ui.css", "swagger-ui.js"]
  },
  {
    audience: "operators",
    policy: statePolicy,
    names: ["state.html", "state.css", "state.browser.js", "health.browser.js"]
  }
]

const HTML = /\.html$/

const pathOf = (name: string) => (name === "page.html" ? "/" : `/${name.replace(HTML, "")}`)

const headersOf = (name: string, policy: ReadonlyArray<string>) => ({
  // Browsers ask each time, so that an update shows at once. Nothing must keep the query of `/share`: it is what an app shared.
  "cache-control": name === "share.html" ? "no-store" : "no-cache",
  "content-security-policy": policy.join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer"
})

/** What the pages show of the configuration. A block of a page whose value is undefined is left out. */
const values = Effect.gen(function* () {
  const { adminPort, contactUrl, reputation } = yield* AppConfig
  const { popular: _, ...feeds } = yield* ThreatFeeds
  const publishers = Record.map(Record.getSomes(feeds), ({ sourceName }) => sourceName)
  return {
    publishers: String(new URLSearchParams(publishers)),
    contact: Option.getOrUndefined(Option.map(contactUrl, ({ href }) => href)),
    google: Option.isSome(reputation) ? "" : undefined,
    // With `ADMIN_PORT` the state is served there only, without the page that checks links.
    state: Option.isNone(adminPort) ? "" : undefined
  }
})

/**
 * The web page, its share target, the documentation and the page of state. All files are read at start, because a build may
 * replace them later. A file that is missing is logged and not served: only a build has those of Swagger UI.
 */
export const routes = Effect.gen(function* () {
  const filling = yield* values
  const edit = (page: string) => PageFile.fill(page, filling)
  const files = pages.flatMap(({ audience, names, policy }) =>
    names.map((name) =>
      Effect.map(
        PageFile.read(readFileSync, name, headersOf(name, policy), HTML.test(name) ? edit : undefined),
        (responseTo): GetRoute => ({
          path: pathOf(name),
          method: "GET",
          audience,
          isAsset: !HTML.test(name),
          handle: ({ headers }) => Effect.succeed(responseTo(headers["accept-encoding"]))
        })
      )
    )
  )
  return Arr.getSomes(yield* Effect.all(files.map(Effect.option)))
})
