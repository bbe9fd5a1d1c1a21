import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as Hosts from "../../src/Url/Hosts.ts"
import * as PublicSuffix from "../../src/Url/PublicSuffix.ts"
import { anyCharacter } from "../fixtures/AnyCharacter.ts"

describe("isShared", () => {
  it.each([
    ["a public suffix of a registry", ["com", "co.uk", "gov.uk"]],
    [
      "a public suffix of a company",
      [
        "vercel.app",
        "github.io",
        "blogspot.com",
        "blogspot.de",
        "byethost7.com",
        "esy.es",
        "pages.dev",
        "s3.amazonaws.com"
      ]
    ],
    [
      "a region of many tenants",
      ["ams3.digitaloceanspaces.com", "eu-west-1.compute.amazonaws.com", "a.run.app", "com.ck"]
    ],
    [
      "a very popular site and its subdomains",
      ["google.com", "docs.google.com", "sites.google.com", "www.paypal.com"]
    ],
    [
      "Google in a country",
      ["google.pl", "www.google.com.mx", "google.co.za", "www.google.de", "www.google.cat"]
    ],
    ["a code host", ["github.com", "gist.github.com", "raw.githubusercontent.com"]],
    ["a form platform", ["forms.office.com", "form.jotform.com"]],
    ["a shortener", ["bit.ly", "www.bit.ly", "tinyurl.com"]],
    ["a page of links, a newsletter, an upload", ["beacons.ai", "mailchi.mp", "www.we.tl", "pixeldrain.com"]],
    ["a host of links in newsletters", ["mandrillapp.com", "us4.list-manage.com", "hubspotlinks.com"]],
    ["a firm whose customers have a subdomain", ["beehiiv.com", "www.squarespace.com", "gumroad.com"]],
    [
      "a host of such a firm with pages of many customers",
      ["h5.youzan.com", "detail.youzan.com", "k.weidian.com", "form.mikecrm.com"]
    ],
    [
      "the platform behind tenants that the list does not know",
      ["weebly.com", "www.weebly.com", "storage.googleapis.com"]
    ],
    [
      "whoever gives anybody a name",
      [
        "linkpc.net",
        "www.linkpc.net",
        "temporary.site",
        "neocities.org",
        "rentry.co",
        "ydns.io",
        "strangled.net",
        "lnk.to",
        "formaloo.net",
        "start.page",
        "pe.hu",
        "z13.web.core.windows.net",
        "cloud-object-storage.appdomain.cloud",
        "s1.webspace.re"
      ]
    ],
    [
      "a service that firms have under their own name, and a network whose names contain theirs",
      ["freshservice.com", "www.site.com", "service-now.com", "edgesuite.net", "fastly.net"]
    ],
    ["the site of a firm before its public suffix", ["www.vercel.app", "www.github.io"]]
  ])("%s is shared", (_, hosts) => {
    for (const host of hosts) assert.isTrue(Hosts.isShared(host), host)
  })

  it.each([
    [
      "an ordinary host",
      ["example.com", "www.example.co.uk", "google.com.example.net", "notgoogle.com", "xn--gogle-jua.com"]
    ],
    [
      "a namesake of Google that no country has",
      ["google.info", "google.pl.example.net", "my-google.pl", "googleapis.pl"]
    ],
    [
      "a tenant under a private public suffix",
      ["tenant.vercel.app", "www.tenant.vercel.app", "user.github.io", "x.blogspot.com"]
    ],
    [
      "a tenant under a name of the table",
      [
        "tenant.weebly.com",
        "tenant.freshservice.com",
        ...[
          "start.page",
          "surveysparrow.com",
          "htmlpasta.com",
          "trk.elasticemail.com",
          "pse.is",
          "knack.com",
          "biglink.to",
          "mikecrm.com",
          "postype.com",
          "beon.ru",
          "foren-city.de",
          "iphpbb.com",
          "iphpbb3.com",
          "superprofile.bio",
          "symbaloo.com",
          "wikiwiki.jp",
          "m.youzan.com",
          "v.weidian.com",
          "viewer.maka.im",
          "pro.tok2.com",
          "formester.com"
        ].map((firm) => `tenant.${firm}`),
        "www.example.com.edgesuite.net",
        "bucket.storage.googleapis.com",
        "www.tenant.weebly.com",
        "tenant.squarespace.com"
      ]
    ],
    [
      "a tenant by a wildcard rule",
      [
        "ec2-192-0-2-1.compute-1.amazonaws.com",
        "tenant.localto.net",
        "www.tenant.localto.net",
        "somebody.linkpc.net",
        "www.somebody.ydns.io",
        "tenant.eth.limo"
      ]
    ],
    ["a popular site, which the ranking protects", ["pay.hotmart.com", "h5.eqxiu.com"]],
    ["a single label", ["localhost", "intranet"]],
    ["an IP address", ["192.0.2.1", "[2001:db8::1]"]],
    ["no host", ["", ".", "%"]]
  ])("%s is not", (_, hosts) => {
    for (const host of hosts) assert.isFalse(Hosts.isShared(host), host)
  })

  it("does not depend on the labels before a shared name or a tenant's domain", () => {
    const label = FastCheck.stringMatching(/^[a-z0-9]{1,10}$/)
    FastCheck.assert(
      FastCheck.property(label, label, (first, second) => {
        assert.isTrue(Hosts.isShared(`${first}.${second}.google.com`))
        assert.isFalse(Hosts.isShared(`${first}.${second}.vercel.app`))
        assert.isFalse(Hosts.isShared(`${first}.${second}.weebly.com`))
        assert.isFalse(Hosts.isShared(`google.com.${first}.example`))
      }),
      { numRuns: 500 }
    )
  })

  it("accepts every string", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: anyCharacter, maxLength: 40 }), (host) => {
        assert.isBoolean(Hosts.isShared(host))
        assert.isBoolean(Hosts.isShortener(host))
      }),
      { numRuns: 2_000 }
    )
  })
})

describe("isShortener", () => {
  it.each(["bit.ly", "www.bit.ly", "t.co", "customer.page.link", "page.link"])(
    "%s is a shortener",
    (host) => {
      assert.isTrue(Hosts.isShortener(host))
    }
  )

  it.each(["google.com", "not-bit.ly", "bit.ly.example.com", "at.co", "ly", "192.0.2.1", ""])(
    "%j is not",
    (host) => {
      assert.isFalse(Hosts.isShortener(host))
    }
  )
})

describe("the table of hosts", () => {
  const sharedNames = Hosts.namesWith("shared")
  const all = [...sharedNames, ...Hosts.namesWith("tenants")]

  it("has no shortener that is not shared", () => {
    for (const name of Hosts.namesWith("shortener")) assert.include(all, name)
  })

  it("has wildcard rules whose names would be shared public suffixes without it", () => {
    for (const name of Hosts.namesWith("wildcardTenants")) {
      assert.isTrue(PublicSuffix.isPublicSuffix(`x.${name}`), name)
      assert.isFalse(Hosts.isShared(`x.${name}`), name)
    }
  })

  it("has canonical hosts that would not be shared without it", () => {
    for (const name of all) {
      assert.deepStrictEqual(
        Either.map(CanonicalUrl.parse(`https://${name}/`), ({ host }) => host),
        Either.right(name)
      )
      assert.isFalse(PublicSuffix.isPublicSuffix(name), name)
      const domain = PublicSuffix.registrableDomain(name) ?? ""
      assert.isTrue(domain === name || !sharedNames.has(domain), name)
      assert.isTrue(Hosts.isShared(name), name)
    }
  })
})
