import { lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import * as PublicAddress from "./PublicAddress.ts"

/** The code of the error with which a connection to an address that is not public is refused. */
export const NOT_PUBLIC = "ENOTPUBLIC"

/**
 * Resolves a name for a connection that may lead to the Internet only. A name is judged by what it resolves to when the
 * connection is made, so that no second answer of a name server can lead elsewhere. An address written as a number is not
 * resolved: who connects must judge it.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const refusal =
      error ??
      (addresses.every(({ address }) => PublicAddress.isPublic(address))
        ? null
        : Object.assign(new Error("not a public address"), { code: NOT_PUBLIC }))
    const [first] = addresses ?? []
    if (options.all || refusal !== null || first === undefined) callback(refusal, addresses ?? [])
    else callback(null, first.address, first.family)
  })
