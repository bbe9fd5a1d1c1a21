import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = resolve(import.meta.dirname, "..")

const pages = ["", "client", "docs", "bench", "training"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))
)

/** The anchors of headings, as code hosts make them: `## What it is` has `what-it-is`. */
const anchorsOf = (markdown: string): ReadonlyArray<string> =>
  Array.from(markdown.matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
  )

const withoutCode = (markdown: string): string => markdown.replace(/^```.*?^```/gms, "")

/** The relative targets of `[text](target)`. */
const linksOf = (markdown: string): ReadonlyArray<string> =>
  Array.from(withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target).filter(
    (target) => !/^[a-z]+:/.test(target)
  )

const isBroken = (page: string, link: string): boolean => {
  const [path = "", anchor] = link.split("#")
  const file = path === "" ? join(root, page) : resolve(root, page, "..", path)
  if (relative(root, file).startsWith("..") || !existsSync(file)) return true
  return anchor !== undefined && !anchorsOf(readFileSync(file, "utf8")).includes(anchor)
}

describe("links between files and headings", () => {
  it.each(pages)("work in %s", (page) => {
    const links = linksOf(readFileSync(join(root, page), "utf8"))
    assert.deepStrictEqual(
      links.filter((link) => isBroken(page, link)),
      []
    )
  })
})
