import { assert, describe, it } from "@effect/vitest"
import wrappers from "../../../src/Url/Submission/Wrapper/wrappers.tsv"
import * as Wrapper from "../../../src/Url/Submission/Wrapper.ts"

const { translatedSite, urlDefense2, urlDefense3 } = Wrapper.destinations

describe("isNear", () => {
  it("is true of all hosts of wrappers, and of the domains above them", () => {
    const hosts = wrappers.flatMap(({ hosts }) => hosts.map((host) => host.replace("*", "tenant")))
    for (const host of [...hosts, "www.google.de", "google.co.uk"])
      for (const name of [host, host.split(".").slice(-2).join(".")])
        assert.isTrue(Wrapper.isNear(name) || name === "co.uk", name)
  })

  it.each(["example.com", "192.0.2.1", "[2001:db8::1]", "localhost"])("is false of %s", (host) =>
    assert.isFalse(Wrapper.isNear(host))
  )
})

describe("version 3 of URL Defense", () => {
  const decoded = (path: string, query = "") => urlDefense3({ host: "urldefense.com", path, query })

  it.each<[address: string, replaced: string, expected: string]>([
    ["https://a.example/x", "", "https://a.example/x"],
    ["https://a.example/*x*y", Buffer.from("#!").toString("base64"), "https://a.example/#x!y"],
    ["https://a.example/**Ax**By", Buffer.from("##!!!").toString("base64"), "https://a.example/##x!!!y"],
    ["https://*.example/", Buffer.from("\u00fc").toString("base64url"), "https://\u00fc.example/"],
    ["https://a.example/***A", Buffer.from("abc").toString("base64"), "https://a.example/abc"],
    ["https://a.example/*x", "", "https://a.example/x"]
  ])("%s with %o is %s", (address, replaced, expected) =>
    assert.deepStrictEqual(decoded(`/v3/__${address}__;${replaced}!!token!more$`), [expected])
  )

  it("reads an address with a query", () =>
    assert.deepStrictEqual(decoded("/v3/__https://a.example/", "b=1__;!!token$"), ["https://a.example/?b=1"]))

  it("replaces by nothing if no mark ends the characters", () =>
    assert.deepStrictEqual(decoded("/v3/__https://a.example/*x__;Iw"), ["https://a.example/x"]))

  it.each(["/v3/", "/v3/__https://a.example/", "/v3/https://a.example/__;"])("reads nothing in %s", (path) =>
    assert.deepStrictEqual(decoded(path), [])
  )
})

describe("version 2 of URL Defense", () => {
  it("writes percent signs as hyphens and slashes as underscores", () =>
    assert.deepStrictEqual(
      urlDefense2({
        host: "urldefense.proofpoint.com",
        path: "/v2/url",
        query: "u=https-3A__a-2Db.example_c-5Fd-3Fe-3D1&d=DwMF"
      }),
      ["https%3A//a%2Db.example/c%5Fd%3Fe%3D1"]
    ))
})

describe("a translated site", () => {
  it.each<[host: string, query: string, expected: string]>([
    ["www-example-org", "_x_tr_sl=auto&_x_tr_tl=en", "https://www.example.org/a"],
    ["my--shop-example-com", "", "https://my-shop.example.com/a"],
    ["example-com", "id=1&_x_tr_sl=auto&b=2", "https://example.com/a?id=1&b=2"],
    ["ong-name-example", "_x_tr_hp=www-l", "https://www.long.name.example/a"],
    ["ong-name-example", "id=%31&%5Fx_tr_hp=www%2Dl", "https://www.long.name.example/a?id=%31"],
    ["ong-name-example", "_x_tr_hp=www-l&_x_tr_hp=b", "https://www.long.name.example/a"],
    ["1-en---us-example", "_x_tr_enc=1", "https://en--us.example/a"],
    ["0-bcher--kva-example", "_x_tr_enc=0", "https://xn--bcher-kva.example/a"],
    ["1-0---16pw588q-example", "_x_tr_enc=0%2C1", "https://xn---16pw588q.example/a"],
    ["0-example-com", "", "https://0.example.com/a"]
  ])("under %s with %o is %s", (name, query, expected) =>
    assert.deepStrictEqual(translatedSite({ host: `${name}.translate.goog`, path: "/a", query }), [expected])
  )

  it.each([
    "2amaz2k3y3sygvtpcfsi3yodqe-abcdefghij12345-www-example-com",
    "2amaz2k3y3sygvtpcfsi3yodqe--www-example-com"
  ])("under %s, which has hashes, cannot be read", (name) =>
    assert.deepStrictEqual(translatedSite({ host: `${name}.translate.goog`, path: "/a", query: "" }), [])
  )
})
