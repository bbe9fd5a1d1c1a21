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
