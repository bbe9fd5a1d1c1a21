import { domainToUnicode } from "node:url"
import * as PublicSuffix from "../Url/PublicSuffix.ts"
import type { Address } from "../Url/Submission.ts"
import { type CheckerId, type CheckerStatus, completeStatuses } from "./Checker/CheckerNames.ts"
import type { Checked } from "./Checkers.ts"
import { judge, reported, resultOverride } from "./Verdict.ts"

/** An address of the URL: its own, or one inside it. */
const reportedAddress = ({ relation, url: { host } }: Address) => {
  const domain = PublicSuffix.registrableDomain(host)
  const unicode = host.includes("xn--") ? domainToUnicode(host) : host
  return {
    relation,
    host,
    // Not of an IP address, a single label and a public suffix.
    ...(domain !== undefined && { domain }),
    // The host in its own letters, if that is not the same. Empty if it cannot be decoded.
    ...(unicode !== host && unicode !== "" && { unicode })
  }
}

/** The result of one URL: the fields of the service's responses. */
export const resultOf = (url: string, { addresses, decisions, outcomes }: Checked) => {
  const { findings, score, verdict } = judge(
    outcomes.flatMap(({ findings }) => findings),
    decisions
  )
  const executionTimeMs: Partial<Record<CheckerId, number>> = {}
  const checkers: Partial<Record<CheckerId, CheckerStatus>> = {}
  const override = resultOverride(decisions)
  for (const { checker, elapsed, status } of outcomes) {
    executionTimeMs[checker] = elapsed
    checkers[checker] = status
  }
  return {
    /** Exactly as submitted. */
    url,
    score,
    verdict,
    reasons: findings.map(({ reason }) => reason),
    /** In the order of the checkers, as `checkers`. */
    executionTimeMs,
    /** For each reason, in the same order, what it is. */
    findings: findings.map(reported),
    checkers,
    /** Each checker that is switched on has answered with fresh data. */
    complete: outcomes.every(({ status }) => completeStatuses.includes(status)),
    /** The URL's own address, then those inside it. Absent if the text is not a URL. */
    ...(addresses.length > 0 && { addresses: addresses.map(reportedAddress) }),
    /** What the lists of ALLOW_LIST and BLOCK_LIST decided, if they did. */
    ...(override !== undefined && { override })
  }
}

export type Result = ReturnType<typeof resultOf>
