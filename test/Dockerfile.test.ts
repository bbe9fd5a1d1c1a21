import { readdirSync, readFileSync } from "node:fs"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

const nodeVersionsIn = (workflow: string) =>
  (/node: \[(.*)\]/.exec(read(`.github/workflows/${workflow}`))?.[1] ?? "").split(", ")

const nodeVersionsInCi = nodeVersionsIn("ci.yml")

describe("Dockerfile", () => {
  const dockerfile = read("Dockerfile")

  it("has the newest line of Node that CI tests", () => {
    const line = /^ARG NODE=(\d+)\.\d+\.\d+-\S+$/m.exec(dockerfile)?.[1]
    assert.strictEqual(line, nodeVersionsInCi.at(-1))
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

  for (const [env, port] of [
    [{}, 4000],
    [{ PORT: "5000", ADMIN_PORT: "" }, 5000],
    [{ PORT: "5000", ADMIN_PORT: "6000" }, 6000]
  ] as const)
    it(`has a health check that asks port ${port} with ${JSON.stringify(env)}`, () => {
      const command = JSON.parse(/^HEALTHCHECK .*?\bCMD (\[.*?\])$/ms.exec(dockerfile)?.[1] ?? "[]")
      assert.deepStrictEqual(command.slice(0, 2), ["node", "-e"])
      const asked: Array<string> = []
      runInNewContext(command[2], {
        process: { env },
        fetch: (url: string) => {
          asked.push(url)
          return new Promise(() => undefined)
        }
      })
      assert.deepStrictEqual(asked, [`http://127.0.0.1:${port}/health/live`])
    })
})

describe("compose.yaml", () => {
  it("publishes the service and its ADMIN_PORT to this machine only, at the ports that .env names", () => {
    const compose = read("compose.yaml")
    assert.include(compose, "\n      PORT: 4000\n      ADMIN_PORT: 4001\n")
    assert.deepStrictEqual(compose.match(/^ +- ".*:\d+"$/gm), [
      `      - "127.0.0.1:\${PORT:-4000}:4000"`,
      `      - "127.0.0.1:\${ADMIN_PORT:-4001}:4001"`
    ])
  })

  it("names images that dependabot updates, as it does those of the Dockerfile", () => {
    assert.match(read("compose.yaml"), /^ +image: \S+:\S+$/m)
    const ecosystems = read(".github/dependabot.yml").match(
      /(?<=package-ecosystem: ).+(?=\n {4}directory: \/$)/gm
    )
    assert.includeMembers([...(ecosystems ?? [])], ["docker", "docker-compose"])
  })
})

describe("the CI workflow", () => {
  const { node } = JSON.parse(read("package.json")).engines
  // The first releases in which integer-like strings do not collide (CVE-2026-21717).
  const oldest = ["20.20.2", "22.22.2", "24.14.1", "25.8.2"]

  it("tests the oldest Node that the package allows, and the lines 22 and 24", () => {
    assert.strictEqual(node, "^20.20.2 || ^22.22.2 || ^24.14.1 || >=25.8.2")
    assert.deepStrictEqual(nodeVersionsInCi, [oldest[0], "22", "24"])
  })

  it.each(["README.md", "client/README.md", "SECURITY.md", "deploy/systemd/url-threat-scoring.service"])(
    "tests the releases that %s names",
    (path) => {
      assert.deepStrictEqual(read(path).match(/\b2\d\.\d+\.\d+\b/g), oldest)
    }
  )

  it("audits the packages that run", () => {
    assert.match(read(".github/workflows/ci.yml"), /^ +- run: npm audit --omit=dev$/m)
  })
})

describe("the workflow of releases", () => {
  const release = read(".github/workflows/release.yml")

  it("releases only what has passed all of CI", () => {
    assert.match(release, /^ {2}ci:\n {4}needs: version\n {4}uses: \.\/\.github\/workflows\/ci\.yml$/m)
    for (const job of ["package", "image"])
      assert.match(release, new RegExp(`^  ${job}:\n    needs: ci$`, "m"))
    assert.match(release, /^ {2}release:\n {4}needs: \[package, image\]$/m)
  })
})

describe("the workflows", () => {
  const workflows = readdirSync(new URL("../.github/workflows", import.meta.url))

  it.each(workflows)("%s pins actions that are not GitHub's by their commit", (file) => {
    for (const [, action = ""] of read(`.github/workflows/${file}`).matchAll(/uses: (\S+@\S+)/g))
      assert.match(action, /^(?:actions\/.*|.*@[0-9a-f]{40})$/)
  })

  it("test the same lines of Node each night as for each change", () => {
    assert.deepStrictEqual(nodeVersionsIn("nightly.yml"), nodeVersionsIn("ci.yml"))
  })
})
