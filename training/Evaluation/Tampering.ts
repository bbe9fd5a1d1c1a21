/** How scores change when an attacker changes path and query. */

import { Either } from "effect"
import type { Model } from "../../src/Checkers/Heuristics/Model.ts"
import { findingsOf } from "../../src/Checkers/Heuristics.ts"
import { judge } from "../../src/Checkers/Verdict.ts"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import type { EvaluatedUrl } from "./EvaluatedUrl.ts"

interface Change {
  readonly description: string
  readonly label: "benign" | "phishing"
  readonly minScore: number
  readonly change: (url: CanonicalUrl.CanonicalUrl) => CanonicalUrl.CanonicalUrl
}

const withQuery = (url: CanonicalUrl.CanonicalUrl, added: string): CanonicalUrl.CanonicalUrl => ({
  ...url,
  query: url.query === undefined ? added : `${url.query}&${added}`
})

const changes: ReadonlyArray<Change> = [
  {
    description: "?ref=paypal.com added: newly at 40",
    label: "benign",
    minScore: 40,
    change: (url) => withQuery(url, "ref=paypal.com")
  },
  {
    description: "path replaced by that of a phishing kit: newly at 40",
    label: "benign",
    minScore: 40,
    change: (url) => ({ ...url, path: "/paypal/secure/login/verify-account.php", query: undefined })
  },
  {
    description: "path replaced by that of a phishing kit: newly at 70",
    label: "benign",
    minScore: 70,
    change: (url) => ({ ...url, path: "/paypal/secure/login/verify-account.php", query: undefined })
  },
  {
    description: "an ordinary path and query added: still at 40",
    label: "phishing",
    minScore: 40,
    change: (url) =>
      withQuery(
        { ...url, path: `${url.path.replace(/\/$/, "")}/docs/getting-started.html` },
        "lang=en&page=2"
      )
  }
]

const scoreOf = (model: Model, url: CanonicalUrl.CanonicalUrl): number => judge(findingsOf(model, url)).score

/** One line for each change: how many rows it was applied to, and how many then have the minimum score. */
export const measure = (model: Model, rows: ReadonlyArray<EvaluatedUrl>): ReadonlyArray<string> =>
  changes.flatMap(({ description, label, minScore, change }) => {
    let tried = 0
    let reached = 0
    for (const row of rows) {
      if (row.isPhishing !== (label === "phishing")) continue
      if (label === "phishing" ? row.score < minScore : row.score >= minScore) continue
      const url = CanonicalUrl.parse(row.url)
      if (Either.isLeft(url)) continue
      tried++
      if (scoreOf(model, change(url.right)) >= minScore) reached++
    }
    return tried === 0 ? [] : [`  ${label}, ${description}: ${reached} of ${tried}`]
  })
