/**
 * Why a list was not updated. The list in use stays; the next request is sent after a back-off.
 *
 * - `Unreachable`, `Timeout`, `Status`, `KeyRefused`, `RequestRefused`, `TooLarge`: as of a search (`SearchError`); `detail` is
 *   the system's error code or the status.
 * - `Malformed`: no protobuf, cut off, an illegal duration, or another Content-Type.
 * - `UnexpectedList`: other lists, fewer or in another order than requested.
 * - `VersionEmpty`: a change without a version.
 * - `OutOfBits`, `BadParameter`, `NegativeCount`, `QuotientTooLarge`, `Overflow`: the Rice coding is broken.
 * - `RemovalIndex`, `AdditionExists`, `RemovalsInFull`, `PartialWithoutBase`, `HashWidth`: the change does not fit the list.
 * - `ChecksumMismatch`: the changed list is not Google's.
 */
export const hashListErrorReasons = [
  "Unreachable",
  "Timeout",
  "Status",
  "KeyRefused",
  "RequestRefused",
  "TooLarge",
  "Malformed",
  "UnexpectedList",
  "VersionEmpty",
  "OutOfBits",
  "BadParameter",
  "NegativeCount",
  "QuotientTooLarge",
  "Overflow",
  "RemovalIndex",
  "AdditionExists",
  "RemovalsInFull",
  "PartialWithoutBase",
  "HashWidth",
  "ChecksumMismatch"
] as const

export type HashListErrorReason = (typeof hashListErrorReasons)[number]
