import { Either } from "effect"
import type { RankingFormatName } from "../../../Layers/AppConfig.ts"
import type { Body } from "../../ListWorker/Body.ts"
import type { RowCounts } from "../../ListWorker/Messages.ts"
import { ThrownListError } from "../../ListWorker/ThrownListError.ts"
import * as RankedSites from "../../PopularSites/RankedSites.ts"
import type { ThreatListBuilder } from "../../ThreatList/ThreatListBuilder.ts"
import type { FeedRow } from "../FeedFormat/FeedRow.ts"
import * as FeedFormat from "../FeedFormat.ts"

/**
 * Adds the sites of a ranking to a list, each as a host without pages, until its reader is full; the rest of the body is not
 * read. Counts rows that `RankedSites` excludes as `ignored`, and those that cannot be read as `skipped`. Throws a
 * `ThrownListError`.
 */
export const add = async (
  builder: ThreatListBuilder,
  body: Body,
  format: RankingFormatName
): Promise<RowCounts> => {
  const reader = FeedFormat.reader(format, "malicious")
  let used = 0
  let ignored = 0
  let unreadable = 0

  const addSites = (rows: Iterable<FeedRow>) => {
    for (const { text } of rows) {
      const site = RankedSites.siteOf(text)
      if (Either.isRight(site)) {
        used++
        builder.addHost(site.right)
      } else if (site.left === "Unreadable") unreadable++
      else ignored++
    }
  }

  for await (const chunk of body) {
    addSites(reader.read(chunk))
    if (reader.isFull) break
  }
  addSites(reader.end())
  if (used === 0) throw new ThrownListError("Empty")
  return { skipped: reader.unreadable + unreadable, ignored }
}
