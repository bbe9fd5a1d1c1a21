import { Either } from "effect"
import type { RankingFormatName } from "../../../Layers/AppConfig.ts"
import type { Body } from "../../ListWorker/Body.ts"
import type { RowCounts } from "../../ListWorker/Messages.ts"
import { ThrownListError } from "../../ListWorker/ThrownListError.ts"
import * as RankedSites from "../../PopularSites/RankedSites.ts"
import type { Category } from "../../ThreatList/Category.ts"
import * as Coverage from "../../ThreatList/Coverage.ts"
import type { ThreatListBuilder } from "../../ThreatList/ThreatListBuilder.ts"
import { RankingRows } from "../FeedFormat/RankingRows.ts"

/**
 * Adds the sites of a ranking to a list, each as a host, up to the row where `RankingRows` is full; the rest of the body is
 * not read. Counts rows that `RankedSites` excludes as `ignored`, and those that cannot be read as `skipped`. Throws a `ThrownListError`.
 */
export const add = async (
  builder: ThreatListBuilder,
  body: Body,
  format: RankingFormatName,
  category: Category
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
        builder.add(site.right, "/", Coverage.ALL, category)
      } else if (site.left === "Unreadable") unreadable++
      else ignored++
    }
  }

  for await (const chunk of body) {
    addSites(rows.read(chunk))
    if (rows.isFull) break
  }
  addSites(rows.end())
  if (used === 0) throw new ThrownListError("Empty")
  return { skipped: rows.skipped + unreadable, ignored }
}
