import type { OperatorList } from "../Lists/OperatorLists/OperatorList.ts"
import { NOT_COVERED } from "../Lists/OperatorLists/OperatorList.ts"
import type { OperatorLists } from "../Lists/OperatorLists.ts"
import type { CanonicalUrl } from "../Url/CanonicalUrl.ts"
import type { Address, Submission } from "../Url/Submission.ts"
import type { Override } from "./Checker/CheckerNames.ts"
import { about, type Finding } from "./Checker.ts"
import { findingOf, shortAddress } from "./Kinds.ts"
import type { Decision } from "./Verdict.ts"

/** What two lists say about a URL. Allowed wins over blocked only if it is at least as specific. */
export const overrideOf = (
  allow: OperatorList | undefined,
  block: OperatorList | undefined,
  url: CanonicalUrl
): Override | undefined => {
  const allowed = allow?.specificityOf(url) ?? NOT_COVERED
  const blocked = block?.specificityOf(url) ?? NOT_COVERED
  if (allowed === NOT_COVERED && blocked === NOT_COVERED) return undefined
  return allowed >= blocked ? "allow" : "block"
}

/** A blocked address that a URL carries may be only a parameter, of a search for instance: it is a finding like others. */
export const blockedFinding = (address: Address, addressIndex: number): Finding =>
  about(address, {
    checker: "operator_lists",
    ...findingOf(
      address.relation === "carried"
        ? { kind: "carriedListing", address: shortAddress(address.url) }
        : { kind: "blocked", host: address.url.host }
    ),
    addressIndex
  })

/** What the operator's lists say about each address of a submission, in their order. */
export type DecisionsOn = (submission: Submission) => ReadonlyArray<Decision>

/** Looks submissions up in the operator's lists. Undefined if there is no list. */
export const make = ({ lists }: OperatorLists["Type"]): DecisionsOn | undefined => {
  const { allow, block } = lists
  if (allow === undefined && block === undefined) return undefined
  return ({ addresses }) =>
    addresses.map((address, addressIndex) => {
      const override = overrideOf(allow?.(), block?.(), address.url)
      return override === "block" ? blockedFinding(address, addressIndex) : override
    })
}
