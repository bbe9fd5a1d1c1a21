import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { grouped } from "../src/Lists/RefreshedList/ListLog.ts"
import { documentRequest } from "../src/Lists/ThreatFeed/FeedRefresh.ts"
import { VERSION } from "../src/Lists/ThreatList/ThreatListBytes.ts"

const root = join(import.meta.dirname, "..")

const read = (path: string) => readFileSync(join(root, path), "utf8")

const files = [
  "compose.yaml",
  ...readdirSync(join(root, "deploy"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath.slice(root.length + 1), entry.name))
].sort()

/** The texts that a pattern finds, each once. */
const found = (text: string, pattern: RegExp): ReadonlyArray<string> => [
  ...new Set(Array.from(text.matchAll(pattern), ([whole, group]) => group ?? whole))
]

const metrics = found(read("docs/metrics.md"), /^\| `([a-z0-9_]+)` \|/gm)

/** The series of a histogram have its name and an ending. */
const metricOf = (series: string) => series.replace(/_(?:bucket|sum|count)$/, "")

const settings = [
  ...found(read("docs/configuration.md"), /`([A-Z][A-Z0-9_]*[A-Z0-9])`/g),
  // docs/configuration.md has the variables of FEED_A for all four feeds.
  ...["URL", "FORMAT", "AUTH_HEADER", "REFRESH", "RETENTION"].flatMap((name) =>
    ["B", "C", "D"].map((slot) => `FEED_${slot}_${name}`)
  )
]

/** Variables of other programs, and words in capitals that are none. */
const notOurs = [
  /^NODE_ENV$/,
  // glibc.
  /^MALLOC_TRIM_THRESHOLD_$/,
  // SRH and Erlang, in compose.yaml.
  /^(?:SRH|RELEASE)_/,
  // systemd.
  /^AF_(?:INET6?|UNIX|NETLINK)$/
]

/** Of a record: its row and its place in the order while a list is built, and the list, of which there may be two. */
const ROW_BYTES = 20 + 8
const LISTED_BYTES = 23
const FEEDS = 4
/** docs/operations.md has the memory at rest. */
const REST_BYTES = 120_000_000

describe("deploy", () => {
  it("has memory for four lists of the largest size, which are all built anew at once", () => {
    const limit = /limits: \{ memory: (\d+)Mi \}/.exec(read("deploy/kubernetes/url-threat-scoring.yaml"))?.[1]
    const { maxKeys } = documentRequest({
      url: new URL("https://example.com/"),
      format: "lines",
      authHeader: Option.none()
    }).limits
    const bytes = REST_BYTES + FEEDS * maxKeys * (ROW_BYTES + 2 * LISTED_BYTES)
    assert.isAtMost(bytes, Number(limit) * 2 ** 20)
    assert.include(read("docs/operations.md"), grouped(maxKeys))
  })

  it.each(files)("%s names only metrics of docs/metrics.md", (file) => {
    const named = found(read(file), /\b(?:threat_scoring|nodejs|process)_[a-z0-9_]+/g).map(metricOf)
    assert.deepStrictEqual(
      named.filter((name) => !metrics.includes(name)),
      []
    )
  })

  it.each(files)("%s names only settings of docs/configuration.md", (file) => {
    const named = found(read(file), /(?<![\w$])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?!\w)/g)
    assert.deepStrictEqual(
      named.filter((name) => !settings.includes(name) && !notOurs.some((pattern) => pattern.test(name))),
      []
    )
  })

  it.each(files)("%s names only documents and headings that exist", (file) => {
    const broken = Array.from(read(file).matchAll(/(docs\/[\w-]+\.md)(?:, \\?"([\w ]+)\\?")?/g)).filter(
      ([, path = "", heading]) =>
        !existsSync(join(root, path)) ||
        (heading !== undefined && !new RegExp(`^#+ ${heading}$`, "m").test(read(path)))
    )
    assert.deepStrictEqual(
      broken.map(([text]) => text),
      []
    )
  })

  it("shows each metric of the service in the dashboard", () => {
    const shown = found(read("deploy/grafana/url-threat-scoring.json"), /\bthreat_scoring_[a-z_]+/g).map(
      metricOf
    )
    assert.deepStrictEqual(
      metrics.filter((name) => name.startsWith("threat_scoring_") && !shown.includes(name)),
      []
    )
  })

  it.each(["grafana/url-threat-scoring.json", "prometheus/alerts.yml"])(
    "counts the requests of both routes of checks: %s",
    (file) => {
      assert.notMatch(read(`deploy/${file}`), /http_requests_total\{route!?=\\?"/)
    }
  )

  it.skipIf(spawnSync("promtool", ["--version"]).error !== undefined)(
    "has alerts that pass promtool and their own tests",
    () => {
      const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", "alerts.test.yml"], {
        cwd: join(root, "deploy/prometheus"),
        encoding: "utf8"
      })
      assert.strictEqual(status, 0, stdout + stderr)
    }
  )

  it("tests each alert that it has", () => {
    const tested = found(read("deploy/prometheus/alerts.test.yml"), /alertname[:=] ?"?(\w+)/g)
    const alerts = found(read("deploy/prometheus/alerts.yml"), /- alert: (\w+)/g)
    assert.sameMembers([...tested], [...alerts])
  })
})

describe("the settings of a proxy", () => {
  it.each(["deploy/nginx/url-threat-scoring.conf", "deploy/caddy/Caddyfile"])(
    "%s forwards the port of the service, and not that of health and metrics",
    (file) => {
      const lines = read(file)
        .split("\n")
        .filter((line) => !line.trim().startsWith("#"))
        .join("\n")
      assert.include(lines, "127.0.0.1:4000")
      assert.notInclude(lines, "4001")
      assert.include(read(file), "HOST=127.0.0.1 PORT=4000 ADMIN_PORT=4001 TRUSTED_PROXIES=1")
    }
  )
})

describe("the limit of connections in nginx", () => {
  const config = read("deploy/nginx/url-threat-scoring.conf")

  it("is of the clients that the map makes of addresses", () => {
    assert.match(
      config,
      /^map \$binary_remote_addr \$scoring_client \{\n {4}default \$binary_remote_addr;\n {4}"~[^"]+" \$scoring_network;\n\}\nlimit_conn_zone \$scoring_client zone=scoring_clients:1m;$/m
    )
    assert.include(config, "    limit_conn scoring_clients 64;\n")
  })

  it("counts the /64 of an IPv6 address, and an IPv4 address", () => {
    // In nginx the flag `(?s)` and the end `\z` of PCRE, here `s` and `$`.
    const pattern = /^ {4}"~\(\?s\)(\S+)\\z"/m.exec(config)?.[1] ?? ""
    const clientOf = (bytes: ReadonlyArray<number>) => {
      const text = String.fromCharCode(...bytes)
      return new RegExp(`${pattern}$`, "s").exec(text)?.groups?.scoring_network ?? text
    }
    const network = [0x20, 0x01, 0x0d, 0xb8, 0, 10, 0, 2]
    const ofNetwork = [0, 10, 255].map((last) => clientOf([...network, 0, 0, 0, 0, 0, 0, 0, last]))
    assert.deepStrictEqual(
      ofNetwork,
      ofNetwork.map(() => String.fromCharCode(...network))
    )
    assert.strictEqual(clientOf([192, 0, 2, 1]), String.fromCharCode(192, 0, 2, 1))
  })
})

describe("/api/checks behind nginx", () => {
  it("leaves no URL on the disk, neither of the request nor of the response", () => {
    const [block] = found(
      read("deploy/nginx/url-threat-scoring.conf"),
      /location = \/api\/checks \{([^}]*)\}/g
    )
    const [, body] = /client_max_body_size (\w+);/.exec(block ?? "") ?? []
    assert.include(block, `client_body_buffer_size ${body};`)
    assert.include(block, "proxy_max_temp_file_size 0;")
  })
})

describe("/share behind nginx", () => {
  it("is in no log, errors included", () => {
    const blocks = found(read("deploy/nginx/url-threat-scoring.conf"), /location = \/share \{([^}]*)\}/g)
    assert.isNotEmpty(blocks)
    for (const block of blocks) {
      assert.include(block, "access_log off;")
      assert.include(block, "error_log /dev/null emerg;")
    }
  })
})

describe("compose.yaml", () => {
  const compose = read("compose.yaml")
  const services = compose.slice(compose.indexOf("\nservices:"), compose.indexOf("\nvolumes:"))
  const blocks = services.split(/^(?= {2}[a-z-]+:$)/m).slice(1)

  it("gives the service every setting of .env", () => {
    assert.include(blocks[0], "env_file: .env\n")
  })

  it.each(["compose.yaml", "docs/operations.md"])(
    "gets its .env, which has keys, readable by its owner only in %s",
    (file) => {
      assert.deepStrictEqual(found(read(file), /^(?:# *)?(.*\.env\.example .*)$/gm), [
        "install -m 600 .env.example .env"
      ])
    }
  )

  it("hardens each service", () => {
    assert.isNotEmpty(blocks)
    for (const block of blocks) {
      assert.include(block, "read_only: true\n")
      assert.include(block, "cap_drop: [ALL]\n")
      assert.include(block, "no-new-privileges:true")
    }
  })
})

describe("the Kubernetes manifest", () => {
  const manifest = read("deploy/kubernetes/url-threat-scoring.yaml")

  it("keeps the variables of other Services away, and asks the port of health", () => {
    assert.match(manifest, /^ {6}enableServiceLinks: false$/m)
    assert.match(manifest, /readinessProbe:\n +httpGet: \{ path: \/health\/ready, port: admin \}/)
    assert.match(manifest, /livenessProbe:\n +httpGet: \{ path: \/health\/live, port: admin \}/)
    assert.include(manifest, "readOnlyRootFilesystem: true")
  })

  it("opens ADMIN_PORT to Prometheus only, and the other port to all", () => {
    const policies = manifest.split(/^---$/m).filter((text) => text.includes("\nkind: NetworkPolicy\n"))
    assert.lengthOf(policies, 1)
    const [selection = "", ...rules] = (policies[0] ?? "").split(/^ {4}- ports:$/m)
    const pods =
      "\n  template:\n    metadata:\n      labels: { app.kubernetes.io/name: url-threat-scoring }\n"
    assert.include(manifest, pods)
    assert.include(
      selection,
      "\n  podSelector:\n    matchLabels: { app.kubernetes.io/name: url-threat-scoring }\n  policyTypes: [Ingress]\n"
    )
    assert.deepStrictEqual(
      rules.map((rule) => [/port: (\w+)/.exec(rule)?.[1], rule.includes("from:")]),
      [
        ["http", false],
        ["admin", true]
      ]
    )
    assert.include(
      rules[1] ?? "",
      "podSelector:\n            matchLabels: { app.kubernetes.io/name: prometheus }"
    )
    for (const port of ["http", "admin"]) assert.include(manifest, `- { name: ${port}, containerPort: `)
  })

  it("lets one pod at a time be taken, of those that the StatefulSet makes", () => {
    const labels = "{ app.kubernetes.io/name: url-threat-scoring }"
    const documents = manifest.split(/^---$/m)
    const ofKind = (kind: string) => {
      const found = documents.filter((text) => text.includes(`\nkind: ${kind}\n`))
      assert.lengthOf(found, 1)
      return found[0] ?? ""
    }
    const budget = ofKind("PodDisruptionBudget")
    assert.include(budget, "\napiVersion: policy/v1\n")
    assert.include(budget, "\n  maxUnavailable: 1\n")
    const selector = `\n  selector:\n    matchLabels: ${labels}\n`
    assert.include(budget, selector)
    assert.include(ofKind("StatefulSet"), selector)
    assert.include(ofKind("StatefulSet"), `\n  template:\n    metadata:\n      labels: ${labels}\n`)
  })

  it("has the version of the package", () => {
    const { version } = JSON.parse(read("package.json"))
    assert.include(manifest, `/url-threat-scoring:${version}\n`)
  })
})

describe("a release", () => {
  const workflow = read(".github/workflows/release.yml")
  const jobs = new Map(
    workflow
      .slice(workflow.indexOf("\njobs:\n"))
      .split(/^(?= {2}[a-z]+:$)/m)
      .map((text) => [/^ {2}([a-z]+):$/m.exec(text)?.[1], text])
  )

  it.each([
    ["package", "npm pack --workspace client", /^ {10}subject-path: url-threat-scoring-\*$/m],
    [
      "image",
      'docker push "$IMAGE"',
      /^ {10}subject-name: ghcr\.io\/\$\{\{ github\.repository \}\}\n {10}subject-digest: \$\{\{ env\.DIGEST \}\}\n {10}push-to-registry: true$/m
    ]
  ])("has a provenance of what the job %s makes", (name, command, subject) => {
    const job = jobs.get(name) ?? ""
    for (const permission of ["id-token: write", "attestations: write"])
      assert.include(job, `\n      ${permission}\n`)
    const [before = "", after = ""] = job.split("- uses: actions/attest-build-provenance@")
    assert.include(before, command)
    assert.match(after, subject)
  })
})

describe("the changelog", () => {
  it("names the version of the files of lists", () => {
    const text = read("CHANGELOG.md")
    assert.include(text, `Files of lists have version ${VERSION}.`)
    assert.include(text, `\`feed_a.${VERSION}.list\`: no second file`)
  })

  it("has a section for the version of the package, as release.yml requires", () => {
    const { version } = JSON.parse(read("package.json"))
    assert.match(read("CHANGELOG.md"), new RegExp(`^## ${version} - [0-9]{4}-[0-9]{2}-[0-9]{2}$`, "m"))
  })
})
