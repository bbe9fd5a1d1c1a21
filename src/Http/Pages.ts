import { FileSystem } from "@effect/platform"
import { Effect, Option, Record } from "effect"
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

/** Also prevents that text becomes markup or code. */
const checkPolicy = [
  ...ownOnly,
  "img-src 'self'",
  "manifest-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
]

/** Its icon is an empty one: that of the page for people is not on `ADMIN_PORT`. */
const statePolicy = [
  ...ownOnly,
  "img-src data:",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
]

/** Swagger UI draws its icons from `data:`. */
const docsPolicy = [...ownOnly, "img-src 'self' data:"]

/** The page of state, which reads `/health/ready`. */
export const STATE = "/state"

interface File {
  readonly path: string
  /** In the folder `Pages`. */
  readonly name: string
  readonly policy: ReadonlyArray<string>
  /** `clients` if absent. */
  readonly audience?: "operators"
  /** Whether it is filled: see `PageFile.fill`. */
  readonly isTemplate?: true
  /** `no-cache` if absent: browsers ask each time, so that an update shows at once. */
  readonly cacheControl?: string
}

/** The build adds the files of Swagger UI. */
const files: ReadonlyArray<File> = [
  { path: "/", name: "page.html", policy: checkPolicy, isTemplate: true },
  { path: "/page.css", name: "page.css", policy: checkPolicy },
  { path: "/page.browser.js", name: "page.browser.js", policy: checkPolicy },
  { path: "/link.browser.js", name: "link.browser.js", policy: checkPolicy },
  { path: "/texts.browser.js", name: "texts.browser.js", policy: checkPolicy },
  { path: "/verdict.browser.js", name: "verdict.browser.js", policy: checkPolicy },
  { path: "/icon.svg", name: "icon.svg", policy: checkPolicy },
  { path: "/manifest.webmanifest", name: "manifest.webmanifest", policy: checkPolicy },
  // Its query is what an app shared. Nothing must keep it.
  { path: "/share", name: "share.html", policy: checkPolicy, cacheControl: "no-store" },
  { path: "/share.browser.js", name: "share.browser.js", policy: checkPolicy },
  { path: "/docs", name: "docs.html", policy: docsPolicy, isTemplate: true },
  { path: "/docs.css", name: "docs.css", policy: docsPolicy },
  { path: "/docs.browser.js", name: "docs.browser.js", policy: docsPolicy },
  { path: "/swagger-ui.css", name: "swagger-ui.css", policy: docsPolicy },
  { path: "/swagger-ui.js", name: "swagger-ui.js", policy: docsPolicy },
  { path: STATE, name: "state.html", policy: statePolicy, audience: "operators", isTemplate: true },
  { path: "/state.css", name: "state.css", policy: statePolicy, audience: "operators" },
  { path: "/state.browser.js", name: "state.browser.js", policy: statePolicy, audience: "operators" },
  { path: "/health.browser.js", name: "health.browser.js", policy: statePolicy, audience: "operators" }
]

const headersOf = ({ policy, cacheControl = "no-cache" }: File) => ({
  "cache-control": cacheControl,
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
  const fileSystem = yield* FileSystem.FileSystem
  const found = yield* Effect.forEach(files, (file) => {
    const edit = file.isTemplate === true ? (page: string) => PageFile.fill(page, filling) : undefined
    return Effect.match(PageFile.read(fileSystem, file.name, edit), {
      onSuccess: (read): ReadonlyArray<Route> => {
        const headers = headersOf(file)
        const handle: GetRoute["handle"] = (request) =>
          Effect.succeed(PageFile.responseTo(request, read, headers))
        return [{ path: file.path, method: "GET", audience: file.audience ?? "clients", handle }]
      },
      onFailure: () => []
    })
  })
  return found.flat()
})
