import { readdirSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = resolve(import.meta.dirname, "..")
const src = join(root, "src")

/** The box of the diagram in which a file stands. */
const boxOf = (file: string): string => {
  const [folder = "", ...rest] = relative(src, file).split("/")
  return rest.length === 0 ? "Programs" : folder
}

const IMPORT = /^\s*(?:import|export)\b[^"';]*?\bfrom\s+"(\.[^"]*)"|\bimport\("(\.[^"]*)"\)/gm

/** `A --> B` for each import that crosses a box, with one file that holds it. */
const imports: ReadonlyMap<string, string> = new Map(
  readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:ts|js)$/.test(name))
    .flatMap((name) => {
      const file = join(src, name)
      return [...readFileSync(file, "utf8").matchAll(IMPORT)]
        .map(([, from, dynamic]) => resolve(file, "..", from ?? dynamic ?? ""))
        .filter((target) => target.startsWith(src) && boxOf(target) !== boxOf(file))
        .map((target) => [`${boxOf(file)} --> ${boxOf(target)}`, name] as const)
    })
)

const arrows: ReadonlyArray<string> = (() => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8")
  const diagram = /```mermaid\n(.*?)```/s.exec(page)?.[1] ?? ""
  return diagram
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.includes("-->"))
})()

describe("the diagram in docs/architecture.md", () => {
  it("shows every import that crosses a folder", () => {
    const missing = [...imports].filter(([arrow]) => !arrows.includes(arrow))
    assert.deepStrictEqual(missing, [])
  })

  it("shows nothing else", () => {
    assert.deepStrictEqual(
      arrows.filter((arrow) => !imports.has(arrow)),
      []
    )
    assert.isAbove(arrows.length, 0)
  })

  it("points one way", () => {
    let left = arrows.map((arrow) => arrow.split(" --> "))
    for (let before = -1; before !== left.length; ) {
      before = left.length
      const importing = new Set(left.map(([from]) => from))
      // What leads to a box that imports nothing is no part of a circle.
      left = left.filter(([, to]) => importing.has(to))
    }
    assert.deepStrictEqual(left, [])
  })
})
