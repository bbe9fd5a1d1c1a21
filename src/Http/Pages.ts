import { FileSystem } from "@effect/platform"
import { Effect, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import * as PageFile from "./Pages/PageFile.ts"
import type { Route } from "./Route.ts"

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
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
]

/** Swagger UI draws its icons from `data:`. */
const docsPolicy = [...ownOnly, "img-src 'self' data:"]

/** The files of the folder `Pages`, by path. The build adds those of Swagger UI. */
const files = [
  { path: "/", name: "page.html", policy: checkPolicy },
  { path: "/page.css", name: "page.css", policy: checkPolicy },
  { path: "/page.browser.js", name: "page.browser.js", policy: checkPolicy },
  { path: "/texts.browser.js", name: "texts.browser.js", policy: checkPolicy },
  { path: "/icon.svg", name: "icon.svg", policy: checkPolicy },
  { path: "/docs", name: "docs.html", policy: docsPolicy },
  { path: "/docs.browser.js", name: "docs.browser.js", policy: docsPolicy },
  { path: "/swagger-ui.css", name: "swagger-ui.css", policy: docsPolicy },
  { path: "/swagger-ui.js", name: "swagger-ui.js", policy: docsPolicy }
] as const

const headersWith = (policy: ReadonlyArray<string>) => ({
  "content-security-policy": policy.join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer"
})

/** With `ADMIN_PORT` the state is served there only. */
const withoutStateLink = (page: string): string => page.replace(/ <a href="health\/ready">[^<]*<\/a>/, "")

/**
 * The page for people and the documentation. All files are read at start, because a build may replace them later. A file that
 * is missing is logged and not served: only a build has those of Swagger UI.
 */
export const routes = Effect.gen(function* () {
  const { adminPort } = yield* AppConfig
  const fileSystem = yield* FileSystem.FileSystem
  const found = yield* Effect.forEach(files, ({ path, name, policy }) => {
    const edit = path === "/" && Option.isSome(adminPort) ? withoutStateLink : undefined
    return Effect.match(PageFile.read(fileSystem, name, edit), {
      onSuccess: (file): ReadonlyArray<Route> => {
        const headers = headersWith(policy)
        const handle: Route["handle"] = (request) =>
          Effect.succeed(PageFile.responseTo(request, file, headers))
        return [{ path, method: "GET", handle }]
      },
      onFailure: () => []
    })
  })
  return found.flat()
})
