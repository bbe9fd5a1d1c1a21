/**
 * Words with which a page asks for credentials, a payment or a quick decision. Every honest login page uses them too:
 * they are evidence only beside another signal, or piled up in the name of a domain.
 */
const lureWords: ReadonlySet<string> = new Set(
  [
    "login logon logins logons signin signon signup verify verified verification confirm confirmation authenticate",
    "authentication authorize auth sso otp account accounts myaccount password passwd credential credentials",
    "secure secured security update upgrade unlock activate reactivate recover recovery restricted restriction suspend",
    "suspended suspension alert appeal appeals policy violate violation violations copyright infringement compliance",
    "enforcement checkpoint case advertiser advertisers customer support helpdesk banking ebanking netbanking",
    "onlinebanking webmail mailbox billing invoice payment refund wallet wallets airdrop airdrops claim claims reward",
    "rewards bonus kyc parcel tracking redelivery delivery toll fines",
    // misspelled on purpose, as seen in reports
    "longin logn logiin loginn loggin logii loonin servies servise suport verfy verifcation accout accoun acount",
    "autth auths autths aauth authh auuth walet wallt wllet wallett sercure securty passwrd",
    // Spanish, Portuguese
    "ingresar iniciar sesion inicio cuenta cuentas clave acceso verificar seguridad pago entrega paquete cliente",
    "entrar conta senha seguranca fatura",
    // French, Italian
    "connexion compte verifier securite paiement identifiant colis amende livraison",
    "accedi accesso verifica sicurezza pagamento utente",
    // German, Dutch
    "anmelden anmeldung konto passwort sicherheit bestaetigen kunden kundenservice inloggen rekening bevestigen",
    // Polish, Turkish, Indonesian
    "logowanie zaloguj oplata platnosc aukcja oferta giris hesap sifre dogrulama masuk akun hadiah bantuan resmi klaim"
  ].flatMap((row) => row.split(" "))
)

/** A reason names a few, not all. */
const MOST_FOUND = 3

/** The end of an ordinary path; in a longer one the rest is padding. */
const LONGEST_READ = 1024

const LOWER_A = 97
const LOWER_Z = 122
const TO_LOWER = 0x20

/**
 * The first three different lure words of a host or path, which are its runs of letters: `find("/Secure/login.php")` is
 * `["secure", "login"]`, `find("/blogging")` is empty.
 */
export const find = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const end = Math.min(text.length, LONGEST_READ)
  let start = 0
  for (let at = 0; at <= end; at++) {
    const code = text.charCodeAt(at) | TO_LOWER
    if (at < end && code >= LOWER_A && code <= LOWER_Z) continue
    const word = text.slice(start, at).toLowerCase()
    start = at + 1
    if (!lureWords.has(word) || found.includes(word)) continue
    found.push(word)
    if (found.length === MOST_FOUND) break
  }
  return found
}
