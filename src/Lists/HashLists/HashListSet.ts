import * as ListSchedule from "../RefreshedList/ListSchedule.ts"
import * as HashList from "./HashList.ts"

/** A list as Google has sent it. */
export interface StoredList {
  readonly name: string
  /** Opaque, in base64. */
  readonly version: string
  /** The same object until other bytes come. */
  readonly list: HashList.HashList
}

/** All local lists, of one answer. Never modified: an update makes another set. */
export interface HashListSet {
  readonly lists: ReadonlyArray<StoredList>
  /** The lists that Google refuses by their names, although it answers for the others. */
  readonly refused: ReadonlyArray<string>
  /** Milliseconds since 1970. */
  readonly answeredAt: number
  /** The longest time for which Google asked to send no request. 0: it had more to send. */
  readonly waitMillis: number
}

export const isCache = (name: string): boolean => name === HashList.GLOBAL_CACHE

/** The age of the threat lists together: see `ListsAge`. */
export const ageOf = (
  { answeredAt, lists, refused, waitMillis }: HashListSet,
  now: number
): ListSchedule.Age => {
  if (lists.every(({ name }) => isCache(name))) return "unusable"
  const age = ListSchedule.ageOf(answeredAt, waitMillis, now)
  return age === "fresh" && refused.some((name) => !isCache(name)) ? "stale" : age
}
