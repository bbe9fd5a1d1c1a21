import type { FileSystem } from "@effect/platform"
import { Context, Duration, Effect, Either, Layer, Option, Record } from "effect"
import { AppConfig, InvalidConfig } from "../Layers/AppConfig.ts"
import { quoted } from "../Layers/Telemetry/Printable.ts"
import * as BackgroundLoop from "../Layers/Time/BackgroundLoop.ts"
import * as AddressText from "../Url/AddressText.ts"
import type { CanonicalUrl } from "../Url/CanonicalUrl.ts"
import * as Submission from "../Url/Submission.ts"
import { NOT_COVERED, type OperatorList } from "./OperatorLists/OperatorList.ts"
import * as WatchedList from "./OperatorLists/WatchedList.ts"
import type { Decision, Finding, Override } from "./Verdict.ts"

/** Three polls fit into the 30 seconds within which a change counts. */
const POLL_INTERVAL = Duration.seconds(10)

const variables = { allow: "ALLOW_LIST", block: "BLOCK_LIST" } as const satisfies Record<Override, string>

interface OperatorListsShape {
  /**
   * What the lists say about each address of the submission, in the order of `Submission.addresses`. Empty if no list is
   * configured, or if the submitted string has no host to look up.
   *
   * Reads the submitted string again: only a service with such a list pays for it.
   */
  readonly decisionsOn: (submitted: string) => ReadonlyArray<Decision>
  /** None: the list is not configured. */
  readonly status: Effect.Effect<Readonly<Record<Override, Option.Option<WatchedList.ListStatus>>>>
}

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
export const blockedFinding = (address: Submission.Address, addressIndex: number): Finding =>
  address.relation === "carried"
    ? {
        checker: "operator_lists",
        kind: "carriedListing",
        reason: `The link contains the address ${AddressText.short(address.url)}, which is blocked by the operator of this service`,
        addressIndex
      }
    : {
        checker: "operator_lists",
        kind: "blocked",
        reason: AddressText.inReason(
          address,
          `The address ${AddressText.shortHost(address.url.host)} is blocked by the operator of this service`
        ),
        addressIndex
      }

const none: ReadonlyArray<Decision> = []

/** The files ALLOW_LIST and BLOCK_LIST, with which the operator overrules the checkers. */
export class OperatorLists extends Context.Tag("app/Checkers/OperatorLists")<
  OperatorLists,
  OperatorListsShape
>() {
  /** Reads the files, then again when they have changed. Fails with one line if one cannot be read at the start. */
  static readonly layer: Layer.Layer<OperatorLists, InvalidConfig, AppConfig | FileSystem.FileSystem> =
    Layer.scoped(
      OperatorLists,
      Effect.gen(function* () {
        const { operatorLists } = yield* AppConfig
        const watch = (kind: Override) =>
          Effect.transposeMapOption(operatorLists[kind], (path) =>
            Effect.mapError(
              WatchedList.make(variables[kind], path),
              ({ message }) => `${variables[kind]}: ${quoted(path)} ${message}`
            )
          )
        const lists = yield* Effect.all(
          { allow: watch("allow"), block: watch("block") },
          { mode: "validate" }
        ).pipe(
          Effect.mapError(
            (errors) =>
              new InvalidConfig({
                message: Object.values(errors)
                  .flatMap((error) => Option.toArray(error))
                  .join("; ")
              })
          )
        )
        const watched = Object.values(lists).flatMap((list) => Option.toArray(list))
        const poll = Effect.forEach(watched, (list) => list.poll, { discard: true })
        if (watched.length > 0)
          yield* BackgroundLoop.fork("operator_lists", Effect.zipRight(Effect.sleep(POLL_INTERVAL), poll))

        const listOf = (kind: Override) => Option.getOrUndefined(lists[kind])?.list()
        const decisionsOn = (submitted: string) => {
          // Decisions do not depend on the time.
          const { url, addresses } = Submission.read(submitted, 0)
          if (Either.isLeft(url)) return none
          const allow = listOf("allow")
          const block = listOf("block")
          return addresses.map((address, addressIndex) => {
            const override = overrideOf(allow, block, address.url)
            return override === "block" ? blockedFinding(address, addressIndex) : override
          })
        }

        return {
          decisionsOn: watched.length === 0 ? () => none : decisionsOn,
          status: Effect.sync(() =>
            Record.map(
              lists,
              Option.map((list) => list.status())
            )
          )
        }
      })
    )
}
