import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

describe("Dockerfile", () => {
  const dockerfile = read("Dockerfile")

  it("has the newest line of Node that CI tests", () => {
    const [, versions = ""] = /node: \[(.*)\]/.exec(read(".github/workflows/ci.yml")) ?? []
    const line = /^ARG NODE=(\d+)\.\d+\.\d+-\S+$/m.exec(dockerfile)?.[1]
    assert.strictEqual(line, versions.split(", ").at(-1))
  })

  it("labels the image with the name and the version of the package", () => {
    const { name, version } = JSON.parse(read("package.json"))
    const labels = Object.fromEntries(
      [...dockerfile.matchAll(/org\.opencontainers\.image\.([a-z.]+)="([^"]*)"/g)].map(([, key, value]) => [
        key,
        value
      ])
    )
    assert.deepInclude(labels, { title: name, version })
  })
})

describe("the workflow of releases", () => {
  const ci = read(".github/workflows/ci.yml")
  const release = read(".github/workflows/release.yml")

  it("tests the lines of Node that CI tests, in the same way", () => {
    const tests = (workflow: string) =>
      [/node: \[.*\]/, /container: .*/, /run: \.ci\/run/].map((pattern) => pattern.exec(workflow)?.[0])
    assert.deepStrictEqual(tests(release), tests(ci))
    assert.notInclude(tests(ci), undefined)
  })

  it("uses only actions of GitHub, at the version that CI has", () => {
    const uses = (workflow: string) => Array.from(workflow.matchAll(/uses: (.*)/g), ([, action]) => action)
    const [version = "no version"] = uses(ci).map((action) => action?.split("@")[1])
    for (const action of uses(release)) assert.match(action ?? "", new RegExp(`^actions/[a-z-]+@${version}$`))
  })

  it("releases only what has passed the tests", () => {
    for (const job of ["package", "image"])
      assert.match(release, new RegExp(`^  ${job}:\n    needs: test$`, "m"))
    assert.match(release, /^ {2}release:\n {4}needs: \[package, image\]$/m)
  })
})
