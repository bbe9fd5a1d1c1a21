import { Option } from "effect"
import type { FeedConfig } from "../../Layers/AppConfig.ts"
import * as FeedSource from "./FeedSource.ts"

/** A configured feed. */
export interface Feed extends Omit<FeedConfig, "address" | "name"> {
  /** May hold a key: never log it. */
  readonly url: URL
  readonly source: FeedSource.FeedSource
}

/** None when the operator has switched the slot off. */
export const fromConfig = ({ address, name, ...config }: FeedConfig): Option.Option<Feed> =>
  Option.map(address, (url) => {
    const source = FeedSource.sourceOf(config.format, url)
    return { ...config, url, source: { ...source, name: Option.getOrElse(name, () => source.name) } }
  })
