import { lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import * as PublicAddress from "./PublicAddress.ts"

/** The code of the error for a name that resolves to an address that is not public. */
export const NOT_PUBLIC = "ENOTPUBLIC"

/**
 * Resolves a name to public addresses, or fails with `NOT_PUBLIC`. Used as the `lookup` of a connection, so the checked
 * address is the one that is connected to (no DNS rebinding). Node does not call it for an IP address in the URL: the caller
 * must check that.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const failure =
      error ??
      (addresses.every(({ address }) => PublicAddress.isPublic(address))
        ? null
        : Object.assign(new Error("not a public address"), { code: NOT_PUBLIC }))
    const [first] = addresses ?? []
    if (options.all || failure !== null || first === undefined) callback(failure, addresses ?? [])
    else callback(null, first.address, first.family)
  })
