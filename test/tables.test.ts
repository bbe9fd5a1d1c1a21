import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { rowsOf } from "../scripts/tables.js"
import * as brands from "../src/Checkers/Heuristics/Brand/brands.schema.js"
import * as kinds from "../src/Checkers/Kinds/kinds.schema.js"
import * as hosts from "../src/Url/Hosts/hosts.schema.js"
import * as wrappers from "../src/Url/Submission/Wrapper/wrappers.schema.js"

const src = join(import.meta.dirname, "../src")

describe("each table", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".tsv")
  )

  it.each(files)("%s has rows that its schema accepts", async (name) => {
    const schema = await import(pathToFileURL(join(src, name.replace(/\.tsv$/, ".schema.js"))).href)
    assert.isNotEmpty(await rowsOf(readFileSync(join(src, name), "utf8"), schema, name))
  })
})

describe("a table of hosts", () => {
  const read = (...lines: ReadonlyArray<string>) =>
    rowsOf(["# A comment.", "name\troles\tcontent", ...lines].join("\n"), hosts, "hosts.tsv")

  const errorOf = (...lines: ReadonlyArray<string>) =>
    read(...lines).then(
      () => "none",
      (error: unknown) => String(error)
    )

  it("has an object for each row", async () => {
    assert.deepStrictEqual(
      await read("a.example\tshared shortener\t/* /*/*", "", "# More.", "b.example\t\t/**"),
      [
        { name: "a.example", roles: ["shared", "shortener"], content: ["/*", "/*/*"] },
        { name: "b.example", roles: [], content: ["/**"] }
      ]
    )
  })

  it("may have addresses", async () => {
    assert.deepStrictEqual(
      await read("192.0.2.1\tpublicResolver", "[2001:db8::1]\tpublicResolver"),
      ["192.0.2.1", "[2001:db8::1]"].map((name) => ({ name, roles: ["publicResolver"] }))
    )
  })

  it.each<[error: RegExp, lines: ReadonlyArray<string>]>([
    [
      /hosts\.tsv:5: a\.example is in hosts\.tsv:3 too/,
      ["a.example\tshared", "b.example\tshared", "a.example\tloaded"]
    ],
    [/hosts\.tsv:3: .*freeHosting dynamicDns exclude/s, ["a.example\tfreeHosting dynamicDns"]],
    [/hosts\.tsv:3: .*companyService carriesNames exclude/s, ["a.example\tcompanyService carriesNames"]],
    [/hosts\.tsv:3: .*\["name"\]/s, ["2001:db8::1\tpublicResolver"]],
    [/hosts\.tsv:3: .*shared tenants exclude/s, ["a.example\tshared tenants"]],
    [/hosts\.tsv:3: .*a role or a content is missing/s, ["a.example"]],
    [/hosts\.tsv:3: .*\["name"\]\s.*is missing/s, ["\tshared"]],
    [/hosts\.tsv:3: .*\["name"\]/s, ["A.example\tshared"]],
    [/hosts\.tsv:3: .*"shred"/s, ["a.example\tshred"]],
    [/hosts\.tsv:3: .*\["content"\]/s, ["a.example\tshared\tfile"]],
    [/hosts\.tsv:3: .*\["column 4"\]/s, ["a.example\tshared\t/*\tmore"]]
  ])("is refused with %s", async (error, lines) => {
    assert.match(await errorOf(...lines), error)
  })

  it("is refused with every error", async () => {
    assert.match(await errorOf("A\tshared", "b.example\tshred"), /hosts\.tsv:3: .*hosts\.tsv:4: /s)
  })
})

describe("a table", () => {
  it("may have line ends of Windows", async () => {
    const rows = await rowsOf("name\troles\r\na.example\tshared\r\n", hosts, "hosts.tsv")
    assert.deepStrictEqual(rows, [{ name: "a.example", roles: ["shared"] }])
  })

  it.each<[error: RegExp, text: string]>([
    [/^Error: hosts\.tsv:1: first line must name the columns: name, roles, content$/, "a.example\tshared"],
    [
      /^Error: hosts\.tsv:2: first line must name the columns: .*$/,
      "# Hosts.\nname\trules\na.example\tshared"
    ],
    [/^Error: hosts\.tsv:1: first line must name the columns: .*$/, "roles\tcontent\nshared\t/*"],
    [/^Error: hosts\.tsv: first line must name the columns: .*$/, "# None.\n"],
    [/hosts\.tsv: no rows/, "name\troles\n# None.\n"],
    [/hosts\.tsv:21: [\s\S]*\nand 5 more$/, `name\troles\n${"A\tshared\n".repeat(25)}`]
  ])("is refused with %s", async (error, text) => {
    const message = await rowsOf(text, hosts, "hosts.tsv").then(() => "none", String)
    assert.match(message, error)
  })
})

describe("a table of wrappers", () => {
  it.each<[error: RegExp, line: string]>([
    [/wrappers\.tsv:2: .*\["arguments"\]/s, "a.example\t/\tparameters\tu  q"],
    [/wrappers\.tsv:2: .*parameters needs arguments/s, "a.example\t/\tparameters"],
    [/wrappers\.tsv:2: .*is not a regular expression/s, "a.example\t/\tsiteAfter\t^/(a"]
  ])("is refused with %s", async (error, line) => {
    const text = `hosts\tpath\tdestination\targuments\n${line}`
    const message = await rowsOf(text, wrappers, "wrappers.tsv").then(() => "none", String)
    assert.match(message, error)
  })
})

describe("a table of brands", () => {
  const read = (...lines: ReadonlyArray<string>) =>
    rowsOf(["names\tdomains\tsector\tflags\tspellings", ...lines].join("\n"), brands, "brands.tsv")

  it("has several brands of a firm where a plus says so", async () => {
    const rows = await read(
      "alpha beta\talpha.example *.de\tbank\tmisspelled:beta\tAlpha, BETA",
      "gamma\t+alpha.example *.de\tbank\teveryday"
    )
    assert.deepStrictEqual(rows, [
      {
        names: ["alpha", "beta"],
        domains: ["alpha.example", "*.de"],
        sector: "bank",
        flags: ["misspelled:beta"],
        spellings: ["Alpha", "BETA"]
      },
      {
        names: ["gamma"],
        domains: ["+alpha.example", "*.de"],
        sector: "bank",
        flags: ["everyday"],
        spellings: []
      }
    ])
  })

  it.each<[error: RegExp, lines: ReadonlyArray<string>]>([
    [
      /brands\.tsv:3: alpha\.example is in brands\.tsv:2 too/,
      ["alpha\talpha.example\tbank", "beta\talpha.example\tbank"]
    ],
    [
      /brands\.tsv:3: alpha is in brands\.tsv:2 too/,
      ["alpha\ta.example\tbank", "beta alpha\tb.example\tbank"]
    ],
    [/brands\.tsv:2: alpha is in brands\.tsv:2 too/, ["alpha alpha\ta.example\tbank"]],
    [/brands\.tsv:2: a\.example is in no other row/, ["alpha\t+a.example\tbank"]],
    [/brands\.tsv:2: .*a\.example is there twice/s, ["alpha\ta.example +a.example\tbank"]],
    [/brands\.tsv:2: .*misspelled:beta names no name/s, ["alpha\ta.example\tbank\tmisspelled:beta"]],
    [/brands\.tsv:2: .*everyday:alpha/s, ["alpha\ta.example\tbank\teveryday:alpha"]],
    [/brands\.tsv:2: .*Beta spells no name/s, ["alpha\ta.example\tbank\t\tBeta"]],
    [/brands\.tsv:2: .*ALPHA spells no name/s, ["alpha\ta.example\tbank\t\tAlpha, ALPHA"]],
    [/brands\.tsv:2: .*\["sector"\]/s, ["alpha\ta.example"]],
    [/brands\.tsv:2: .*the first domain is not a whole one/s, ["alpha\talpha.* a.example\tbank"]]
  ])("is refused with %s", async (error, lines) => {
    const message = await read(...lines).then(
      () => "none",
      (failure: unknown) => String(failure)
    )
    assert.match(message, error)
  })
})

describe("the table of kinds", () => {
  const read = (details: string, sentence: string) =>
    rowsOf(
      [
        "kind\tchecker\tstrength\tdetails\tsentence\tmeaning",
        `other\tfeeds\t50\t${details}\t${sentence}\tmeans it`
      ].join("\n"),
      kinds,
      "kinds.tsv"
    )

  it("has the sentences, and what they show", async () => {
    assert.deepStrictEqual(await read("list threat?", "{innerHost:}It {harm} | {list} has it"), [
      {
        kind: "other",
        checker: "feeds",
        strength: 50,
        details: ["list", "threat?"],
        sentence: ["{innerHost:}It {harm}", "{list} has it"],
        meaning: "means it"
      }
    ])
  })

  it("has no sentence that shows something else", async () => {
    for (const name of ["hots", "harm", "unread:TooMany"]) {
      const error = await read("host", `It is {${name}} of {host}`).catch(String)
      assert.include(error, `kinds.tsv:2: `)
      assert.include(error, `${name.split(":")[0]} is not one of its details`)
    }
  })
})
