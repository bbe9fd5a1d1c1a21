import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Option } from "effect"
import * as ListSchedule from "../../../src/Lists/RefreshedList/ListSchedule.ts"

const waits = (refresh: Duration.DurationInput, failures: number, random = 0) =>
  Array.from({ length: failures }, (_, i) =>
    Duration.toSeconds(ListSchedule.afterFailure(i + 1, Duration.decode(refresh), Option.none(), random))
  )

const afterRetryAfter = (seconds: number, refresh: Duration.DurationInput = "1 hour") =>
  Duration.toSeconds(
    ListSchedule.afterFailure(1, Duration.decode(refresh), Option.some(Duration.seconds(seconds)), 0)
  )

describe("ListSchedule", () => {
  it("waits for a refresh interval after an answer, and up to a tenth longer", () => {
    const hour = Duration.hours(1)
    assert.strictEqual(Duration.toMinutes(ListSchedule.jittered(hour, 0)), 60)
    assert.strictEqual(Duration.toMinutes(ListSchedule.jittered(hour, 1)), 66)
  })

  it("waits no longer than a timer can run", () => {
    assert.strictEqual(Duration.toDays(ListSchedule.jittered(Duration.days(400), 0)), 24)
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
      Duration.toHours(ListSchedule.afterFailure(5000, Duration.hours(6), Option.none(), 0)),
      6
    )
  })

  it("waits as long as Retry-After says, up to a day, and never less than without it", () => {
    assert.strictEqual(afterRetryAfter(7200), 7200)
    assert.strictEqual(afterRetryAfter(5), 60)
    assert.strictEqual(afterRetryAfter(30 * 86_400), 86_400)
    assert.strictEqual(afterRetryAfter(Number.MAX_SAFE_INTEGER), 86_400)
  })

  it("leases for a minute, or for less where a list is refreshed that often", () => {
    assert.strictEqual(Duration.toSeconds(ListSchedule.leaseDuration(Duration.hours(1))), 60)
    assert.strictEqual(Duration.toSeconds(ListSchedule.leaseDuration(Duration.seconds(2))), 4)
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

  it("waits after a restart for the rest of the interval, and less than a minute when that is over or unknown", () => {
    const untilFirst = (answeredAt: number, random = 0) =>
      Duration.toMinutes(
        ListSchedule.untilFirst(
          Option.some({ answeredAt: Duration.toMillis(Duration.minutes(answeredAt)) }),
          Duration.hours(1),
          Duration.toMillis(Duration.hours(2)),
          random
        )
      )
    assert.strictEqual(untilFirst(110), 50)
    assert.strictEqual(untilFirst(30), 0)
    assert.strictEqual(untilFirst(30, 0.5), 0.5)
    assert.strictEqual(untilFirst(125), 60)
    assert.strictEqual(untilFirst(126), 0)
    assert.strictEqual(
      Duration.toMillis(ListSchedule.untilFirst(Option.none(), Duration.hours(1), 0, 0.5)),
      0
    )
  })

  it.each<[jump: number, due: number]>([
    [60, 0],
    [6, 54],
    [5, 60],
    [0, 60],
    [-5, 60],
    [-6, 20],
    [-10_000, 20]
  ])("is due, after the date has jumped by %i minutes, at minute %i, not 60", (jump, due) => {
    const minutes = (millis: number, date: number) => ({ millis: millis * 60_000, date: date * 60_000 })
    const now = minutes(20, 1020 + jump)
    assert.strictEqual(ListSchedule.dueAfterJump(60 * 60_000, minutes(0, 1000), now), due * 60_000)
  })

  it("waits until the time that another replica set and a little longer, but not by a clock that is wrong", () => {
    const minutes = (writtenAt: number, nextAt: number, now: number, random = 0) =>
      Duration.toMinutes(
        ListSchedule.untilShared(
          { writtenAt: writtenAt * 60_000, nextAt: nextAt * 60_000 },
          now * 60_000,
          random
        )
      )
    assert.strictEqual(minutes(0, 60, 20), 40.5)
    assert.strictEqual(minutes(0, 60, 20, 1), 41)
    assert.strictEqual(minutes(0, 5, 1), 4.25)
    assert.strictEqual(minutes(0, 60, 60), 0)
    assert.strictEqual(minutes(0, 60, 70), 0)
    assert.strictEqual(minutes(5, 65, 0), 60.5)
    assert.strictEqual(minutes(6, 66, 0), 0)
    assert.strictEqual(minutes(0, 100_000, 0), 24 * 24 * 60 + 0.5)
  })
})
