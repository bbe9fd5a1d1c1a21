import { Array as Arr, Either } from "effect"
import * as WrittenAddress from "./CanonicalUrl/WrittenAddress.ts"
import * as CanonicalUrl from "./CanonicalUrl.ts"
import * as PrivateHost from "./PrivateHost.ts"
import * as CarriedAddresses from "./Submission/CarriedAddresses.ts"
import * as InnerAddress from "./Submission/InnerAddress.ts"
import * as Wrapper from "./Submission/Wrapper.ts"
import * as UrlExpressions from "./UrlExpressions.ts"

/** An address that threat lists and the reputation lookup are asked about: the submitted one, or one inside it. */
export interface Address {
  readonly url: CanonicalUrl.CanonicalUrl
  readonly expressions: UrlExpressions.UrlExpressions
  /**
   * - `submitted`: the submitted URL itself.
   * - `destination`: a known wrapper, such as a search engine's redirector, leads there. It is judged in place of the wrapper.
   *   Or an `intent:` link leads there if its app is missing: both are judged.
   * - `carried`: it is in a path, query or fragment, perhaps only as a parameter.
   */
  readonly relation: "submitted" | "destination" | "carried"
  /** Its `destination` is among the addresses, and is judged in place of it. */
  readonly isWrapper: boolean
}

/** A submitted URL, read once for all checkers. */
export interface Submission {
  /** Exactly as the caller sent it. */
  readonly submitted: string
  /** `Left`: there is no host to look up; only the heuristics report something. */
  readonly url: Either.Either<CanonicalUrl.CanonicalUrl, CanonicalUrl.InvalidUrl>
  /** First `url`, unless that is `Left`, then the addresses inside it. */
  readonly addresses: ReadonlyArray<Address>
  /**
   * Set if a known wrapper leads to an address that was not read: because there are too many or it is too long, or because it
   * cannot be read. Also if the link carries more addresses than are read.
   */
  readonly unreadDestination: "TooMany" | "Unreadable" | undefined
  /** By the Clock, in milliseconds since 1970. Checkers judge the age of their data by it. */
  readonly receivedAt: number
}

/** Bounds the time for a hostile URL, and the depth of one address inside another. Honest ones have one or two. */
const MAX_INNER_ADDRESSES = 4

/** Reads a submitted string. Takes linear time and never throws. `receivedAt` is in milliseconds since 1970. */
export const read = (submitted: string, receivedAt: number): Submission => {
  const address = CanonicalUrl.read(submitted)
  const isOpaqueLink = isOpaque(address, submitted)
  const opaque = isOpaqueLink ? CarriedAddresses.findInOpaque(submitted) : CarriedAddresses.nothing
  const [first, ...others] = IS_OF_APP.test(submitted) ? intentAddresses(submitted) : opaque.addresses
  // What a program is asked to open is judged as if it were submitted.
  const isProgram = isOpaqueLink || (Either.isLeft(address) && IS_OF_APP.test(submitted))
  const opened = isProgram ? first : undefined
  const read = opened === undefined ? asText(address, submitted) : Either.right(opened)
  const url = Either.map(read, ({ url }) => url)
  if (Either.isLeft(read))
    return {
      submitted,
      url,
      addresses: [],
      unreadDestination: opaque.isMore ? "TooMany" : undefined,
      receivedAt
    }
  const inner = addressesOf(read.right, opened === undefined ? [] : others, opaque.isMore)
  return { submitted, url, ...inner, receivedAt }
}

/** Reads a scheme with a blank behind it as what it is: a word of a text. */
const asText = (address: ReturnType<typeof CanonicalUrl.read>, submitted: string) =>
  Either.mapLeft(address, (error) =>
    error.reason === "OpaqueScheme" && WrittenAddress.isLabelled(submitted)
      ? new CanonicalUrl.InvalidUrl({ reason: "ForbiddenHostCharacter", scheme: error.scheme })
      : error
  )

/** These are programs themselves. */
const SCRIPT_SCHEMES: ReadonlySet<string> = new Set(["javascript", "data", "vbscript"])

/** `open://https%3A%2F%2Fa.example`, `open://url=https://a.example` */
const ADDRESS_AS_HOST = /^\s{0,9}[a-z][a-z0-9+.-]{0,30}:\/\/(?:[a-z]{1,20}=)?https?(?::|%3a)(?:\/|%2f){2}/i

/**
 * A link in base64 or hexadecimal digits, which browsers would open as a host of a local network; a search of Windows, in which the port
 * of a share, `@80`, is no host.
 */
const HAS_NO_HOST = /^\s{0,9}(?:(?:aHR0c[DH]|68747470)[\w+/=-]+\s{0,9}$|[Ss]earch(?:-ms)?:\w{1,20}=)/

/**
 * Whether a link of a program names no host on the Internet: `ms-appinstaller:`, `mailto:`, `intent:`, `open://x`, or an address in place
 * of the host. Or the text is a coded link. Other text that is not a link remains such, whatever it contains, and so does a link with a
 * host that cannot exist.
 */
const isOpaque = (
  address: Either.Either<CanonicalUrl.Written, CanonicalUrl.InvalidUrl>,
  submitted: string
): boolean =>
  Either.match(address, {
    onLeft: ({ reason, scheme }) =>
      (HAS_NO_HOST.test(submitted) ||
        reason === "OpaqueScheme" ||
        (!CanonicalUrl.isWeb({ scheme }) && ADDRESS_AS_HOST.test(submitted))) &&
      !SCRIPT_SCHEMES.has(scheme),
    onRight: ({ url }) =>
      HAS_NO_HOST.test(submitted) ||
      (!CanonicalUrl.isWeb(url) && !url.host.includes(".") && !url.host.startsWith("["))
  })

const IS_OF_APP = /^\W*(?:intent|android-app):/i

interface Queued {
  readonly written: CanonicalUrl.Written
  readonly relation: Address["relation"]
  /** What it leads to, if it is a link of a wrapper that can be read. */
  readonly destinations: ReadonlyArray<InnerAddress.InnerAddress>
  /** It is a link of a wrapper to what cannot be read. */
  readonly isUnread: boolean
  isWrapper: boolean
}

/**
 * The addresses of a submission, breadth first: where wrappers lead, then what the addresses carry, so that this cannot take
 * the place of a destination, and each beside the others before what lies inside it.
 */
const addressesOf = (
  submitted: CanonicalUrl.Written,
  others: ReadonlyArray<InnerAddress.InnerAddress>,
  isMore: boolean
) => {
  const queue = [queued(submitted, "submitted")]
  let unreadDestination: Submission["unreadDestination"] = isMore ? "TooMany" : undefined
  /** Returns the index of the address, or undefined if there are too many before it. */
  const add = (address: CanonicalUrl.Written, relation: Address["relation"]): number | undefined => {
    const next = queued(address, relation)
    // Two spellings of one canonical URL may lead to different addresses.
    const known = queue.findIndex(
      ({ written: { text, url } }) =>
        isSame(url, address.url) && (next.destinations.length === 0 || text === address.text)
    )
    if (known !== -1) return known
    return queue.length > MAX_INNER_ADDRESSES ? undefined : queue.push(next) - 1
  }
  // The address in the intent itself is opened by the app: both are judged.
  for (const destination of [...others, ...intentAddresses(submitted.text)])
    if (add(destination, "destination") === undefined) unreadDestination = "TooMany"
  // Both loops go on to what they add.
  for (const [index, outer] of queue.entries())
    for (const destination of outer.destinations) {
      const found = add(destination, "destination")
      if (found === undefined || isCutOff(destination)) unreadDestination = "TooMany"
      // A link that leads back to an earlier address is judged itself.
      if (found !== undefined && found > index) outer.isWrapper = true
    }
  // An address that is carried may be a parameter that nothing follows.
  if (queue.some(({ isUnread }) => isUnread)) unreadDestination ??= "Unreadable"
  for (const { destinations, written } of queue) {
    const carried = destinations.length > 0 ? { addresses: destinations, isMore: false } : carriedBy(written)
    if (carried.isMore) unreadDestination ??= "TooMany"
    for (const inner of carried.addresses)
      if (!PrivateHost.isPrivate(inner.url.host) && add(inner, "carried") === undefined)
        unreadDestination ??= "TooMany"
  }
  const addresses = queue.map(({ isWrapper, relation, written: { url } }) => ({
    url,
    expressions: new UrlExpressions.UrlExpressions(url),
    relation,
    isWrapper
  }))
  return { addresses, unreadDestination }
}

const none: ReadonlyArray<InnerAddress.InnerAddress> = []
const noDestinations: Wrapper.Destinations = { addresses: none, isUnread: false }

const queued = (written: CanonicalUrl.Written, relation: Address["relation"]): Queued => {
  const wrapper = Wrapper.find(written.url)
  const { addresses, isUnread } =
    wrapper === undefined
      ? noDestinations
      : Wrapper.destinationsOf(wrapper, written.url, CanonicalUrl.writtenRest(written))
  return { written, relation, destinations: addresses, isUnread, isWrapper: false }
}

/**
 * Whether an address was not read to the end of its path, which dot segments may change, or of its host; or a link of a
 * wrapper not to the end of its query, which may contain where it leads.
 */
const isCutOff = ({ isCut, text, url }: InnerAddress.InnerAddress): boolean =>
  isCut && (!/[?#]/.test(text) || Wrapper.find(url) !== undefined)

const EXTRAS = "#Intent;"
/** In a fragment. */
const INTENT_EXTRAS = /^Intent;/
const END_OF_EXTRAS = /^(?:end|SEL)/

/**
 * The addresses in the extras of a link to an Android app (https://developer.chrome.com/docs/android/intents): where it leads
 * if the app is missing, and a whole address as its scheme. As in Android, the last of two equal names counts, so all are read:
 * 64 KiB of them take some 3 ms. In any fragment: only an `intent:` link has them, and they only add findings.
 */
const intentAddresses = (text: string): ReadonlyArray<InnerAddress.InnerAddress> => {
  const start = text.lastIndexOf("#")
  if (!text.startsWith(EXTRAS, start)) return none
  const extras = InnerAddress.parametersOf(text.slice(start + EXTRAS.length), ";")
  const fields = new Map(Arr.takeWhile(extras, ([name]) => !END_OF_EXTRAS.test(name)))
  return ["S.browser_fallback_url", "scheme"].flatMap(
    (name) => InnerAddress.readDecoded(InnerAddress.decoded(fields.get(name) ?? "")) ?? []
  )
}

const RELATIVE_PATH = /^(?:[a-z]+:[/\\]+|(?![a-z]+:))[^/\\?#]+[/\\](?:[/\\]|%(?:2f|5c|09))/i

const END_OF_SCHEME = "https:/".length

/** Whether a path begins with two slashes. A search for them takes less time than the pattern, and nearly no URL has them. */
const hasRelativePath = (text: string): boolean =>
  (!text.startsWith("http") || text.includes("//", END_OF_SCHEME) || /\\|\/%/.test(text)) &&
  RELATIVE_PATH.test(text)

const carriedBy = (written: CanonicalUrl.Written): CarriedAddresses.Carried => {
  const inRest =
    CarriedAddresses.mayCarry(written.url) || hasRelativePath(written.text)
      ? CarriedAddresses.find(CanonicalUrl.writtenRest(written))
      : CarriedAddresses.nothing
  const fragment = CanonicalUrl.writtenFragment(written)
  if (fragment === "" || INTENT_EXTRAS.test(fragment)) return inRest
  // The program of a page reads it like a query.
  const inFragment = CarriedAddresses.find(`?${fragment}`)
  return {
    addresses: [...inRest.addresses, ...inFragment.addresses],
    isMore: inRest.isMore || inFragment.isMore
  }
}

/** Whether lists know two URLs by the same expression, which has no scheme. */
const isSame = (one: CanonicalUrl.CanonicalUrl, other: CanonicalUrl.CanonicalUrl): boolean =>
  one.host === other.host && UrlExpressions.pathAndQuery(one) === UrlExpressions.pathAndQuery(other)
