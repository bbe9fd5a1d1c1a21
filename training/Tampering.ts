/** What becomes of a verdict when somebody writes behind an address what they like. */

import { Either } from "effect"
import * as CanonicalUrl from "../src/Checkers/CanonicalUrl.ts"
import type { Model } from "../src/Checkers/Heuristics/Model.ts"
import { findings } from "../src/Checkers/Heuristics.ts"
import { score } from "../src/Checkers/Verdict.ts"
import type { Judged } from "./EvaluatedUrl.ts"

interface Change {
  readonly what: string
  readonly to: "benign" | "phishing"
  readonly from: number
  readonly change: (url: CanonicalUrl.CanonicalUrl) => CanonicalUrl.CanonicalUrl
}

const withQuery = (url: CanonicalUrl.CanonicalUrl, more: string): CanonicalUrl.CanonicalUrl => ({
  ...url,
  query: url.query === undefined ? more : `${url.query}&${more}`
})

const changes: ReadonlyArray<Change> = [
  {
    what: "?ref=paypal.com added: newly at 40",
    to: "benign",
    from: 40,
    change: (url) => withQuery(url, "ref=paypal.com")
  },
  {
    what: "path replaced by that of a kit: newly at 40",
    to: "benign",
    from: 40,
    change: (url) => ({ ...url, path: "/paypal/secure/login/verify-account.php", query: undefined })
  },
  {
    what: "path replaced by that of a kit: newly at 70",
    to: "benign",
    from: 70,
    change: (url) => ({ ...url, path: "/paypal/secure/login/verify-account.php", query: undefined })
  },
  {
    what: "an ordinary path and query added: still at 40",
    to: "phishing",
    from: 40,
    change: (url) =>
      withQuery(
        { ...url, path: `${url.path.replace(/\/$/, "")}/docs/getting-started.html` },
        "lang=en&page=2"
      )
  }
]

const scoreOf = (model: Model, url: CanonicalUrl.CanonicalUrl): number =>
  score(findings(model, Either.right(url)))

/** One line for each change: how many of the rows it was tried on end up so. */
export const measure = (model: Model, rows: ReadonlyArray<Judged>): ReadonlyArray<string> =>
  changes.flatMap(({ what, to, from, change }) => {
    let tried = 0
    let ended = 0
    for (const row of rows) {
      if (row.isPhishing !== (to === "phishing")) continue
      if (to === "phishing" ? row.score < from : row.score >= from) continue
      const url = CanonicalUrl.parse(row.url)
      if (Either.isLeft(url)) continue
      tried++
      if (scoreOf(model, change(url.right)) >= from) ended++
    }
    return tried === 0 ? [] : [`  ${to}, ${what}: ${ended} of ${tried}`]
  })
