/** A Safe Browsing with millions of hashes in a process of its own, so that it does not delay the load generator. */
import type { Behaviour } from "../test/fixtures/SafeBrowsingServer.ts"
import * as ChildProgram from "./ChildProgram.ts"

export type Command =
  | {
      readonly _tag: "PublishThreats"
      readonly name: string
      readonly entries: number
      /** So many of the entries are others than with 0. */
      readonly replaced: number
      readonly expressions: ReadonlyArray<string>
    }
  | { readonly _tag: "PublishLikelySafe"; readonly expressions: ReadonlyArray<string> }
  /** Of all lists: a service requests them together, after the longest wait. */
  | { readonly _tag: "SetWait"; readonly seconds: number }
  /** The next update of the list is a full one. */
  | { readonly _tag: "ForgetVersions"; readonly name: string }
  /** Of searches. */
  | { readonly _tag: "Behave"; readonly behaviour: Behaviour }
  | { readonly _tag: "Count" }

/** Requests since the start. */
export interface Counts {
  readonly searches: number
  /** In all searches. */
  readonly prefixes: number
  readonly updates: number
  /** When the last request for lists arrived, in milliseconds since 1970. */
  readonly lastUpdateAt: number
}

export interface Listening {
  readonly url: string
}

export const start = async () => {
  const { listening, run, stop } = await ChildProgram.start<Listening, Command, Counts>(
    "SafeBrowsingProgram.mjs"
  )
  return {
    environment: { REPUTATION_API_KEY: "key", REPUTATION_API_URL: listening.url },
    /** Runs one command, and returns the counts after it. One at a time. */
    run,
    stop
  }
}

export type SafeBrowsing = Awaited<ReturnType<typeof start>>
