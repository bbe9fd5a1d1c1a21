import { FileSystem, HttpLayerRouter } from "@effect/platform"
import { Effect } from "effect"
import * as PageFile from "./Pages/PageFile.ts"

/** Nothing but files and answers of this service (https://developer.mozilla.org/docs/Web/HTTP/Guides/CSP). */
const ownOnly = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
]

/** On the page for people no text can become markup or code either. */
const checkPolicy = [
  ...ownOnly,
  "img-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
]

/** Swagger UI draws its icons from `data:`. */
const docsPolicy = [...ownOnly, "img-src 'self' data:"]

/** What a browser asks for at each path. The files lie in `Pages`; Swagger UI is put beside them by the build. */
const files = [
  { path: "/", name: "page.html", policy: checkPolicy },
  { path: "/page.css", name: "page.css", policy: checkPolicy },
  { path: "/page.browser.js", name: "page.browser.js", policy: checkPolicy },
  { path: "/words.browser.js", name: "words.browser.js", policy: checkPolicy },
  { path: "/icon.svg", name: "icon.svg", policy: checkPolicy },
  { path: "/docs", name: "docs.html", policy: docsPolicy },
  { path: "/docs.browser.js", name: "docs.browser.js", policy: docsPolicy },
  { path: "/swagger-ui.css", name: "swagger-ui.css", policy: docsPolicy },
  { path: "/swagger-ui.js", name: "swagger-ui.js", policy: docsPolicy }
] as const

export const paths: ReadonlyArray<string> = files.map(({ path }) => path)

const headersWith = (policy: ReadonlyArray<string>) => ({
  "content-security-policy": policy.join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})

/** Serves the page for people and the documentation. A file is read when somebody first asks for it. */
export const layer = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    for (const { path, name, policy } of files) {
      const headers = headersWith(policy)
      const file = yield* Effect.cached(PageFile.read(fileSystem, name))
      const answer = Effect.flatMap(file, (file) => PageFile.answer(file, headers))
      yield* router.add("GET", path, answer)
    }
  })
)
