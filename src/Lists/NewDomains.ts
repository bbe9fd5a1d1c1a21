import { Context, Effect, Layer, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import { ThreatFeeds } from "./ThreatFeed.ts"

/** Domains that were registered lately, as a list says that the operator has configured. */
export interface NewDomainsShape {
  /** Whether the list has a registrable domain, unless it is stale at this time, in milliseconds since 1970. */
  readonly isNew: (registrable: string, now: number) => boolean
  /** Whether there is no list yet at this time, or it is stale: a new domain may be missed. */
  readonly isMissing: (now: number) => boolean
  /** How many days back the list goes, if its name says so. */
  readonly days: number | undefined
}

/** `nrd30.txt`, `nrd-30-day.txt.gz`, `domains-7d.txt`; of `nrd14-8.txt`, the 8th to the 14th day, 14. */
const DAYS = /(?:nrd[-_]?(\d{1,3})|(?<!\d)(\d{1,3})[-_]?d(?:ays?)?)(?![a-z0-9])/i

/** The days that the last part of a path names. */
export const daysOf = ({ pathname }: URL): number | undefined => {
  const [, first, second] = DAYS.exec(pathname.slice(pathname.lastIndexOf("/") + 1)) ?? []
  const days = first ?? second
  return days === undefined ? undefined : Number(days)
}

/** The list of new domains. None without `NEW_DOMAINS_URL`. */
export class NewDomains extends Context.Tag("app/Lists/NewDomains")<
  NewDomains,
  Option.Option<NewDomainsShape>
>() {
  static readonly layer = Layer.effect(
    NewDomains,
    Effect.gen(function* () {
      const { newDomains } = yield* AppConfig
      const { new_domains } = yield* ThreatFeeds
      return Option.map(new_domains, ({ current }) => ({
        // A domain of an old list is no longer new.
        isNew: (registrable: string, now: number) =>
          Option.exists(current(now), ({ isStale, list }) => !isStale && list.hasHost(registrable)),
        isMissing: (now: number) => !Option.exists(current(now), ({ isStale }) => !isStale),
        days: Option.getOrUndefined(Option.map(newDomains.address, daysOf))
      }))
    })
  )
}
