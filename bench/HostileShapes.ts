/** Texts that repeat a pattern, for which some parser, decoder, table or hash could take long. */
interface HostileShape {
  readonly name: string
  readonly before: string
  readonly pattern: string
  readonly after?: string
}

const GOOGLE = "https://www.google.com/url?q="
const SHARED = "http://drive.google.com/file/d/1/view"
const DEEP = "a.b.c.d.e.example"

/** Directories near the root, each of which is a fifth of the longest URL. */
const directories = (piece: string) => `/${piece.repeat(12_000 / piece.length)}`.repeat(3)

const behindRedirector = (name: string, pattern: string): HostileShape => ({
  name: `${name} behind a redirector`,
  before: `${GOOGLE}https://a.example/`,
  pattern
})

const inProtectedLink = (name: string, pattern: string): HostileShape => ({
  name: `${name} in a protected link`,
  before: "https://urldefense.com/v3/__https://a.example/",
  pattern,
  after: "__;Iw!!a"
})

const inQuery = (name: string, pattern: string): HostileShape => ({
  name: `${name} in a query`,
  before: "http://a.example/?",
  pattern
})

const inHost = (name: string, pattern: string): HostileShape => ({
  name: `${name} in a host`,
  before: "http://",
  pattern,
  after: ".example/"
})

const inPath = (name: string, pattern: string): HostileShape => ({
  name: `${name} in a path`,
  before: "http://a.example/",
  pattern
})

export const shapes: ReadonlyArray<HostileShape> = [
  inPath("nested escapes", "%25"),
  inPath("escapes of escapes", "%2541"),
  inPath("dot segments", "a/../"),
  inPath("slashes", "/"),
  inPath("directories", "ab/"),
  inPath("other scripts", "\u4e16"),
  inPath("addresses", "https://a.example/"),
  inPath("other addresses", "https://b.example/https://c.example/"),
  inPath("backslashes", "\\"),
  inPath("invalid escapes", "%zz"),
  inPath("line breaks", "\n\t"),
  inPath("lone surrogates", "\ud800"),
  inPath("words", "secure-login/"),
  inPath("brands", "paypal-"),
  inPath("digits", "4294967296"),
  inPath("letters", "a"),
  inPath("dots", "."),
  inPath("accents", "\u0301"),
  inHost("escapes", "%2e%61"),
  inHost("letters for IDNA", "\u00fc"),
  inHost("labels for IDNA", "\u00fc."),
  inHost("Punycode", "xn--a."),
  inHost("Punycode without dots", "xn--"),
  inHost("labels", "a."),
  inHost("a name", "null"),
  inHost("hyphens", "a-"),
  inHost("words", "wp-content"),
  inHost("brands", "paypal-"),
  inHost("brands as labels", "paypal.com."),
  inHost("dots", "."),
  inHost("ideographic dots", "\u3002"),
  inHost("mixed scripts", "payp\u0430l"),
  inHost("ligatures", "\ufdfa"),
  inHost("at signs", "a@"),
  inHost("digits and dots", "1."),
  inHost("hexadecimal numbers", "0x7f."),
  inHost("refanged dots", "a[.]"),
  { name: "colons", before: "http://a.example", pattern: ":1" },
  { name: "an address in brackets", before: "http://[", pattern: "0:", after: "]/" },
  { name: "slashes before a host", before: "http:", pattern: "\\" },
  { name: "an escaped scheme", before: "http%3A%2F%2F", pattern: "%2525" },
  { name: "blanks", before: "", pattern: " ", after: "a.example" },
  { name: "invisible characters", before: "", pattern: "\u200b", after: "a.example" },
  { name: "prefixes", before: "", pattern: "view-source:", after: "http://a.example/" },
  { name: "opening brackets", before: "", pattern: "<", after: "http://a.example/" },
  { name: "intents", before: "", pattern: "intent:", after: "//a.example/#Intent;scheme=https;end" },
  inQuery("escapes", "a=%%&"),
  inQuery("addresses", "a=https://a.example/&"),
  inQuery("other addresses", "a=https://b.example/&b=https://c.example/&"),
  inQuery("addresses encoded three times", "a=https%25253A%25252F%25252Fa.example&"),
  inQuery("addresses that are none", "a=https://%&"),
  inQuery("addresses in base64", "a=aHR0cHM6Ly9hLmV4YW1wbGUv&"),
  inQuery("replacement characters", "\ufffd"),
  inQuery("equals signs", "="),
  {
    name: "one address in base64",
    before: "http://a.example/?a=aHR0cHM6Ly9hLmV4YW1wbGUv",
    pattern: "YS9h"
  },
  { name: "parameters of shared content", before: `${SHARED}?`, pattern: "&a" },
  { name: "one parameter of shared content", before: `${SHARED}?a=`, pattern: "%" },
  { name: "directories of shared content", before: "http://drive.google.com", pattern: "/a" },
  { name: "letters of shared content", before: "http://drive.google.com/file/d/", pattern: "%25" },
  { name: "parameters of a redirector", before: "https://www.google.com/url?", pattern: "%71=&" },
  { name: "ampersands of a redirector", before: "https://www.google.com/url?", pattern: "&" },
  { name: "a redirector to itself", before: GOOGLE, pattern: GOOGLE },
  {
    name: "a redirector to a redirector with a long path",
    before: `${GOOGLE}${GOOGLE}https://a.example/`,
    pattern: "%"
  },
  behindRedirector("percent signs", "%"),
  behindRedirector("other scripts", "\u4e00"),
  behindRedirector("Kelvin signs", "\u212a"),
  behindRedirector("accents", "\u0301"),
  behindRedirector("ideographic dots", "\u3002"),
  behindRedirector("emoji", "\u{1f600}"),
  behindRedirector("ampersands", "&"),
  inProtectedLink("percent signs", "%"),
  inProtectedLink("Kelvin signs", "\u212a"),
  inProtectedLink("accents", "\u0301"),
  {
    name: "gaps of URL Defense",
    before: `https://urldefense.com/v3/__https://a.example/${"**A".repeat(5000)}__;`,
    pattern: "YWFh"
  },
  {
    name: "a translated site",
    before: `https://${"a-".repeat(99)}a.translate.goog/?`,
    pattern: "_x_tr_a=1&"
  },
  { name: "long directories of a deep host", before: `http://${DEEP}${directories("a")}/`, pattern: "a" },
  { name: "long directories and a query", before: `http://${DEEP}${directories("%")}/a?`, pattern: "%" },
  {
    name: "long directories behind a redirector",
    before: `${GOOGLE}http://${DEEP}${directories("%")}/a?`,
    pattern: "%"
  },
  {
    name: "a deep host and many directories, four times",
    before: ["b", "c", "d", "e"]
      .map((name) => `http://${"a.".repeat(40)}${name}.example/${"a/".repeat(30)}`)
      .join(""),
    pattern: "a/"
  }
]

/** In a string of JSON, where a backslash takes two and a lone surrogate six. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2

/** A text of about so many bytes; the shortest one of the shape if that is longer. */
export const fill = ({ before, pattern, after = "" }: HostileShape, bytes: number): string => {
  const free = bytes - bytesOf(before + after)
  return before + pattern.repeat(Math.max(1, Math.floor(free / bytesOf(pattern)))) + after
}
