/** A reputation lookup by plain functions: hash, GET by `node:http`, decode, store. */
import { Agent } from "node:http"
import { Either } from "effect"
import type { CheckerResult } from "../src/Checkers/Checker.ts"
import { decode } from "../src/Checkers/ReputationLookup/HashSearchClient.ts"
import * as ReputationLookup from "../src/Checkers/ReputationLookup.ts"
import type { ListedHash } from "../src/Layers/Cache.ts"
import type { Submission } from "../src/Url/Submission.ts"
import type { PlainDatabase } from "./PlainDatabase.ts"
import * as PlainHttp from "./PlainHttp.ts"

const SECONDS = 300

/** Stores in the memory of this process, and in the database if there is one. */
export const make = (
  environment: { readonly REPUTATION_API_URL: string; readonly REPUTATION_API_KEY: string },
  database?: PlainDatabase
) => {
  const agent = new Agent({ keepAlive: true })
  const address = new URL("/v5/hashes:search?alt=proto", environment.REPUTATION_API_URL).href
  const headers = {
    accept: "application/x-protobuf",
    "user-agent": "plain",
    "x-goog-api-key": environment.REPUTATION_API_KEY
  }
  const cache = new Map<string, ReadonlyArray<ListedHash>>()

  const readDatabase = async ({ getMany }: PlainDatabase, prefixes: ReadonlyArray<string>) => {
    const values = await getMany(prefixes)
    for (const [index, prefix] of prefixes.entries()) {
      const value = values[index]
      if (typeof value === "string") cache.set(prefix, JSON.parse(value))
    }
  }

  return async (submission: Submission): Promise<CheckerResult> => {
    const hashes = ReputationLookup.hashesOf(submission)
    const prefixes = ReputationLookup.prefixesOf(hashes)
    const isMissing = (prefix: string) => !cache.has(prefix)
    if (database !== undefined && prefixes.some(isMissing))
      await readDatabase(database, prefixes.filter(isMissing))
    const missing = prefixes.filter(isMissing)
    if (missing.length > 0) {
      const parameters = missing.map(
        (prefix) => `&hashPrefixes=${encodeURIComponent(Buffer.from(prefix, "hex").toString("base64"))}`
      )
      const body = await PlainHttp.send(address + parameters.join(""), { agent, headers })
      const { listed } = Either.getOrThrow(decode(body))
      const found = missing.map(
        (prefix) => [prefix, listed.filter(({ hash }) => hash.startsWith(prefix))] as const
      )
      for (const [prefix, hashes] of found) cache.set(prefix, hashes)
      await database?.setMany(
        found.map(([prefix, hashes]) => [prefix, JSON.stringify(hashes)]),
        SECONDS
      )
    }
    const listed = prefixes.flatMap((prefix) => cache.get(prefix) ?? [])
    return ReputationLookup.resultFor(submission, hashes, listed)
  }
}
