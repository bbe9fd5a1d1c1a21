/** Which of the collected rows are added to the corpus. Pure: the same rows on the same day give the same result. */

import { Either } from "effect"
import * as FeedEntry from "../../src/Lists/ThreatFeed/FeedFormat/FeedEntry.ts"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as PrivateHost from "../../src/Url/PrivateHost.ts"
import * as Address from "./Address.ts"
import type { Corpus } from "./CorpusFolder.ts"
import * as Days from "./Days.ts"
import * as LabelledUrl from "./LabelledUrl.ts"
import * as RowLimits from "./RowLimits.ts"

/** A row as its source writes it. */
export interface OfferedRow {
  readonly text: string
  /** Begins with the day when the source published it, such as `2026-06-01`. Undefined if the source has no dates. */
  readonly published: string | undefined
}

/** All rows of one source. */
export interface Offer {
  readonly source: string
  readonly isPhishing: boolean
  readonly rows: ReadonlyArray<OfferedRow>
  /** Rows that are none of its format. */
  readonly damaged: number
  /** Rows about something else, such as malware. */
  readonly unused: number
}

/** What became of the rows of one source: `read` is the sum of the others. */
export interface Counts {
  read: number
  added: number
  /** The same page is in the corpus, or came earlier in this collection. */
  duplicate: number
  /** Reported, or its host known as phishing, for more than a month. */
  old: number
  /** The host, or the page on a shared host, is phishing in one row and benign in another; or phishing on a popular domain. */
  conflict: number
  /** No row of the format, no URL, or a date that is none. */
  damaged: number
  /** About something else, a whole shared host, or a host of a private network; or an ordinary link with a password. */
  unused: number
  /** Over the limit of its source and month. */
  capped: number
}

export interface Intake {
  readonly rows: ReadonlyArray<LabelledUrl.LabelledUrl>
  readonly counts: ReadonlyArray<Counts>
}

interface Candidate {
  readonly row: LabelledUrl.LabelledUrl
  readonly address: Address.Address
}

const WEB_ADDRESS = /^https?:\/\//i

/** What a browser sends: nothing is learned from the rest, which often is the e-mail address of a victim. */
const withoutFragment = (text: string, { page }: Address.Address): string => {
  const sent = text.split("#", 1).join()
  return Address.parse(sent)?.page === page ? sent : text
}

/** As written, if that is a URL that a column can contain. */
const textOf = (text: string, url: CanonicalUrl.CanonicalUrl, address: Address.Address): string =>
  WEB_ADDRESS.test(text) && LabelledUrl.isColumn(text)
    ? withoutFragment(text, address)
    : CanonicalUrl.format(url)

/** Today for a source without dates. Undefined for a text that is no date, or one in the future. */
const firstSeen = (published: string | undefined, today: string): string | undefined => {
  const day = published?.slice(0, today.length) ?? today
  return LabelledUrl.isDay(day) && day <= Days.addDays(today, 1) ? day : undefined
}

const isPublicHost = ({ host }: CanonicalUrl.CanonicalUrl): boolean =>
  FeedEntry.isListable(host) && !PrivateHost.isPrivate(host)

const readCandidate = (
  { text, published }: OfferedRow,
  { source, isPhishing }: Offer,
  today: string
): Candidate | "damaged" | "unused" => {
  const parsed = CanonicalUrl.parse(text)
  const day = firstSeen(published, today)
  if (Either.isLeft(parsed) || day === undefined) return "damaged"
  const url = parsed.right
  if (!isPublicHost(url)) return "unused"
  if (isPhishing) {
    const entry = FeedEntry.parse(text)
    if (typeof entry === "string") return entry === "SharedHost" ? "unused" : "damaged"
    // A name and a password that somebody put into a list of links by mistake.
  } else if (url.userInfo !== undefined) return "unused"
  const address = Address.addressOf(url)
  return {
    row: { isPhishing, firstSeen: day, source, url: textOf(text, url, address), split: "" },
    address
  }
}

/** What a collection must know of the corpus. */
type KnownCorpus = Pick<Corpus, "rows" | "logins">

/** What the rows of one collection, or of the corpus, say about hosts. */
interface Hosts {
  /** The first day of each host, or page on a shared host. `""` if unknown. */
  readonly phishing: Map<string, string>
  readonly benign: Set<string>
  /** The registrable domains of lists of bare domains. */
  readonly popular: Set<string>
}

/** What is known of the corpus. */
interface Known extends Hosts {
  readonly pages: Set<string>
  /** The rows of each source, class and month. */
  readonly sizes: Map<string, number>
}

const countGroup = (sizes: Map<string, number>, row: LabelledUrl.LabelledUrl): void => {
  const group = RowLimits.groupOf(row)
  if (group !== undefined) sizes.set(group, (sizes.get(group) ?? 0) + 1)
}

const noHosts = (): Hosts => ({ phishing: new Map(), benign: new Set(), popular: new Set() })

const noteHost = (
  { phishing, benign, popular }: Hosts,
  { owned }: Address.Address,
  row: LabelledUrl.LabelledUrl
): void => {
  if (row.isPhishing) {
    const earlier = phishing.get(owned)
    if (earlier === undefined || row.firstSeen < earlier) phishing.set(owned, row.firstSeen)
    return
  }
  benign.add(owned)
  if (!RowLimits.isBareDomain(row)) return
  const site = FeedEntry.parseRanked(row.url)
  if (typeof site !== "string") for (const { host } of site) popular.add(host)
}

const knownOf = ({ rows, logins }: KnownCorpus): Known => {
  const known: Known = { ...noHosts(), pages: new Set(), sizes: new Map() }
  for (const row of [...rows, ...logins]) {
    countGroup(known.sizes, row)
    const address = Address.parse(row.url)
    if (address === undefined) continue
    known.pages.add(address.page)
    noteHost(known, address, row)
  }
  return known
}

/** Whether rows of both classes are about this host, or a row of phishing is on a popular domain. */
const isDisputed = ({ row, address }: Candidate, sides: ReadonlyArray<Hosts>): boolean => {
  const { owned, site } = address
  const isPopular = site !== undefined && sides.some(({ popular }) => popular.has(site))
  return (
    (row.isPhishing && isPopular) ||
    (sides.some(({ phishing }) => phishing.has(owned)) && sides.some(({ benign }) => benign.has(owned)))
  )
}

const fateOf = (
  candidate: Candidate,
  known: Known,
  offered: Hosts,
  monthAgo: string
): "added" | "duplicate" | "old" | "conflict" => {
  const { row, address } = candidate
  if (known.pages.has(address.page)) return "duplicate"
  if (row.firstSeen < monthAgo) return "old"
  if (isDisputed(candidate, [known, offered])) return "conflict"
  const seenBefore = row.isPhishing ? known.phishing.get(address.owned) : undefined
  return seenBefore !== undefined && seenBefore < monthAgo ? "old" : "added"
}

const noCounts = (): Counts => ({
  read: 0,
  added: 0,
  duplicate: 0,
  old: 0,
  conflict: 0,
  damaged: 0,
  unused: 0,
  capped: 0
})

/**
 * Chooses the rows to add to a corpus. `counts` has the order of `offers`. Of a page that several sources offer, the first row
 * is taken.
 */
export const take = (
  corpus: KnownCorpus,
  offers: ReadonlyArray<Offer>,
  today: string,
  maxPerSourceAndMonth = RowLimits.MAX_ROWS_PER_SOURCE_AND_MONTH
): Intake => {
  const known = knownOf(corpus)
  const monthAgo = Days.monthBefore(today)
  const read = offers.map((offer) => {
    const counts = noCounts()
    counts.read = offer.rows.length + offer.damaged + offer.unused
    counts.damaged = offer.damaged
    counts.unused = offer.unused
    const candidates = offer.rows.flatMap((row) => {
      const candidate = readCandidate(row, offer, today)
      if (typeof candidate !== "string") return [candidate]
      counts[candidate]++
      return []
    })
    return { counts, candidates }
  })
  const offered = noHosts()
  for (const { candidates } of read)
    for (const { row, address } of candidates) noteHost(offered, address, row)

  const rows = read.flatMap(({ counts, candidates }) => {
    const groups = new Map<string, Array<Candidate>>()
    const ownPages = new Set<string>()
    for (const candidate of candidates) {
      const { page } = candidate.address
      const fate = ownPages.has(page) ? "duplicate" : fateOf(candidate, known, offered, monthAgo)
      if (fate !== "added") {
        counts[fate]++
        continue
      }
      ownPages.add(page)
      const group = RowLimits.groupOf(candidate.row) ?? ""
      const members = groups.get(group)
      if (members === undefined) groups.set(group, [candidate])
      else members.push(candidate)
    }
    return [...groups].flatMap(([group, members]) => {
      const size = known.sizes.get(group) ?? 0
      const chosen = RowLimits.choose(members, Math.max(0, maxPerSourceAndMonth - size), group)
      known.sizes.set(group, size + chosen.size)
      counts.added += chosen.size
      counts.capped += members.length - chosen.size
      for (const { address } of chosen) known.pages.add(address.page)
      return members.filter((candidate) => chosen.has(candidate)).map(({ row }) => row)
    })
  })
  return { rows, counts: read.map(({ counts }) => counts) }
}
