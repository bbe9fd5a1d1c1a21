/**
 * The whole policy of each kind of finding, one row a kind: who makes it, how many points it adds and how they are capped,
 * when it counts, what the model sees of it, and its sentence. `npm run reference` writes docs/reasons.md and `Kinds/KindNames.ts`
 * from these rows.
 *
 * Sentences are for people who are not engineers: one sentence with a capital and without a period, in printable ASCII, with
 * an ellipsis where a quotation was cut. User info may contain a password: only the part that reads like a host is quoted.
 * A sentence about the host begins with `The address` and the host: see `AddressText.inReason`.
 *
 * The contract fixes the points of `malformed`, `notHttps`, the feeds and the reputation lookup. Those of the signals are ten
 * per unit of log-odds from a logistic regression on the development data, rounded to fives; lowered by hand where a signal
 * is rare in the benign data (free hosting, dynamic DNS), and set by hand where it was added later. Anything an honest site
 * may do stays below 40, so that it is not suspicious alone. Only disguises reach 40, what honest sites have no use for, and
 * a link through more known wrappers than are read; only the exact name of a large brand reaches 70.
 */

import * as AddressText from "../Url/AddressText.ts"

/** How findings of a kind are capped: see `Verdict`. */
export type Group =
  /** Adds its points whatever else was found. */
  | "certain"
  /** A signal of the host name, or user info that imitates one. */
  | "host"
  /** A signal outside the host name: an attacker can choose it on any host. */
  | "outside"
  /** A level of the model. Plain HTTP lifts none above the next threshold. */
  | "model"
  /** What threat lists say about the site, but not for certain about the URL. */
  | "site"
  /** What is said about an address that the URL carries, which the writer of a link chooses too. */
  | "carried"
  | "plainHttp"

/** The features of the model that a kind can set. */
export const signalColumns = [
  "signalLureInDomain",
  "signalDecoy",
  "signalAbusedSuffix",
  "signalScripts",
  "signalFile",
  "signalBrandInPath",
  "signalShortener"
] as const

type SignalColumn = "brandInHost" | (typeof signalColumns)[number]

type Checker = "feeds" | "heuristics" | "lists" | "operator_lists" | "reputation_lookup"

/** What a kind of finding is worth. */
export interface Policy {
  /** `lists` are the feeds, the reputation lookup and the operator's. */
  readonly checker: Checker
  readonly points: number
  readonly group: Group
  /**
   * What the model sees: a column and its value; `counted` only adds to the number of signals. The model does not know a
   * kind without it.
   */
  readonly feature?: "counted" | readonly [column: SignalColumn, value: number]
  /** Not a finding alone: on HTTPS more frequent on ordinary pages than on reported ones of the development data. */
  readonly isWeak?: true
  /**
   * As the only signal of a host that is just a brand's name it may be the brand's own or a namesake's: `ModelLevel`.
   * `brandAmongWords`: a name contains another, as in `ebay-kleinanzeigen`.
   */
  readonly mayBeNamesake?: true
  /** Is based on the user info, which the writer of a link chooses: it counts on a popular site too. */
  readonly isUserInfo?: true
  /** Outside the host name, but found only beside a signal of the name or on free hosting: on a popular site it falls with that. */
  readonly isBesideName?: true
  /** Counts on a host of the user's own network too. Its names, ports and pages are the owner's choice. */
  readonly onPrivateHost?: true
  /** Counts about an allowed address too: an allowed mail gateway may lead to any address that was not read. */
  readonly evenIfAllowed?: true
}

interface Kind extends Policy {
  /** Its parameter is what was found. */
  readonly sentence: (details: never) => string
  /** For docs/reasons.md. */
  readonly meaning: string
}

const by = <By extends Checker>(checker: By, points: number, group: Group = "certain") =>
  ({ checker, points, group }) as const

const outside = (points: number) => by("heuristics", points, "outside")
const inHost = (points: number) => by("heuristics", points, "host")

/** At most this much of the submitted URL is quoted in one place. */
const MAX_QUOTE_CHARS = 60

/** Control characters and bidirectional overrides could change how the sentence reads. */
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/g

const printable = (text: string): string => text.replace(NOT_PRINTABLE_ASCII, "?")

/** A part of the submitted URL in printable ASCII, cut at its end. */
const quote = (piece: string): string =>
  piece.length > MAX_QUOTE_CHARS ? `${printable(piece.slice(0, MAX_QUOTE_CHARS))}…` : printable(piece)

/** A part of the submitted URL in printable ASCII, cut at its beginning. */
const quoteEnd = (piece: string): string =>
  piece.length > MAX_QUOTE_CHARS ? `…${printable(piece.slice(-MAX_QUOTE_CHARS))}` : printable(piece)

/** A host in printable ASCII, cut at its beginning. */
const quoteHost = (host: string): string => AddressText.shortHost(printable(host))

const inQuotes = (words: ReadonlyArray<string>): string => words.map((word) => `"${word}"`).join(", ")

/** All that sentences show, by name. */
interface Details {
  /** For `AddressText.short`. */
  readonly address: string
  readonly brand: NamedBrand
  /** Of a file that the query names, which reasons do not quote: `.pdf.exe`. */
  readonly endings: string
  /** Without the dot, lower case. */
  readonly extension: string
  readonly file: string
  readonly folder: string
  readonly host: string
  /** The entry of the list is the same content under another address. */
  readonly isOtherSpelling: boolean
  /** The name of the file contains a character that reverses the text after it. */
  readonly isReversed: boolean
  /** Names the host. `AddressText.inReason` words sentences about another address. */
  readonly isSubmitted: boolean
  readonly label: string
  /** `PhishTank as phishing (list of 2026-11-21 09:00 UTC)` */
  readonly list: string
  /** What a threat may do. */
  readonly may: string
  /** Of a threat, such as `phishing`. */
  readonly name: string
  readonly pages: number
  readonly pattern: keyof typeof patterns
  /** The pieces of the URL that weighed most. */
  readonly pieces: ReadonlyArray<string>
  readonly problem: "NoHost" | "ForbiddenHostCharacter" | "HostTooLong"
  readonly registrable: string
  readonly scheme: string
  readonly scripts: ReadonlyArray<string>
  /** The sentence of the listing. */
  readonly sentence: string
  /** What the address shows in place of the host that it leads to. Of a string that is not a URL, without what may be secret. */
  readonly shown: string
  readonly suffix: string
  /** Why the destination of a wrapper was not read. */
  readonly unread: "TooMany" | "Unreadable"
  /** `listed`, `suspected` or `blocked`, and by whom. */
  readonly what: string
  readonly words: ReadonlyArray<string>
}

type With<Name extends keyof Details> = Pick<Details, Name>

/** A brand as people know it, such as `PayPal`, and its own domain. */
export interface NamedBrand {
  readonly shown: string
  readonly domain: string
  readonly isBank: boolean
  /** See `Brand`. */
  readonly isEveryday: boolean
}

/** What `machineName` says of a name, by its pattern. */
export const patterns = {
  hexadecimal: "it contains a long code",
  address: "it contains the number of a computer",
  digits: "it contains a long number",
  consonants: "its letters form no word",
  mixed: "its letters and digits take turns",
  generated: "free hosting gives such names to new pages"
} as const

type Listed = With<"host" | "isOtherSpelling" | "isSubmitted" | "list">

const on = ({ host, isSubmitted }: With<"host" | "isSubmitted">): string =>
  isSubmitted ? ` on ${AddressText.shortHost(host)}` : ""

const suspected = ({
  host,
  isSubmitted,
  may,
  name
}: With<"host" | "isSubmitted" | "may" | "name">): string => {
  const shown = AddressText.shortHost(host)
  return `Suspected ${name}: ${isSubmitted ? `the page on ${shown}` : `the link leads to ${shown}, which`} ${may}`
}

const carried = ({ address, what }: With<"address" | "what">): string =>
  `The link contains the address ${address}, which is ${what}`

const usesBrand =
  (verb: string) =>
  ({ brand, host }: With<"brand" | "host">): string =>
    `The address ${quoteHost(host)} ${verb} ${brand.shown}; the real one is ${brand.domain}`

const wordsOfPhishing = ({ words }: With<"words">): string =>
  `${words.length === 1 ? "a word" : "words"} that phishing often uses (${inQuotes(words)})`

const disguised = (found: With<"endings"> | With<"file" | "isReversed">): string => {
  const is = "looks like a document or a picture, but is or contains a program"
  if ("endings" in found) return `The file that the address names ends in "${found.endings}": it ${is}`
  return found.isReversed
    ? `The file "${quoteEnd(found.file)}" has a name written partly backwards, which hides that it is or contains a program`
    : `The file "${quoteEnd(found.file)}" ${is}`
}

const typicalParts = ({ pieces }: With<"pieces">): string =>
  `${pieces.length === 1 ? "Part of the address is" : "Parts of the address are"} typical of reported phishing (${inQuotes(pieces)})`

/** In the order of the contract. */
export const kinds = {
  blocked: {
    ...by("operator_lists", 100),
    sentence: ({ host }: With<"host">) =>
      `The address ${AddressText.shortHost(host)} is blocked by the operator of this service`,
    meaning:
      "your `BLOCK_LIST` covers the address, or one that the link leads to. The score is 100 whatever else was found"
  },
  listedUrl: {
    ...by("feeds", 100),
    sentence: (listed: Listed) =>
      `${listed.isOtherSpelling ? "Another address of the same content" : "This address"}${on(listed)} is listed by ${listed.list}`,
    meaning:
      "a list has this URL; on a site that many people share, also the same content under another address"
  },
  listedHost: {
    ...by("feeds", 80),
    sentence: ({ host, list }: Listed) =>
      `The address ${AddressText.shortHost(host)} belongs to a site that is listed by ${list}`,
    meaning: "a list has the whole host, or one above it"
  },
  listedDirectory: {
    ...by("feeds", 80),
    sentence: (listed: Listed) => `The page${on(listed)} is in a folder that is listed by ${listed.list}`,
    meaning: "a list has a folder that the page is in"
  },
  listedPage: {
    ...by("feeds", 70),
    sentence: (listed: Listed) => `Another address of the same page${on(listed)} is listed by ${listed.list}`,
    meaning: "a list has the same page with another query, or on a host above"
  },
  otherPagesListed: {
    ...by("feeds", 45, "site"),
    sentence: (listed: With<"host" | "isSubmitted" | "list" | "pages">) =>
      `${listed.pages} other pages${on(listed) || " there"} are listed by ${listed.list}`,
    meaning: "a list has three pages or more of this host, but not this one"
  },
  unconfirmedListing: {
    ...by("feeds", 30, "site"),
    sentence: ({ sentence }: With<"sentence">) => `${sentence}, but no other list confirms it`,
    meaning: "one list has a whole popular site, and no list of another publisher has it"
  },
  severeThreat: {
    ...by("reputation_lookup", 100),
    sentence: suspected,
    meaning: "Google suspects phishing or malware"
  },
  unwantedSoftware: {
    ...by("reputation_lookup", 40),
    sentence: suspected,
    meaning: "Google suspects unwanted software or a harmful app"
  },
  carriedListing: {
    ...by("lists", 55, "carried"),
    sentence: carried,
    meaning:
      "the URL contains an address, perhaps only as a parameter, that a list has, that Google suspects of phishing or malware, or that you block"
  },
  carriedUnwantedSoftware: {
    ...by("reputation_lookup", 40, "carried"),
    sentence: carried,
    meaning: "the same for unwanted software or a harmful app"
  },
  malformed: {
    ...by("heuristics", 40),
    sentence: ({ problem, shown }: With<"problem" | "shown">) =>
      shown === ""
        ? "This is not a web address: it names no site"
        : `This is not a web address: "${quote(shown)}" names ${problem === "NoHost" ? "no site" : "a site that cannot exist"}`,
    meaning: "no host, or a host or port that cannot be"
  },
  notHttps: {
    ...by("heuristics", 10, "plainHttp"),
    onPrivateHost: true,
    evenIfAllowed: true,
    sentence: () => "URL is not HTTPS",
    meaning: "the scheme is not `https`, and the URL has a host: `http`, `ftp` and others"
  },
  scriptScheme: {
    ...by("heuristics", 40),
    sentence: ({ scheme }: With<"scheme">) =>
      `The link begins with "${quote(scheme)}:": it contains a program or a page instead of leading to one`,
    meaning: "`javascript:`, `data:` or `vbscript:`"
  },
  otherScheme: {
    ...outside(10),
    sentence: ({ scheme }: With<"scheme">) =>
      `The link begins with "${quote(scheme)}:", so it does not lead to a web page`,
    meaning: "another scheme without a host, such as `mailto:` or `tel:`"
  },
  userInfo: {
    ...outside(25),
    feature: "counted",
    onPrivateHost: true,
    sentence: ({ host }: With<"host">) =>
      `The address has a user name in front of its site, ${quoteHost(host)}, which can mislead readers`,
    meaning: "the host has a user name, or a user name and a password, in front of it"
  },
  unreadDestination: {
    ...outside(40),
    evenIfAllowed: true,
    sentence: ({ unread }: With<"unread">) =>
      unread === "TooMany"
        ? "The link leads through more addresses than we read"
        : "The link leads to an address that cannot be read",
    meaning:
      "[known redirectors](lists.md#wrappers-and-addresses-inside-a-url) lead to more than four addresses, or to one that is too long or cannot be read"
  },
  disguisedFile: {
    ...outside(40),
    feature: ["signalFile", 1],
    sentence: disguised,
    meaning:
      "the path, or a parameter such as `file`, ends in two extensions, such as `.pdf.exe`, or its name is written backwards before `.exe`"
  },
  harmfulFile: {
    ...outside(40),
    feature: ["signalFile", 1],
    sentence: ({ file }: With<"file">) =>
      `The file "${quoteEnd(file)}" starts a program when opened, and honest sites rarely offer such files`,
    meaning: "the path ends in `.lnk`, `.hta`, `.scr` or the like"
  },
  executablePath: {
    ...outside(15),
    feature: ["signalFile", 1],
    isWeak: true,
    sentence: ({ extension }: With<"extension">) =>
      `The address opens a program, or a document that can contain one (.${extension})`,
    meaning: "the path ends in `.exe`, `.apk`, `.docm`, `.iso` or the like"
  },
  pageAmongSoftware: {
    ...outside(20),
    sentence: ({ folder }: With<"folder">) =>
      `The page is in a technical folder of the site ("/${folder}/"), where intruders often hide pages`,
    meaning: "a page in a folder of WordPress, or in `/.well-known/`"
  },
  brandDomainInPath: {
    ...outside(40),
    feature: ["signalBrandInPath", 1],
    sentence: ({ host, shown }: With<"host" | "shown">) =>
      `The address shows "${quote(shown)}" before a page that asks to sign in, but belongs to ${quoteHost(host)}`,
    meaning:
      "the path has the domain of a brand, and after it a page for signing in. Not in archives, repositories of code and other sites that quote domains of others"
  },
  brandInPath: {
    ...outside(20),
    isBesideName: true,
    feature: ["signalBrandInPath", 1],
    sentence: ({ brand }: With<"brand">) =>
      `The address of the page uses the name ${brand.shown}; the real site is ${brand.domain}`,
    meaning: "the path has the name of a brand, on free hosting or on a host with another signal"
  },
  lureInPath: {
    ...outside(10),
    isBesideName: true,
    feature: "counted",
    isWeak: true,
    sentence: (found: With<"words">) => `The address of the page has ${wordsOfPhishing(found)}`,
    meaning: "the path has a word about signing in, paying or hurrying"
  },
  brandInUserInfo: {
    ...inHost(70),
    feature: ["signalDecoy", 1],
    isUserInfo: true,
    onPrivateHost: true,
    sentence: ({ host, shown }: With<"host" | "shown">) =>
      `The address is made to look like "${quote(shown)}", but leads to ${quoteHost(host)}`,
    meaning: "the part before `@` is the domain of a large brand"
  },
  deceptiveUserInfo: {
    ...inHost(40),
    feature: ["signalDecoy", 1],
    isUserInfo: true,
    onPrivateHost: true,
    sentence: ({ host, shown }: With<"host" | "shown">) =>
      `The address looks like "${quote(shown)}", but leads to ${quoteHost(host)}`,
    meaning: "the part before `@` looks like the address of a site"
  },
  privateHost: {
    ...inHost(15),
    feature: "counted",
    onPrivateHost: true,
    sentence: ({ host }: With<"host">) =>
      `The address ${quoteHost(host)} is on a private network or on your own device, not on the Internet`,
    meaning: "a host of a private network, or of the machine itself"
  },
  ipHost: {
    ...inHost(20),
    feature: "counted",
    sentence: ({ host }: With<"host">) => `The address ${quoteHost(host)} is only a number, not a name`,
    meaning: "an IP address in place of a name"
  },
  internationalHost: {
    ...inHost(10),
    feature: ["signalScripts", 1],
    isWeak: true,
    sentence: ({ label }: With<"label">) =>
      `The name "${quote(label)}" stands for characters other than a to z, which can look like ordinary letters`,
    meaning: "the host has letters beyond ASCII"
  },
  mixedScripts: {
    ...inHost(30),
    feature: ["signalScripts", 2],
    sentence: ({ label, scripts }: With<"label" | "scripts">) =>
      `The name "${quote(label)}" mixes ${scripts.join(" and ")} letters, some of which look the same`,
    meaning: "one label of the host mixes alphabets"
  },
  decoyDomain: {
    ...inHost(30),
    feature: ["signalDecoy", 1],
    sentence: ({ registrable, shown }: With<"registrable" | "shown">) =>
      `The address shows "${quote(shown)}", but belongs to ${quoteHost(registrable)}`,
    meaning: "the host contains something that looks like another domain, in front of its own"
  },
  dynamicDns: {
    ...inHost(20),
    feature: "counted",
    sentence: ({ suffix }: With<"suffix">) =>
      `The name of the site is from ${suffix}, which gives names to anyone's computer`,
    meaning: "a name from dynamic DNS or a tunnel"
  },
  abusedSuffix: {
    ...inHost(20),
    feature: ["signalAbusedSuffix", 1],
    sentence: ({ suffix }: With<"suffix">) =>
      `Addresses that end in ".${suffix}" are often used for phishing`,
    meaning: "the top-level domain, or another suffix, is cheap or free and often abused"
  },
  freeHosting: {
    ...inHost(15),
    feature: "counted",
    sentence: ({ suffix }: With<"suffix">) => `The page is on ${suffix}, where anyone can publish for free`,
    meaning: "a hosting firm where anyone can publish. A finding only beside others"
  },
  shortener: {
    ...inHost(15),
    feature: ["signalShortener", 1],
    sentence: ({ host }: With<"host">) =>
      `The address ${quoteHost(host)} shortens links, which hides where this one leads`,
    meaning: "a link shortener"
  },
  machineName: {
    ...inHost(15),
    isWeak: true,
    sentence: ({ label, pattern }: With<"label" | "pattern">) =>
      `The name "${quote(label)}" looks made by a program: ${patterns[pattern]}`,
    meaning: "the domain looks generated"
  },
  brandHomograph: {
    ...inHost(70),
    feature: ["brandInHost", 5],
    sentence: usesBrand("is spelled to look like"),
    meaning:
      "the domain's whole name looks like a large brand: digits, `rn`, `vv` or letters of other alphabets for its letters, and no other change"
  },
  brandDomainInHost: {
    ...inHost(40),
    feature: ["brandInHost", 6],
    sentence: usesBrand("is made to look like"),
    meaning: "the host contains the whole domain of a brand, but does not belong to it"
  },
  brandLookAlike: {
    ...inHost(35),
    feature: ["brandInHost", 5],
    mayBeNamesake: true,
    sentence: usesBrand("imitates"),
    meaning: "the host has a name that looks like a brand: other digits and letters, or a typing error"
  },
  brandInDomain: {
    ...inHost(35),
    feature: ["brandInHost", 4],
    mayBeNamesake: true,
    sentence: usesBrand("uses the name"),
    meaning: "the domain has the name of a brand, alone or with words such as `login`"
  },
  brandInSubdomain: {
    ...inHost(30),
    feature: ["brandInHost", 3],
    sentence: usesBrand("borrows the name"),
    meaning: "a subdomain has the name of a brand"
  },
  brandAmongWords: {
    ...inHost(20),
    feature: ["brandInHost", 1],
    mayBeNamesake: true,
    sentence: usesBrand("contains the name"),
    meaning: "the name of a brand is one of several words"
  },
  everydayBrand: {
    ...inHost(25),
    feature: ["brandInHost", 2],
    sentence: usesBrand("uses the name"),
    meaning: "a brand whose name is also an everyday word, with another sign of phishing"
  },
  bankCodeLure: {
    ...inHost(35),
    sentence: ({ brand, host, words }: With<"brand" | "host" | "words">) =>
      `The address ${quoteHost(host)} combines the name of a bank (${brand.shown}) with words for its confirmation codes (${inQuotes(words)})`,
    meaning:
      "the host has the name of a bank and a word for the codes that confirm its orders, such as `tan`, and host or path another such word as phishing uses. Not on free hosting"
  },
  lureInDomain: {
    ...inHost(25),
    feature: ["signalLureInDomain", 1],
    sentence: (found: With<"words">) => `The name of the site has ${wordsOfPhishing(found)}`,
    meaning:
      "the registrable domain has two or more words about signing in, paying or hurrying. Not on free hosting"
  },
  lureInHost: {
    ...inHost(25),
    feature: "counted",
    sentence: (found: With<"words">) => `The address of the site has ${wordsOfPhishing(found)}`,
    meaning:
      "the host has such a word. A finding only beside others, and beside an abused suffix only if the word is not a whole label, as it is in `id.example.cc`"
  },
  modelSuspicious: {
    ...by("heuristics", 45, "model"),
    sentence: typicalParts,
    meaning: "the model finds phishing possible"
  },
  modelLikely: {
    ...by("heuristics", 55, "model"),
    sentence: typicalParts,
    meaning:
      "the model finds phishing likely; nothing higher for a domain that is just a brand's name under another suffix (`paypal.cm`, `sncf-connect.example`), or one or two edits from it (`paypall.example`)"
  },
  modelPhishing: {
    ...by("heuristics", 80, "model"),
    sentence: typicalParts,
    meaning: "the model is nearly certain"
  }
} as const satisfies Readonly<Record<string, Kind>>

export type FindingKind = keyof typeof kinds

export const policyOf = (kind: FindingKind): Policy => kinds[kind]

/** Whether the findings of the heuristics about an address are one that is not a finding alone. */
export const isWeakAlone = (findings: ReadonlyArray<{ readonly kind: FindingKind }>): boolean =>
  findings.length === 1 && findings.every(({ kind }) => policyOf(kind).isWeak)

type DetailsOf<Of extends FindingKind> =
  Parameters<(typeof kinds)[Of]["sentence"]> extends readonly [infer Details] ? Details : unknown

/** What was found: a kind and its details. */
export type Found<Of extends FindingKind = FindingKind> = {
  readonly [Kind in Of]: { readonly kind: Kind } & DetailsOf<Kind>
}[Of]

/** The kinds that `checker` finds. */
type KindsBy<By extends Checker> = {
  readonly [Kind in FindingKind]: (typeof kinds)[Kind]["checker"] extends By ? Kind : never
}[FindingKind]

/** A piece of evidence in a URL, or a level of the model, with the text or number that was found. */
export type Signal = Found<KindsBy<"heuristics">>

export const sentenceOf = (found: Found): string =>
  // A union of functions takes no union: the kind says which of them takes these details.
  (kinds[found.kind].sentence as (details: Found) => string)(found)
