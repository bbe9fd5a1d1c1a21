import { readdirSync, readFileSync } from "node:fs"
import { basename, extname, join, relative, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = resolve(import.meta.dirname, "..")
const src = join(root, "src")
const client = join(root, "client")

/** `import`, `export ... from` and `import(...)`, of types too, in code and in JSDoc. */
const IMPORT =
  /^[\s*/]*(?:@import|import|export)\b[^"';]*?\bfrom\s+"(\.[^"]*)"|^\s*import\s+"(\.[^"]*)"|\bimport\("(\.[^"]*)"\)/gm

/** The files below a folder, by their paths below it, with the files that they import. */
const importsOf = (folder: string): ReadonlyArray<readonly [name: string, targets: ReadonlyArray<string>]> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:ts|js)$/.test(name))
    .map((name) => {
      const file = join(folder, name)
      const targets = Array.from(readFileSync(file, "utf8").matchAll(IMPORT), ([, from, effect, dynamic]) =>
        resolve(file, "..", from ?? effect ?? dynamic ?? "")
      )
      return [name, targets] as const
    })

/** Each file of `src`, by its path below `src`, with the files that it imports. */
const importsByFile: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  importsOf(src).map(([name, targets]) => [
    name,
    targets.filter((target) => target.startsWith(src)).map((target) => relative(src, target))
  ])
)

/** The box of a file in the diagram. */
const boxOf = (file: string): string => {
  const [folder = "", ...rest] = file.split("/")
  if (rest.length > 0) return folder
  return folder === "Text.ts" ? "Text" : "Programs"
}

/** `A --> B` for each import between two boxes, with one file that has it. */
const arrowsOfImports: ReadonlyMap<string, string> = new Map(
  [...importsByFile].flatMap(([file, targets]) =>
    targets
      .filter((target) => boxOf(target) !== boxOf(file))
      .map((target) => [`${boxOf(file)} --> ${boxOf(target)}`, file] as const)
  )
)

const arrowsOfDiagram: ReadonlyArray<string> = (() => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8")
  const diagram = /```mermaid\n(.*?)```/s.exec(page)?.[1] ?? ""
  return diagram
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.includes("-->"))
})()

/**
 * Returns the groups of nodes that reach each other.
 *
 * For `a -> b`, `b -> a`, `b -> c` it is `[["a", "b"]]`.
 */
const circles = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const reachable = new Map(
    Array.from(graph.keys(), (start) => {
      const found = new Set(graph.get(start))
      // A set iterates over what is added meanwhile, too.
      for (const node of found) for (const next of graph.get(node) ?? []) found.add(next)
      return [start, found] as const
    })
  )
  const groups = Array.from(reachable, ([start, found]) =>
    [...found].filter((node) => reachable.get(node)?.has(start)).sort()
  )
  return [...new Map(groups.filter(({ length }) => length > 0).map((group) => [group[0], group])).values()]
}

/** The number of names in each folder of `src`. A file and a folder of the same name count as one. */
const namesByFolder = (): ReadonlyMap<string, number> => {
  const folders = new Map<string, Set<string>>()
  for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
    const folder = relative(src, entry.parentPath)
    const name = entry.isDirectory() ? entry.name : basename(entry.name, extname(entry.name))
    folders.set(folder, (folders.get(folder) ?? new Set()).add(name))
  }
  return new Map(Array.from(folders, ([folder, names]) => [folder, names.size]))
}

/** The folder or file inside `parent` to which a file belongs. The face file of a folder is part of it. */
const partOf = (parent: string, file: string): string =>
  (file.slice(parent.length).split("/")[0] ?? "").replace(/\.(?:ts|js)$/, "")

/**
 * The circles of imports between the parts of each folder, by its path.
 *
 * With `A/x.ts -> B.ts` and `B/y.ts -> A.ts` in `Lists` it has `["Lists/", ["A", "B"]]`.
 */
const circlesByFolder = (): ReadonlyArray<readonly [folder: string, parts: ReadonlyArray<string>]> =>
  ["", ...boxes.map((box) => `${box}/`), ...innerFolders().map((folder) => `${folder}/`)].flatMap(
    (parent) => {
      const graph = new Map<string, Array<string>>()
      for (const [file, targets] of importsByFile) {
        if (!file.startsWith(parent)) continue
        const part = partOf(parent, file)
        const others = targets
          .filter((target) => target.startsWith(parent))
          .map((target) => partOf(parent, target))
          .filter((other) => other !== part)
        graph.set(part, [...(graph.get(part) ?? []), ...others])
      }
      for (const part of [...graph.values()].flat()) if (!graph.has(part)) graph.set(part, [])
      return circles(graph).map((parts) => [parent, parts] as const)
    }
  )

const MAX_NAMES_PER_FOLDER = 12

/** The folders without a face file, which docs/architecture.md names. */
const facelessFolders = ["Http/Pages/App", "Http/Pages/Docs", "Layers/Time"]

const boxes = ["Http", "Checkers", "Lists", "Text", "Url", "Layers"]

/** The folders inside `Http`, `Checkers`, `Lists`, `Text`, `Url` and `Layers`. */
const innerFolders = (): ReadonlyArray<string> =>
  boxes.flatMap((box) =>
    readdirSync(join(src, box), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => relative(src, join(entry.parentPath, entry.name)))
  )

describe("the diagram in docs/architecture.md", () => {
  it("shows every import between folders", () => {
    const missing = [...arrowsOfImports].filter(([arrow]) => !arrowsOfDiagram.includes(arrow))
    assert.deepStrictEqual(missing, [])
  })

  it("shows no other arrow", () => {
    assert.deepStrictEqual(
      arrowsOfDiagram.filter((arrow) => !arrowsOfImports.has(arrow)),
      []
    )
    assert.isAbove(arrowsOfDiagram.length, 0)
  })

  it("has no circle", () => {
    const graph = new Map<string, Array<string>>()
    for (const arrow of arrowsOfDiagram) {
      const [from = "", to = ""] = arrow.split(" --> ")
      graph.set(from, [...(graph.get(from) ?? []), to])
    }
    assert.deepStrictEqual(circles(graph), [])
  })
})

describe("src", () => {
  it("has no circle of imports between files, type imports included", () => {
    assert.deepStrictEqual(circles(importsByFile), [])
  })

  it("has no circle of imports between folders", () => {
    assert.deepStrictEqual(circlesByFolder(), [])
  })

  it.each([
    ["Url", ["Url", "Layers"]],
    ["Text", ["Text", "Url"]],
    ["Lists", ["Lists", "Url", "Layers"]],
    ["Checkers", ["Checkers", "Lists", "Url", "Layers"]],
    ["Layers", ["Layers"]]
  ])("imports into %s only from %s", (box, allowed) => {
    const others = [...importsByFile].flatMap(([file, targets]) =>
      boxOf(file) === box
        ? targets.filter((target) => boxOf(target) !== "Programs" && !allowed.includes(boxOf(target)))
        : []
    )
    assert.deepStrictEqual(others, [])
  })

  it(`has at most ${MAX_NAMES_PER_FOLDER} names in a folder`, () => {
    const large = [...namesByFolder()].filter(([, names]) => names > MAX_NAMES_PER_FOLDER)
    assert.deepStrictEqual(large, [])
  })

  it("has a file of the same name beside each folder", () => {
    const faceless = innerFolders().filter((folder) => !importsByFile.has(`${folder}.ts`))
    assert.deepStrictEqual(faceless, facelessFolders)
  })
})

describe("client", () => {
  it("imports only the contract of src, and one function of it", () => {
    const targets = importsOf(join(client, "src")).flatMap(([, targets]) => targets)
    assert.deepStrictEqual(
      [...new Set(targets.filter((target) => !target.startsWith(client)))]
        .map((target) => relative(src, target))
        .sort(),
      [
        "Checkers/Checker/CheckerNames.ts",
        "Checkers/Kinds/KindNames.ts",
        "Http/Api/Limits.ts",
        "Layers/Outbound/Headers.ts"
      ]
    )
  })

  it.each(["src", "test", "scripts"])("is not imported by %s", (folder) => {
    const importing = importsOf(join(root, folder)).filter(([, targets]) =>
      targets.some((target) => target.startsWith(client))
    )
    assert.deepStrictEqual(importing, [])
  })
})
