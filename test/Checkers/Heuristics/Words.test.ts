import { assert, describe, it } from "@effect/vitest"
import * as Words from "../../../src/Checkers/Heuristics/Words.ts"

describe("the lure words of a text", () => {
  it.each([
    ["/Secure/login.php", ["secure", "login"]],
    ["/verify_account-2.html", ["verify", "account"]],
    ["/login/login/signin", ["login", "signin"]],
    ["/anmelden/konto", ["anmelden", "konto"]],
    ["/connexion/compte", ["connexion", "compte"]],
    ["/iniciar-sesion", ["iniciar", "sesion"]],
    ["/login/verify/account/secure", ["login", "verify", "account"]],
    ["/login2/reset-2FA", ["login", "2fa"]],
    ["2fa.verify24.example", ["2fa", "verify"]],
    ["/2fab/a2fa/12fa", []],
    ["/login/login/signin/2fa/verify", ["login", "signin", "2fa"]],
    ["/blogging/accountant/insecure", []],
    ["/@login[secure]`verify{auth}", ["login", "secure", "verify"]],
    ["", []]
  ])("%s are %j", (text, words) => {
    assert.deepStrictEqual(Words.luresIn(text), words)
  })

  it("are searched in the first 1,024 characters only", () => {
    assert.deepStrictEqual(Words.luresIn(`/${"a".repeat(1000)}/login`), ["login"])
    assert.deepStrictEqual(Words.luresIn(`/${"a".repeat(1100)}/login`), [])
  })
})

describe("the words between hyphens", () => {
  it.each([
    ["paypal", ["paypal"]],
    ["pay-pal", ["pay", "pal"]],
    ["pay_-_pal-login", ["pay", "pal", "login"]],
    ["a-b-c-d", ["a", "b", "c"]],
    ["-a", ["", "a"]],
    ["", [""]]
  ])("of %s", (text, words) => {
    assert.deepStrictEqual(Words.split(text, 3), words)
  })
})
