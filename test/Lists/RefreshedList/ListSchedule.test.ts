import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Option } from "effect"
import * as ListSchedule from "../../../src/Lists/RefreshedList/ListSchedule.ts"

const waits = (refresh: Duration.DurationInput, failures: number, random = 0) =>
  Array.from({ length: failures }, (_, i) =>
    Duration.toSeconds(
      ListSchedule.afterFailure(i + 1, ListSchedule.feedBackoff(Duration.decode(refresh)), undefined, random)
    )
  )

const afterRetryAfter = (seconds: number, refresh: Duration.DurationInput = "1 hour") =>
  Duration.toSeconds(
    ListSchedule.afterFailure(1, ListSchedule.feedBackoff(Duration.decode(refresh)), seconds * 1000, 0)
  )

describe("ListSchedule", () => {
  it("waits for a refresh interval after an answer, and up to a tenth longer", () => {
    const hour = Duration.hours(1)
    assert.strictEqual(Duration.toMinutes(ListSchedule.jittered(hour, 0)), 60)
    assert.strictEqual(Duration.toMinutes(ListSchedule.jittered(hour, 1)), 66)
  })

  it("waits twice as long after each failure, up to the refresh interval", () => {
    deepStrictEqual(waits("1 hour", 9), [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
    deepStrictEqual(waits("1 hour", 2, 1), [66, 132])
  })

  it("waits up to five minutes where the refresh interval is shorter", () => {
    deepStrictEqual(waits("10 seconds", 7), [10, 20, 40, 80, 160, 300, 300])
    deepStrictEqual(waits("1 second", 2), [1, 2])
  })

  it("still waits after any number of failures", () => {
    assert.strictEqual(
      Duration.toHours(
        ListSchedule.afterFailure(5000, ListSchedule.feedBackoff(Duration.hours(6)), undefined, 0)
      ),
      6
    )
  })

  it("waits as long as Retry-After says, up to a day, and never less than without it", () => {
    assert.strictEqual(afterRetryAfter(7200), 7200)
    assert.strictEqual(afterRetryAfter(5), 60)
    assert.strictEqual(afterRetryAfter(30 * 86_400), 86_400)
    assert.strictEqual(afterRetryAfter(Number.MAX_SAFE_INTEGER), 86_400)
  })

  it("calls a list stale when it is older than three refresh intervals", () => {
    const hour = Duration.toMillis(Duration.hours(1))
    assert.isFalse(ListSchedule.isStale(0, Duration.hours(1), 3 * hour))
    assert.isTrue(ListSchedule.isStale(0, Duration.hours(1), 3 * hour + 1))
  })

  it("calls a list stale that comes from the future, but for what clocks differ by", () => {
    const minute = Duration.toMillis(Duration.minutes(1))
    assert.isFalse(ListSchedule.isStale(5 * minute, Duration.hours(1), 0))
    assert.isTrue(ListSchedule.isStale(5 * minute + 1, Duration.hours(1), 0))
  })

  it("is due after a restart when the interval is over, and within a minute when it was over before or is unknown", () => {
    const minute = Duration.toMillis(Duration.minutes(1))
    const now = 120 * minute
    const firstDue = (answeredAt: number, random = 0) => {
      const stored = Option.some({ answeredAt: answeredAt * minute })
      return ListSchedule.firstDueAt(stored, Duration.hours(1), now, random) / minute
    }
    assert.strictEqual(firstDue(110), 170)
    assert.strictEqual(firstDue(30), 120)
    assert.strictEqual(firstDue(30, 0.5), 120.5)
    assert.strictEqual(firstDue(125), 180)
    assert.strictEqual(firstDue(126), 120)
    assert.strictEqual(ListSchedule.firstDueAt(Option.none(), Duration.hours(1), now, 0.5), now)
    const overdue = Option.some({ answeredAt: 30 * minute })
    assert.strictEqual(ListSchedule.firstDueAt(overdue, Duration.seconds(10), now, 1) - now, 10_000)
  })

  it("waits until the time that another replica set and a little longer, but not by a clock that is wrong", () => {
    const minute = Duration.toMillis(Duration.minutes(1))
    const minutes = (
      writtenAt: number,
      nextAt: number,
      now: number,
      random = 0,
      maxWait = Duration.infinity
    ) => {
      const version = { writtenAt: writtenAt * minute, nextAt: nextAt * minute }
      const dueAt = ListSchedule.sharedDueAt(version, maxWait, now * minute, random)
      return dueAt === undefined ? undefined : dueAt / minute
    }
    assert.strictEqual(minutes(0, 60, 20), 60.5)
    assert.strictEqual(minutes(0, 60, 20, 1), 61)
    assert.strictEqual(minutes(0, 5, 1), 5.25)
    assert.isUndefined(minutes(0, 60, 60))
    assert.isUndefined(minutes(0, 60, 70))
    assert.strictEqual(minutes(5, 65, 0), 60.5)
    assert.isUndefined(minutes(6, 66, 0))
    assert.strictEqual(minutes(0, 600, 20, 1, Duration.minutes(30)), 31)
    assert.isUndefined(minutes(0, 600, 30, 1, Duration.minutes(30)))
  })
})
