/** Names and pages that honest sites have and lists of ordinary addresses seldom show. Written by hand. */

import type { random } from "./Random.ts"

const words = (...rows: ReadonlyArray<string>): ReadonlyArray<string> => rows.flatMap((row) => row.split(" "))

const pick = (from: ReadonlyArray<string>, next: ReturnType<typeof random>): string =>
  from[Math.floor(next() * from.length)] ?? ""

/** Pages for signing in of common software, and the words for them in other languages than English. */
const loginPaths = words(
  "/owa/ /owa/auth/logon.aspx /adfs/ls/ /idp/profile/SAML2/Redirect/SSO /saml/login /sso/login /oauth2/authorize",
  "/login/index.php /moodle/login/index.php /index.php/login /realms/main/protocol/openid-connect/auth",
  "/users/sign_in /Account/Login /accounts/login/ /customer/account/login/ /my-account/ /wp-login.php /user/login",
  "/auth/login /auth/signin /login.aspx /login.do /login.jsp /login.php /login.html /signin /register /portal/login",
  "/checkout/payment /en/payment /payment /webmail/ /mail/ /roundcube/ /patient/login /members/login /pay/bill",
  "/anmelden /mein-konto/anmelden /kundenportal/login /konto/anmelden /inloggen /mijn/inloggen /connexion",
  "/espace-client/connexion /mon-compte /iniciar-sesion /acceso-clientes /mi-cuenta /entrar /minha-conta/login",
  "/area-clienti /accedi /area-riservata/login /logowanie /panel/logowanie /prihlaseni /giris /kirjaudu /logga-in"
)

export const loginPath = (next: ReturnType<typeof random>): string => pick(loginPaths, next)

/** What names of banks, authorities and shops begin or end with, also names that are brands elsewhere. */
const beginnings = words(
  "sparkasse- kreissparkasse- stadtsparkasse- volksbank- vr-bank- raiffeisenbank- stadtwerke- banco banca- caisse-",
  "bankof firstnational first- city-of- my the apple- orange- chase- visa- amazon- target-"
)
const endings = words(
  "bank savings federal financial utilities creditunion bakery trust insurance energy health clinic school county",
  "city water mobile telecom travel shop store benefits payroll pay mail support cloud portal"
)
const places = words("the my first city river lake north national green")

/** Of the names of institutions, those with a word before, and those also with a place before and a word after. */
const START_SHARE = 0.35
const PLACE_SHARE = 0.1
/** Of the names with a word after, those with hyphens. */
const HYPHEN_SHARE = 0.5

/** `first-gardens`, `gardens-bank`, `rivergardensclinic` for `gardens`. */
export const institution = (name: string, next: ReturnType<typeof random>): string => {
  const kind = next()
  if (kind < START_SHARE) return pick(beginnings, next) + name
  const hyphen = next() < HYPHEN_SHARE ? "-" : ""
  const place = kind < START_SHARE + PLACE_SHARE ? pick(places, next) + hyphen : ""
  return place + name + hyphen + pick(endings, next)
}

const lures = words(
  "login auth verification account secure payment wallet verify password support signin update"
)
const projects = words(
  "academy course guide demo starter template docs tutorial example kit sample excellence test app project school clone"
)

/** `login-demo`, `verificationexcellence`, `gardens-auth`, `gardens-auth-demo`: names of developers' projects and of courses. */
export const project = (name: string, next: ReturnType<typeof random>): string => {
  const lure = pick(lures, next)
  const kind = pick(projects, next)
  return pick([`${name}-${lure}`, `${lure}-${kind}`, `${lure}${kind}`, `${name}-${lure}-${kind}`], next)
}

/** Free hosting on which developers and teachers publish. */
const hostingSuffixes = words("vercel.app netlify.app herokuapp.com azurewebsites.net teachable.com")

export const hostingSuffix = (next: ReturnType<typeof random>): string => pick(hostingSuffixes, next)
