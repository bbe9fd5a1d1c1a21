/**
 * Lure words: what phishing pages say to ask for credentials, a payment or a quick decision. They are evidence only beside
 * another signal, or several together in the name of a domain.
 */

const wordSet = (rows: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(rows.flatMap((row) => row.split(" ")))

/** Words that ask for credentials, a wallet's seed phrase or a quick decision. Honest login pages use them too. */
const credentialWords = wordSet([
  "login logon logins logons signin signon signup verify verified verification verifying confirm confirmation",
  "authenticate authentication authenticator authorize authorization auth oauth sso otp 2fa mfa account accounts",
  "myaccount password passwd passcode credential credentials secure secured security unlock unlocked activate",
  "activation reactivate recover recovery recuperate restore restricted restriction restrictions suspend suspended",
  "suspension alert alerts appeal appeals violate violation violations infringement copyright checkpoint validate",
  "validation webmail mailbox ebanking netbanking onlinebanking airdrop airdrops airdropping claim claims kyc",
  "redelivery fines whitelist presale id ids identity unblock blocked locked expired expire expiring",
  "revalidate reverify userid myid seedphrase dapp dapps rectify",
  // Misspelled on purpose, from reports.
  "longin logn logiin loginn loggin logii loonin loging verfy verifcation accout accoun acount accaunt sercure",
  "autth auths autths aauth authh auuth walet wallt wllet wallett securty passwrd klaiim singin sigin signn",
  // Spanish, Portuguese
  "ingresar ingreso iniciar inicios sesion clave acceso accesos verificar verificacion confirmar validar validacion",
  "seguridad desbloquear bloqueo entrar conta senha seguranca acessar acesso desbloqueio recadastramento atualizar",
  "actualizar actualizacion atualizacao token resgate regularizar regularize cadastro",
  // French, Italian
  "connexion connecter verifier verification securite securise identifiant identification authentification compte",
  "validez confirmer accedi accesso verifica sicurezza conferma aggiorna sblocca convalida credenziali",
  // German, Dutch
  "anmelden anmeldung passwort sicherheit sicherheitscheck bestaetigen bestaetigung verifizieren verifizierung",
  "pushtan phototan chiptan smstan aktualisieren aktualisierung entsperren freischalten legitimation inloggen bevestigen bevestiging verifieer",
  "verificatie beveiliging aanmelden wachtwoord",
  // Swedish, Norwegian, Danish, Finnish
  "inloggning innlogging verifiering bekrafta bekreft bekraeft kirjaudu tunnistaudu vahvista",
  // Polish, Czech, Turkish
  "logowanie zaloguj potwierdz weryfikacja weryfikuj bezpieczenstwo prihlaseni overeni giris hesap sifre dogrulama",
  "dogrula guvenlik onayla basvuru",
  // Indonesian, Vietnamese, Russian and Japanese in Latin letters
  "masuk akun verifikasi konfirmasi klaim dangnhap xacminh xacnhan vhod avtorizaciya podtverdit bezopasnost ninsho",
  "honnin kakunin"
])

/** Words about bills, parcels or gifts. Honest firms have them in their names. */
const businessWords = wordSet([
  "update upgrade policy compliance enforcement case advertiser advertisers customer support helpdesk helpcenter",
  "banking billing invoice payment payments refund refunds rebate wallet wallets reward rewards bonus parcel tracking",
  "delivery toll fee fees gift gifts giveaway prize nitro resolve redeem staking notice notification",
  "servies servise suport",
  // Spanish, Portuguese, French, Italian
  "inicio cuenta cuentas pago pagos entrega paquete cliente clientes soporte fatura boleto premio reembolso envio",
  "paiement colis amende livraison remboursement impots pagamento utente rimborso spedizione pacco multa factura recibo",
  "facture frais fattura bolletta",
  // German, Dutch
  "konto kunden kundenservice kundencenter zahlung bezahlen gebuehr paket lieferung zustellung rechnung rekening",
  "betaling betalen factuur pakket",
  // Swedish, Norwegian, Danish, Finnish
  "leverans leveranse levering betalning faktura pakke lasku toimitus paketti",
  // Polish, Turkish, Indonesian, Vietnamese, Japanese
  "oplata platnosc doplata przesylka paczka aukcja oferta odeme kargo hediye kampanya hadiah bantuan resmi layanan",
  "undian khachhang koukan saihaitatsu"
])

/** Lure words of both kinds. */
export const lureWords: ReadonlySet<string> = new Set([...credentialWords, ...businessWords])

/** The lengths of lure words by first letter, as bits: spares most words the lookup. */
const lengthsByLetter = new Int32Array(26)
for (const word of lureWords) {
  const letter = word.charCodeAt(0) - "a".charCodeAt(0)
  lengthsByLetter[letter] = (lengthsByLetter[letter] ?? 0) | (1 << word.length)
}

/** Whether the word, in lower case, is a lure word of either kind. */
export const isLureWord = (word: string): boolean => lureWords.has(word)

/** Whether the word, in lower case, asks for credentials or a quick decision. */
export const isCredentialWord = (word: string): boolean => credentialWords.has(word)

/** As many as a reason quotes. */
const MAX_WORDS = 3

/** Longer than ordinary paths; the rest is padding. */
const MAX_READ_CHARS = 1024

const LOWER_A = 97
const LOWER_Z = 122
const TO_LOWER = 0x20

/**
 * The first three different lure words of a host or path. A word is a whole run of letters: `find("/Secure/login.php")` is
 * `["secure", "login"]`, `find("/blogging")` is empty.
 */
export const find = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  const end = Math.min(text.length, MAX_READ_CHARS)
  let start = 0
  for (let at = 0; at <= end; at++) {
    const code = text.charCodeAt(at) | TO_LOWER
    if (at < end && code >= LOWER_A && code <= LOWER_Z) continue
    const from = start
    start = at + 1
    const first = (text.charCodeAt(from) | TO_LOWER) - LOWER_A
    if (at - from >= 32 || ((lengthsByLetter[first] ?? 0) & (1 << (at - from))) === 0) continue
    const word = text.slice(from, at).toLowerCase()
    if (!lureWords.has(word) || words.includes(word)) continue
    words.push(word)
    if (words.length === MAX_WORDS) break
  }
  return words
}
