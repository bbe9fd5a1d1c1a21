import { assert, describe, it } from "@effect/vitest"
import * as Brand from "../../../../src/Checkers/Heuristics/Brand.ts"

describe("a brand's domain in a path", () => {
  it.each([
    ["/paypal.com/signin", "paypal.com"],
    ["/www.PayPal.com/us/login.php", "www.paypal.com"],
    ["/a/b/paypal.de/sign-in/", "paypal.de"],
    ["/paypal.com-verify/", "paypal.com"],
    ["/paypal.com:443/signin", "paypal.com"],
    ["/paypal.com_secure_login.html", "paypal.com"],
    ["/apple.com/account", "apple.com"],
    ["/status/paypal.com/login", "paypal.com"],
    ["/wiki/paypal.com/login", "paypal.com"],
    ["/wiki/paypal.com_login", "paypal.com"],
    ["/https:/www.paypal.com/signin", "www.paypal.com"],
    ["/x:/paypal.com/signin", "paypal.com"]
  ])("counts before a page that asks to sign in: %s", (path, domain) => {
    assert.strictEqual(Brand.findDomainInPath("shop.example", path), domain)
  })

  it.each([
    "/status/paypal.com",
    "/website/paypal.com",
    "/login/paypal.com",
    "/paypal.com/",
    "/paypal.com/about/history",
    "/paypal.com/how-to-sign-in-without-trouble",
    "/paypal.com/secure_payments.pdf",
    "/example.com/signin",
    "/paypal.example/signin",
    "/paypal/signin",
    "/signin.html",
    "/",
    `/${"a.".repeat(500)}com/signin`
  ])("does not count in %s", (path) => {
    assert.isUndefined(Brand.findDomainInPath("shop.example", path))
  })

  it("does not count on a host of the brand's owner", () => {
    assert.isUndefined(Brand.findDomainInPath("www.paypal.com", "/paypal.com/signin"))
    assert.isUndefined(Brand.findDomainInPath("login.live.com", "/outlook.com/signin"))
    assert.strictEqual(Brand.findDomainInPath("www.ebay.com", "/paypal.com/signin"), "paypal.com")
  })
})

describe("a brand's domain in a path of a site that quotes the domains of others", () => {
  it.each([
    ["github.com", "/x/paypal.com/blob/main/login.html"],
    ["web.archive.org", "/web/2020/paypal.com/signin"],
    ["login.microsoftonline.com", "/apple.com/oauth2/authorize/login"],
    ["garden.b2clogin.com", "/garden.onmicrosoft.com/oauth2/v2.0/authorize"],
    ["garden.ciamlogin.com", "/garden.onmicrosoft.com/oauth2/v2.0/authorize"],
    ["en.wikipedia.org", "/wiki/Booking.com_login"],
    ["web.archive.org", "/web/2026/https:/www.paypal.com/signin"],
    ["arquivo.pt", "/wayback/2020/https:/www.paypal.com/signin"],
    ["wayback.archive-it.org", "/123/2020/https:/www.paypal.com/signin"],
    ["r.jina.ai", "/https:/www.paypal.com/signin"],
    ["www.anrdoezrs.net", "/links/1/type/dlg/https:/www.paypal.com/my-account"],
    // The tenant of a brand's sign-in, which a firm has on its own host.
    ["login.garden.example", "/garden.onmicrosoft.com/b2c_1_signin/oauth2/v2.0/authorize"]
  ])("does not count: %s%s", (host, path) => {
    assert.isUndefined(Brand.findDomainInPath(host, path))
  })

  it.each(["github.example", "someone.github.io", "htmlpreview.github.io", "notgithub.com", "localhost"])(
    "counts elsewhere: %s",
    (host) => {
      assert.strictEqual(Brand.findDomainInPath(host, "/paypal.com/signin"), "paypal.com")
    }
  )
})

describe("a brand's name in a segment", () => {
  it.each([
    ["/paypal-login-01-01", "paypal"],
    ["/PayPal-Verify-Account-11-22-3", "paypal"],
    ["/Apple-ID-Verify-11-22", "appleid"]
  ])("may have a date after it: %s", (path, name) => {
    assert.strictEqual(Brand.findInPath(path)?.name, name)
  })

  it.each(["/How-to-fix-the-paypal-login-01-01", "/2026-01-01", "/news-2026-paypal-raises-fees"])(
    "does not count in a headline: %s",
    (path) => {
      assert.isUndefined(Brand.findInPath(path))
    }
  )
})
