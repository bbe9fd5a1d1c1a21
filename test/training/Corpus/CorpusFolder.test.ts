import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, TestClock } from "effect"
import * as CorpusFolder from "../../../training/Corpus/CorpusFolder.ts"
import { benign, folder, phishing, writeLines } from "../../fixtures/CorpusFiles.ts"

const onDay = (day: string) => TestClock.setTime(Date.parse(`${day}T12:00:00Z`))

describe("the corpus on disk", () => {
  it.effect("is read from every file of rows, not from rows of matched shape or other files", () =>
    Effect.gen(function* () {
      yield* onDay("2026-07-01")
      const path = yield* folder
      writeLines(join(path, "train.tsv.gz"), ["1\t2026-01-01\tfeed\thttps://a.example/x"])
      writeLines(join(path, "recent.tsv.gz"), ["0\t\tlist\thttps://b.example/"])
      writeLines(join(path, "train_matched.tsv.gz"), ["1\t2026-01-01\tfeed\thttps://a.example/x"])
      writeLines(join(path, "brand_login_benign.tsv.gz"), ["0\t\tlist\thttps://c.example/login\tdev"])
      writeLines(join(path, "notes.txt.gz"), ["0\t\tlist\thttps://d.example/"])
      writeFileSync(join(path, "collected-2026-06-30.tsv.gz.tmp-1"), "half a file")
      mkdirSync(join(path, "folder.tsv.gz"))
      spawnSync("mkfifo", [join(path, "pipe.tsv.gz")])
      assert.deepStrictEqual(yield* CorpusFolder.read(path), {
        rows: [benign("https://b.example/"), phishing("https://a.example/x", "2026-01-01")],
        logins: [{ ...benign("https://c.example/login"), split: "dev" }],
        damaged: 0,
        cutOff: []
      })
    }).pipe(Effect.scoped)
  )

  it.effect("counts damaged lines and goes on", () =>
    Effect.gen(function* () {
      yield* onDay("2026-07-01")
      const path = yield* folder
      const file = join(path, "a.tsv.gz")
      writeLines(file, [
        "2\t2026-01-01\tfeed\thttps://label.example/",
        "1\t2026-13-01\tfeed\thttps://month.example/",
        "1\t2026-02-30\tfeed\thttps://day.example/",
        "1\t2026/01/01\tfeed\thttps://form.example/",
        "1\t2026-07-03\tfeed\thttps://future.example/",
        "1\t2026-01-01\t\thttps://source.example/",
        "1\t2026-01-01\tfeed\t",
        "1\t2026-01-01\tfeed",
        "no row",
        "1\t2026-01-01\tfeed\thttps://carriage.example/\r",
        "",
        "1\t2026-07-02\tfeed\thttps://kept.example/\t\tmore columns"
      ])
      assert.deepStrictEqual(yield* CorpusFolder.readRows(file), {
        rows: [phishing("https://kept.example/", "2026-07-02")],
        damaged: 10,
        cutOff: []
      })
    }).pipe(Effect.scoped)
  )

  it.effect("reads several gzip members in one file, and the beginning of a file that is cut off", () =>
    Effect.gen(function* () {
      yield* onDay("2026-07-01")
      const path = yield* folder
      const member = (count: number, name: string) =>
        gzipSync(
          Array.from(
            { length: count },
            (_, i) => `1\t2026-01-01\tfeed\thttps://${name}${i * i * 7919}.example/\n`
          ).join("")
        )
      const whole = join(path, "whole.tsv.gz")
      writeFileSync(whole, Buffer.concat([member(2, "a"), member(3, "b")]))
      assert.lengthOf((yield* CorpusFolder.readRows(whole)).rows, 5)
      const cut = join(path, "cut.tsv.gz")
      const second = member(50_000, "c")
      writeFileSync(cut, Buffer.concat([member(2, "a"), second.subarray(0, second.length / 2)]))
      const read = yield* CorpusFolder.readRows(cut)
      assert.deepStrictEqual(read.cutOff, [cut])
      assert.strictEqual(read.damaged, 0)
      assert.isAbove(read.rows.length, 2)
      assert.isBelow(read.rows.length, 50_000)
    }).pipe(Effect.scoped)
  )

  it.effect("grows by a new file for each collection, and no file changes", () =>
    Effect.gen(function* () {
      yield* onDay("2026-07-02")
      const path = join(yield* folder, "new", "corpus")
      const rows = [phishing("https://a.example/ä"), benign("https://b.example/", "2026-07-02")]
      assert.deepStrictEqual(
        yield* CorpusFolder.append(path, rows),
        Option.some("collected-2026-07-02.tsv.gz")
      )
      const first = readFileSync(join(path, "collected-2026-07-02.tsv.gz"))
      assert.strictEqual(
        gunzipSync(first).toString(),
        "1\t2026-06-01\tfeed\thttps://a.example/ä\n0\t2026-07-02\tlist\thttps://b.example/\n"
      )
      const more = [phishing("https://c.example/")]
      assert.deepStrictEqual(
        yield* CorpusFolder.append(path, more),
        Option.some("collected-2026-07-02-2.tsv.gz")
      )
      assert.deepStrictEqual(
        yield* CorpusFolder.append(path, more),
        Option.some("collected-2026-07-02-3.tsv.gz")
      )
      assert.isTrue(readFileSync(join(path, "collected-2026-07-02.tsv.gz")).equals(first))
      assert.lengthOf(readdirSync(path), 3)
      assert.lengthOf((yield* CorpusFolder.read(path)).rows, 4)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves nothing half written where it cannot be written", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const file = join(path, "a-file")
      writeFileSync(file, "")
      const error = yield* Effect.flip(CorpusFolder.append(file, []))
      assert.deepInclude(error, { reason: "Unwritable", path: file, code: "EEXIST" })
      assert.deepInclude(yield* Effect.flip(CorpusFolder.read(join(path, "none"))), {
        reason: "Unreadable",
        code: "ENOENT"
      })
      assert.deepStrictEqual(readdirSync(path), ["a-file"])
      assert.isFalse(existsSync(join(path, "none")))
    }).pipe(Effect.scoped)
  )
})
