import { domainToUnicode } from "node:url"
import * as PublicSuffix from "../Url/PublicSuffix.ts"
import type { Address } from "../Url/Submission.ts"
import {
  type CheckerId,
  type CheckerStatus,
  completeStatuses,
  type Override,
  type Verdict
} from "./Checker/CheckerNames.ts"
import type { Checked } from "./Checkers.ts"
import { judge, type ReportedFinding, reported, resultOverride } from "./Verdict.ts"

/** An address of the URL: its own, or one inside it. */
export interface ReportedAddress {
  readonly relation: Address["relation"]
  readonly host: string
  /** The registrable domain. Absent for an IP address, a single label and a public suffix. */
  readonly domain?: string
  /** The host in its own letters. Absent if that is the same. */
  readonly unicode?: string
}

const reportedAddress = ({ relation, url: { host } }: Address): ReportedAddress => {
  const domain = PublicSuffix.registrableDomain(host)
  const unicode = host.includes("xn--") ? domainToUnicode(host) : host
  return {
    relation,
    host,
    ...(domain !== undefined && { domain }),
    // Empty if it cannot be decoded.
    ...(unicode !== host && unicode !== "" && { unicode })
  }
}

/** The result of one URL: the fields of the service's responses. */
export interface Result {
  /** Exactly as submitted. */
  readonly url: string
  readonly score: number
  readonly verdict: Verdict
  readonly reasons: ReadonlyArray<string>
  /** For each reason, in the same order, what it is. */
  readonly findings: ReadonlyArray<ReportedFinding>
  /** In the order of the checkers, as `checkers`. */
  readonly executionTimeMs: Readonly<Partial<Record<CheckerId, number>>>
  readonly checkers: Readonly<Partial<Record<CheckerId, CheckerStatus>>>
  /** Each checker that is switched on has answered with fresh data. */
  readonly complete: boolean
  /** The URL's own address, then those inside it. Absent if the text is not a URL. */
  readonly addresses?: ReadonlyArray<ReportedAddress>
  /** What the lists of ALLOW_LIST and BLOCK_LIST decided, if they did. */
  readonly override?: Override
}

export const resultOf = (url: string, { addresses, decisions, outcomes }: Checked): Result => {
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
    url,
    score,
    verdict,
    reasons: findings.map(({ reason }) => reason),
    executionTimeMs,
    findings: findings.map(reported),
    checkers,
    complete: outcomes.every(({ status }) => completeStatuses.includes(status)),
    ...(addresses.length > 0 && { addresses: addresses.map(reportedAddress) }),
    ...(override !== undefined && { override })
  }
}
