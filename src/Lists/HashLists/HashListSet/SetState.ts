import { Clock, Duration, Effect, MutableRef, Option, Random } from "effect"
import * as SavedSnapshot from "../../ThreatFeed/FeedSnapshot/SavedSnapshot.ts"
import * as SnapshotFile from "../../ThreatFeed/FeedSnapshot/SnapshotFile.ts"
import * as HashList from "../HashList.ts"
import * as HashListSet from "../HashListSet.ts"
import * as SetSnapshot from "./SetSnapshot.ts"

/** The beginning of the file's name. */
const FILE = "safe-browsing"

/**
 * The least time between two requests for whole lists of processes that end before the answer, again and again. The file says
 * so before the request.
 */
const MIN_MS_BETWEEN_ATTEMPTS = Duration.toMillis(Duration.minutes(1))

/** A disk that hangs must not prevent a request. */
const MAX_WAIT_FOR_DISK = Duration.seconds(5)

/** `{ "se-4b": 4300000, "mw-4b": 260000 }` */
const entriesOf = ({ lists }: HashListSet.HashListSet) =>
  Object.fromEntries(
    lists.flatMap(({ content, name }) => (content === undefined ? [] : [[name, HashList.size(content.list)]]))
  )

/** Whether the log has to say that an update failed: the first of several in a row, and that Google has begun to refuse. */
const isNews = (before: HashListSet.ScheduledList | undefined, { reason }: HashListSet.ListError): boolean =>
  before?.lastError === undefined ||
  ((reason === "KeyRefused" || reason === "RequestRefused") && before.lastError.reason !== reason)

/** One line for each reason with the lists that it concerns. */
const logFailures = (before: HashListSet.HashListSet, after: HashListSet.HashListSet) => {
  const namesByReason = new Map<string, Array<string>>()
  for (const [index, { lastError, name }] of after.lists.entries()) {
    if (lastError === undefined || !isNews(before.lists[index], lastError)) continue
    const reason = HashListSet.messageOf(lastError)
    namesByReason.set(reason, [...(namesByReason.get(reason) ?? []), name])
  }
  return Effect.forEach(
    namesByReason,
    ([reason, names]) =>
      Effect.annotateLogs(Effect.logWarning("Lists of Safe Browsing are not updated"), {
        lists: names.join(","),
        reason
      }),
    { discard: true }
  )
}

/** One line for all lists that were updated. It says which of them were not before. */
const logSuccesses = (before: HashListSet.HashListSet, after: HashListSet.HashListSet) => {
  const updated = after.lists.filter(({ content }, index) => content !== before.lists[index]?.content)
  if (updated.length === 0) return Effect.void
  const recovered = updated.filter(({ name }) =>
    before.lists.some((list) => list.name === name && list.failures > 0)
  )
  return recovered.length === 0
    ? Effect.annotateLogs(Effect.logInfo("Lists of Safe Browsing were updated"), entriesOf(after))
    : Effect.annotateLogs(Effect.logInfo("Lists of Safe Browsing are updated again"), {
        lists: recovered.map(({ name }) => name).join(","),
        ...entriesOf(after)
      })
}

/**
 * Starts with the set in the data directory, if there is one, for the lists of these names, and saves each later one there.
 * Never fails.
 */
export const make = Effect.fnUntraced(function* (
  service: SetSnapshot.Service,
  names: ReadonlyArray<string>,
  dataDirectory: string
) {
  const format = SetSnapshot.format(service)
  const file = yield* SnapshotFile.make(dataDirectory, FILE, SetSnapshot.VERSION, format)
  const [stored, saved] = yield* SavedSnapshot.make(file)
  const state = MutableRef.make(
    HashListSet.atStart(stored, names, yield* Clock.currentTimeMillis, yield* Random.next)
  )
  const get = (): HashListSet.HashListSet => MutableRef.get(state)
  if (HashListSet.hasList(get()))
    yield* Effect.annotateLogs(
      Effect.logInfo("Lists of Safe Browsing were loaded from DATA_DIR"),
      entriesOf(get())
    )

  return {
    /** The set in use. Waits for nothing. */
    get,

    /** Why a restart would start without these lists. */
    saveError: saved.error,

    /** Saves that a request for a whole list is sent: nothing else that is saved says so. */
    saveAttempt: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* saved
        .save(HashListSet.notBefore(get(), now + MIN_MS_BETWEEN_ATTEMPTS))
        .pipe(Effect.disconnect, Effect.timeoutOption(MAX_WAIT_FOR_DISK))
    }),

    /** Uses, logs and saves the set after an update. */
    settle: Effect.fnUntraced(function* (after: HashListSet.HashListSet) {
      const before = MutableRef.getAndSet(state, after)
      yield* logFailures(before, after)
      yield* logSuccesses(before, after)
      yield* saved.save(after)
    }),

    /**
     * Uses the schedule of another replica, and its lists as far as their bytes are `loaded` or in use here. Saves them, unless
     * `loaded` comes next.
     */
    follow: Effect.fnUntraced(function* (
      description: string | undefined,
      loaded: Option.Option<HashListSet.HashListSet>,
      isLast: boolean
    ) {
      const described = Option.flatMap(Option.fromNullable(description), SetSnapshot.readDescription)
      if (Option.isNone(described)) return
      const before = get()
      const after = HashListSet.follow(before, described.value, loaded)
      MutableRef.set(state, after)
      if (!HashListSet.hasSameBytes(before, after))
        yield* Effect.annotateLogs(
          Effect.logInfo("Lists of Safe Browsing were taken from another replica"),
          entriesOf(after)
        )
      if (isLast) yield* saved.save(after)
    })
  }
})

/** Where the set is read and changed. */
export type SetState = Effect.Effect.Success<ReturnType<typeof make>>
