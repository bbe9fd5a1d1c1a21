import type { Buffer } from "node:buffer"
import { PlainUrl } from "../../../Url/CanonicalUrl/PlainUrl.ts"
import * as SharedHost from "../../../Url/SharedHost.ts"
import type { Category } from "../../ThreatList/Category.ts"
import * as Coverage from "../../ThreatList/Coverage.ts"
import type { ThreatListBuilder } from "../../ThreatList/ThreatListBuilder.ts"
import * as FeedEntry from "./FeedEntry.ts"

const SLASH = 0x2f
const ROOT = Uint8Array.of(SLASH)

/**
 * Adds entries to a list from their bytes, for canonical URLs on hosts that are not shared, which most are.
 * It decodes only the host, and that once for a run of entries on one host. Adds the same expressions as `FeedEntry.parse`
 * would.
 */
export class PlainEntries {
  /** Entries that were added to the list. */
  used = 0
  readonly #builder: ThreatListBuilder
  readonly #category: Category
  readonly #url = new PlainUrl()
  #host = ""
  #isShared = false
  #isListable = false

  constructor(builder: ThreatListBuilder, category: Category) {
    this.#builder = builder
    this.#category = category
  }

  /** Adds such an entry; for any other returns false and adds nothing. */
  take(bytes: Buffer, start: number, end: number): boolean {
    const url = this.#url
    if (!url.find(bytes, start, end)) return false
    const { hostStart, hostEnd, pathEnd } = url
    const hasPath = pathEnd > hostEnd
    const hasQuery = end > pathEnd + 1
    // `host?query` has no path before its query.
    if (!hasPath && hasQuery) return false

    this.#enterHost(bytes, hostStart, hostEnd)
    if (this.#isShared || !this.#isListable) return false
    this.used++
    const isDirectory = !hasPath || bytes[pathEnd - 1] === SLASH
    const coverage = FeedEntry.coverageOf(hasQuery, isDirectory)
    if (hasPath) this.#builder.addPath(bytes, hostEnd, hasQuery ? end : pathEnd, coverage, this.#category)
    else this.#builder.addPath(ROOT, 0, ROOT.length, coverage, this.#category)
    if (hasQuery) this.#builder.addPath(bytes, hostEnd, pathEnd, Coverage.PAGE, this.#category)
    return true
  }

  #enterHost(bytes: Buffer, start: number, end: number): void {
    if (this.#isHost(bytes, start, end)) return
    this.#host = bytes.toString("latin1", start, end)
    this.#isShared = SharedHost.isShared(this.#host)
    this.#isListable = FeedEntry.isListable(this.#host)
    this.#builder.enterHost(bytes, start, end)
  }

  #isHost(bytes: Buffer, start: number, end: number): boolean {
    const host = this.#host
    if (host.length !== end - start) return false
    for (let i = 0; i < host.length; i++) if (host.charCodeAt(i) !== bytes[start + i]) return false
    return true
  }
}
