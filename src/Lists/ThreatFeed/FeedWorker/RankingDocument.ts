import { Either } from "effect"
import type { RankingFormatName } from "../../../Layers/AppConfig.ts"
import * as RankedSites from "../../PopularSites/RankedSites.ts"
import type { ThreatListBuilder } from "../../ThreatList/ThreatListBuilder.ts"
import { RankingRows } from "../FeedFormat/RankingRows.ts"
import type { RowCounts } from "../FeedSnapshot.ts"
import { ThrownFeedError } from "../ThrownFeedError.ts"
import type { FeedBody } from "./FeedBody.ts"

/**
 * Adds the sites of a ranking to a list, each as a host without pages, up to the row where `RankingRows` is full; the rest of the body is
 * not read. Counts rows that `RankedSites` excludes as `ignored`, and those that cannot be read as `skipped`. Throws a `ThrownFeedError`.
 */
export const add = async (
  builder: ThreatListBuilder,
  body: FeedBody,
  format: RankingFormatName
): Promise<RowCounts> => {
  const rows = new RankingRows(format)
  let used = 0
  let ignored = 0
  let unreadable = 0

  const addSites = (domains: Iterable<string>) => {
    for (const domain of domains) {
      const site = RankedSites.siteOf(domain)
      if (Either.isRight(site)) {
        used++
        builder.addHost(site.right)
      } else if (site.left === "Unreadable") unreadable++
      else ignored++
    }
  }

  for await (const chunk of body) {
    addSites(rows.read(chunk))
    if (rows.isFull) break
  }
  addSites(rows.end())
  if (used === 0) throw new ThrownFeedError("Empty")
  return { skipped: rows.skipped + unreadable, ignored }
}
