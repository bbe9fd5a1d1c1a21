import type { ExpressionHash } from "../ExpressionHash.ts"
import type * as ListSchedule from "../RefreshedList/ListSchedule.ts"
import * as HashList from "./HashList.ts"
import { HashListIndex } from "./HashListIndex.ts"
import * as HashListSet from "./HashListSet.ts"

/** The local lists as one lookup uses them, all of the same moment. */
export interface LocalLists {
  /** See `ListsAge`. */
  readonly age: ListSchedule.Age
  /** Whether a threat list has the hash's prefix. Not a finding: it has to be confirmed. */
  readonly hasThreat: (hash: ExpressionHash) => boolean
  /** Whether the global cache has the whole hash. False unless it and the threat lists are fresh, and in `local-list`. */
  readonly isLikelySafe: (hash: ExpressionHash) => boolean
}

const isCache = ({ name }: HashListSet.ScheduledList): boolean => name === HashList.GLOBAL_CACHE

const nothing = () => false

const viewOf = ({ lists }: HashListSet.HashListSet, indexOf: (list: HashList.HashList) => HashListIndex) => {
  const indexesOf = (lists: ReadonlyArray<HashListSet.ScheduledList>) =>
    lists.flatMap(({ content }) => (content === undefined ? [] : [indexOf(content.list)]))
  const threatLists = lists.filter((list) => !isCache(list))
  const cache = lists.filter(isCache)
  const threats = indexesOf(threatLists)
  const likelySafe = indexesOf(cache)
  const hasThreat = (hash: ExpressionHash): boolean => threats.some((index) => index.contains(hash))
  const isLikelySafe = (hash: ExpressionHash): boolean => likelySafe.some((index) => index.contains(hash))

  return (now: number): LocalLists => {
    const age = HashListSet.ageOf(threatLists, now)
    const hasCache = age === "fresh" && HashListSet.ageOf(cache, now) === "fresh"
    return { age, hasThreat, isLikelySafe: hasCache ? isLikelySafe : nothing }
  }
}

/** Yields what the lists of a set know at a time. Makes an index for each list once, at the first lookup. */
export const make = (): ((set: HashListSet.HashListSet, now: number) => LocalLists) => {
  // By the set and the list, so that what is replaced is not retained until the next lookup.
  const indexes = new WeakMap<HashList.HashList, HashListIndex>()
  const views = new WeakMap<HashListSet.HashListSet, (now: number) => LocalLists>()
  const indexOf = (list: HashList.HashList): HashListIndex => {
    const index = indexes.get(list) ?? new HashListIndex(list)
    indexes.set(list, index)
    return index
  }
  return (set, now) => {
    const view = views.get(set) ?? viewOf(set, indexOf)
    views.set(set, view)
    return view(now)
  }
}
