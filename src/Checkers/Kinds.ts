/**
 * Every kind of finding, one row a kind: who makes it, its strength, its sentence and its meaning. `npm run reference` writes
 * docs/reasons.md and `Kinds/KindNames.ts` from these rows.
 *
 * A kind has one of three strengths:
 *
 * - it decides: a number, its own score. From 40 on only for listings, and for what honest sites have no use for;
 * - it weighs: the model, whose log-odds a curve turns into a score;
 * - it explains: no score of its own. It is shown only beside a score that it explains.
 *
 * Sentences are for people who are not engineers: one sentence with a capital and without a period, in printable ASCII, with
 * an ellipsis where a quotation was cut. User info may contain a password: only the part that reads like a host is quoted.
 * A sentence about the host begins with `The address` and the host: see `AddressText.inReason`.
 *
 * The contract fixes the scores of `malformed`, `notHttps`, the feeds and the reputation lookup.
 */

import * as AddressText from "../Url/AddressText.ts"

type Checker = "feeds" | "heuristics" | "lists" | "operator_lists" | "reputation_lookup"

interface Kind {
  /** `lists` are the feeds, the reputation lookup and the operator's. */
  readonly checker: Checker
  readonly strength: number | "weighs" | "explains"
  /** Its parameter is what was found. */
  readonly sentence: (details: never) => string
  /** For docs/reasons.md. */
  readonly meaning: string
}

const decides = <By extends Checker>(checker: By, strength: number) => ({ checker, strength }) as const

const explains = { checker: "heuristics", strength: "explains" } as const

/** At most this much of the submitted URL is quoted in one place. */
const MAX_QUOTE_CHARS = 60

/** Control characters and bidirectional overrides could change how the sentence reads. */
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/g

const printable = (text: string): string => text.replace(NOT_PRINTABLE_ASCII, "?")

/** A part of the submitted URL in printable ASCII, cut at its end. */
export const quote = (piece: string): string =>
  piece.length > MAX_QUOTE_CHARS ? `${printable(piece.slice(0, MAX_QUOTE_CHARS))}…` : printable(piece)

/** A part of the submitted URL in printable ASCII, cut at its beginning. */
export const quoteEnd = (piece: string): string =>
  piece.length > MAX_QUOTE_CHARS ? `…${printable(piece.slice(-MAX_QUOTE_CHARS))}` : printable(piece)

/** A host in printable ASCII, cut at its beginning. */
const quoteHost = (host: string): string => AddressText.shortHost(printable(host))

const inQuotes = (words: ReadonlyArray<string>): string => words.map((word) => `"${word}"`).join(", ")

/** All that sentences show, by name. */
interface AllDetails {
  /** For `AddressText.short`. */
  readonly address: string
  readonly brand: NamedBrand
  /** How many days back the list of new domains goes, if its name says so. */
  readonly days?: number
  /** A registrable domain that is new. */
  readonly domain: string
  /** Of a file that the query names, which reasons do not quote: `.pdf.exe`. */
  readonly endings: string
  /** Without the dot, lower case. */
  readonly extension: string
  readonly file: string
  readonly folder: string
  readonly host: string
  /** Only in a finding about an address inside the submitted URL: the host of that address. */
  readonly innerHost?: string
  /** The entry of the list is the same content under another address. */
  readonly isOtherSpelling: boolean
  /** The name of the file contains a character that reverses the text after it. */
  readonly isReversed: boolean
  readonly label: string
  readonly list: NamedList
  readonly pages: number
  readonly pattern: keyof typeof patterns
  /** The pieces of the URL that weighed most. */
  readonly pieces: ReadonlyArray<string>
  readonly problem: "NoHost" | "ForbiddenHostCharacter" | "HostTooLong" | "InvalidIpv4Address"
  readonly registrable: string
  readonly scheme: string
  readonly scripts: ReadonlyArray<string>
  /** The sentence of the listing. */
  readonly sentence: string
  /** What the address shows in place of the host that it leads to. Of a string that is not a URL, without what may be secret. */
  readonly shown: string
  readonly suffix: string
  /** What Google suspects. */
  readonly threat: keyof typeof threats
  /** Why the destination of a wrapper was not read. */
  readonly unread: "TooMany" | "Unreadable"
  readonly words: ReadonlyArray<string>
}

type With<Name extends keyof AllDetails> = Pick<AllDetails, Name>

/** What a finding shows: some of all details, by its kind. The contract has them in `FindingDetails`. */
export type Details = Partial<AllDetails>

/** A row of a list, by who published it. */
export interface NamedList {
  readonly publisher: string
  /** Such as `phishing`. */
  readonly category: string
  /** When it was downloaded: `2026-11-21 09:00 UTC`. */
  readonly date: string
}

/** A brand as people know it, such as `PayPal`, and its own domain. */
export interface NamedBrand {
  readonly name: string
  readonly domain: string
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

/** What a page may do of which Google suspects this. */
export const threats = {
  phishing: "may trick visitors into revealing personal information",
  malware: "may harm the visitor's device",
  "unwanted software": "may offer harmful programs",
  "harmful applications": "may offer an app that does harm"
} as const

type Listed = With<"host" | "innerHost" | "isOtherSpelling" | "list">

/** `PhishTank as phishing (list of 2026-11-21 09:00 UTC)` */
export const listName = ({ category, date, publisher }: NamedList): string =>
  `${publisher} as ${category} (list of ${date})`

/** `AddressText.inReason` names the host of another address. */
const on = ({ host, innerHost }: With<"host" | "innerHost">): string =>
  innerHost === undefined ? ` on ${AddressText.shortHost(host)}` : ""

const suspected = ({ host, innerHost, threat }: With<"host" | "innerHost" | "threat">): string => {
  const shown = AddressText.shortHost(host)
  const page = innerHost === undefined ? `the page on ${shown}` : `the link leads to ${shown}, which`
  return `Suspected ${threat}: ${page} ${threats[threat]}`
}

/** Without list and threat the operator blocks the address. */
const carried = ({ address, list, threat }: With<"address"> & Pick<Details, "list" | "threat">): string => {
  const suspicion = threat && `suspected of ${threat}: it ${threats[threat]}`
  const listing = list && `listed by ${listName(list)}`
  return `The link contains the address ${address}, which is ${listing ?? suspicion ?? "blocked by the operator of this service"}`
}

const usesBrand =
  (verb: string) =>
  ({ brand, host }: With<"brand" | "host">): string =>
    `The address ${quoteHost(host)} ${verb} ${brand.name}; the real one is ${brand.domain}`

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
    ...decides("operator_lists", 100),
    sentence: ({ host }: With<"host">) =>
      `The address ${AddressText.shortHost(host)} is blocked by the operator of this service`,
    meaning:
      "your `BLOCK_LIST` covers the address, or one that the link leads to. The score is 100 whatever else was found"
  },
  listedUrl: {
    ...decides("feeds", 100),
    sentence: (listed: Listed) =>
      `${listed.isOtherSpelling ? "Another address of the same content" : "This address"}${on(listed)} is listed by ${listName(listed.list)}`,
    meaning:
      "a list has this URL; on a site that many people share, also the same content under another address"
  },
  listedHost: {
    ...decides("feeds", 80),
    sentence: ({ host, list }: Listed) =>
      `The address ${AddressText.shortHost(host)} belongs to a site that is listed by ${listName(list)}`,
    meaning: "a list has the whole host, or one above it"
  },
  listedDirectory: {
    ...decides("feeds", 80),
    sentence: (listed: Listed) =>
      `The page${on(listed)} is in a folder that is listed by ${listName(listed.list)}`,
    meaning: "a list has a folder that the page is in"
  },
  listedPage: {
    ...decides("feeds", 70),
    sentence: (listed: Listed) =>
      `Another address of the same page${on(listed)} is listed by ${listName(listed.list)}`,
    meaning: "a list has the same page with another query, or on a host above"
  },
  otherPagesListed: {
    ...decides("feeds", 45),
    sentence: (listed: With<"host" | "innerHost" | "list" | "pages">) =>
      `${listed.pages} other pages${on(listed) || " there"} are listed by ${listName(listed.list)}`,
    meaning: "a list has three pages or more of this host, but not this one"
  },
  unconfirmedListing: {
    ...decides("feeds", 30),
    sentence: ({ sentence }: With<"sentence">) => `${sentence}, but no other list confirms it`,
    meaning: "one list has a whole popular site, and no list of another publisher has it"
  },
  severeThreat: {
    ...decides("reputation_lookup", 100),
    sentence: suspected,
    meaning: "Google suspects phishing or malware"
  },
  unwantedSoftware: {
    ...decides("reputation_lookup", 40),
    sentence: suspected,
    meaning: "Google suspects unwanted software or a harmful app"
  },
  carriedListing: {
    ...decides("lists", 65),
    sentence: carried,
    meaning:
      "the URL contains an address, perhaps only as a parameter, that a list has, that Google suspects of phishing or malware, or that you block"
  },
  carriedUnwantedSoftware: {
    ...decides("reputation_lookup", 40),
    sentence: carried,
    meaning: "the same for unwanted software or a harmful app"
  },
  malformed: {
    ...decides("heuristics", 40),
    sentence: ({ problem, shown }: With<"problem" | "shown">) =>
      shown === ""
        ? "This is not a web address: it names no site"
        : `This is not a web address: "${quote(shown)}" names ${problem === "NoHost" ? "no site" : "a site that cannot exist"}`,
    meaning: "no host, or a host or port that cannot be"
  },
  notHttps: {
    ...decides("heuristics", 10),
    sentence: () => "URL is not HTTPS",
    meaning: "the scheme is not `https`, and the URL has a host: `http`, `ftp` and others"
  },
  scriptScheme: {
    ...decides("heuristics", 40),
    sentence: ({ scheme }: With<"scheme">) =>
      `The link begins with "${quote(scheme)}:": it contains a program or a page instead of leading to one`,
    meaning: "`javascript:`, `data:` or `vbscript:`"
  },
  otherScheme: {
    ...decides("heuristics", 10),
    sentence: ({ scheme }: With<"scheme">) =>
      `The link begins with "${quote(scheme)}:", so it does not lead to a web page`,
    meaning: "another scheme without a host, such as `mailto:` or `tel:`"
  },
  userInfo: {
    ...explains,
    sentence: ({ host }: With<"host">) =>
      `The address has a user name in front of its site, ${quoteHost(host)}, which can mislead readers`,
    meaning: "the host has a user name, or a user name and a password, in front of it"
  },
  unreadDestination: {
    ...decides("heuristics", 40),
    sentence: ({ unread }: With<"unread">) =>
      unread === "TooMany"
        ? "The link leads through more addresses than we read"
        : "The link leads to an address that cannot be read",
    meaning:
      "[known redirectors](lists.md#wrappers-and-addresses-inside-a-url) lead to more than four addresses, or to one that is too long or cannot be read, or the URL carries more than four addresses"
  },
  disguisedFile: {
    ...decides("heuristics", 40),
    sentence: disguised,
    meaning:
      "the path, or a parameter such as `file`, ends in two extensions, such as `.pdf.exe`, or its name is written backwards before `.exe`"
  },
  harmfulFile: {
    ...decides("heuristics", 40),
    sentence: ({ file }: With<"file">) =>
      `The file "${quoteEnd(file)}" starts a program when opened, and honest sites rarely offer such files`,
    meaning: "the path ends in `.lnk`, `.hta`, `.scr` or the like"
  },
  executablePath: {
    ...explains,
    sentence: ({ extension }: With<"extension">) =>
      `The address opens a program, or a document that can contain one (.${extension})`,
    meaning: "the path ends in `.exe`, `.apk`, `.docm`, `.iso` or the like"
  },
  pageAmongSoftware: {
    ...explains,
    sentence: ({ folder }: With<"folder">) =>
      `The page is in a technical folder of the site ("/${folder}/"), where intruders often hide pages`,
    meaning: "a page in a folder of WordPress, or in `/.well-known/`"
  },
  brandDomainInPath: {
    ...decides("heuristics", 40),
    sentence: ({ host, shown }: With<"host" | "shown">) =>
      `The address shows "${quote(shown)}" before a page that asks to sign in, but belongs to ${quoteHost(host)}`,
    meaning:
      "the path has the domain of a brand, and after it a page for signing in. Not in archives, repositories of code and other sites that quote domains of others"
  },
  brandInPath: {
    ...explains,
    sentence: ({ brand }: With<"brand">) =>
      `The address of the page uses the name ${brand.name}; the real site is ${brand.domain}`,
    meaning: "the path has the name of a brand, and the host does not"
  },
  lureInPath: {
    ...explains,
    sentence: (found: With<"words">) => `The address of the page has ${wordsOfPhishing(found)}`,
    meaning: "the path has a word about signing in, paying or hurrying"
  },
  newDomain: {
    checker: "heuristics",
    strength: "weighs",
    sentence: ({ days, domain }: With<"days" | "domain">) =>
      `The address ${quoteHost(domain)} was registered ${days === undefined ? "recently" : `in the last ${days} days`}`,
    meaning:
      "your [list of new domains](lists.md#new-domains) has the domain. It adds to the model's value: never 40 by itself, and not on popular sites and shared hosts"
  },
  mailAddress: {
    ...explains,
    sentence: () => "The link contains a mail address: phishing fills in yours",
    meaning: "path or query contains a mail address. It is not quoted"
  },
  brandInUserInfo: {
    ...decides("heuristics", 70),
    sentence: ({ host, shown }: With<"host" | "shown">) =>
      `The address is made to look like "${quote(shown)}", but leads to ${quoteHost(host)}`,
    meaning: "the part before `@` is the domain of a large brand"
  },
  deceptiveUserInfo: {
    ...decides("heuristics", 40),
    sentence: ({ host, shown }: With<"host" | "shown">) =>
      `The address looks like "${quote(shown)}", but leads to ${quoteHost(host)}`,
    meaning: "the part before `@` looks like the address of a site"
  },
  privateHost: {
    ...decides("heuristics", 15),
    sentence: ({ host }: With<"host">) =>
      `The address ${quoteHost(host)} is on a private network or on your own device, not on the Internet`,
    meaning: "a host of a private network, or of the machine itself"
  },
  ipHost: {
    ...explains,
    sentence: ({ host }: With<"host">) => `The address ${quoteHost(host)} is only a number, not a name`,
    meaning: "an IP address in place of a name"
  },
  internationalHost: {
    ...explains,
    sentence: ({ label }: With<"label">) =>
      `The name "${quote(label)}" stands for characters other than a to z, which can look like ordinary letters`,
    meaning: "the host has letters beyond ASCII"
  },
  mixedScripts: {
    ...decides("heuristics", 40),
    sentence: ({ label, scripts }: With<"label" | "scripts">) =>
      `The name "${quote(label)}" mixes ${scripts.join(" and ")} letters, some of which look the same`,
    meaning: "one label of the host mixes alphabets"
  },
  decoyDomain: {
    ...explains,
    sentence: ({ registrable, shown }: With<"registrable" | "shown">) =>
      `The address shows "${quote(shown)}", but belongs to ${quoteHost(registrable)}`,
    meaning: "the host contains something that looks like another domain, in front of its own"
  },
  dynamicDns: {
    ...explains,
    sentence: ({ suffix }: With<"suffix">) =>
      `The name of the site is from ${suffix}, which gives names to anyone's computer`,
    meaning: "a name from dynamic DNS or a tunnel"
  },
  abusedSuffix: {
    ...explains,
    sentence: ({ suffix }: With<"suffix">) =>
      `Addresses that end in ".${suffix}" are often used for phishing`,
    meaning: "the top-level domain, or another suffix, is cheap or free and often abused"
  },
  freeHosting: {
    ...explains,
    sentence: ({ suffix }: With<"suffix">) => `The page is on ${suffix}, where anyone can publish for free`,
    meaning: "a hosting firm where anyone can publish"
  },
  shortener: {
    ...decides("heuristics", 20),
    sentence: ({ host }: With<"host">) =>
      `The address ${quoteHost(host)} shortens links, which hides where this one leads`,
    meaning: "a link shortener"
  },
  machineName: {
    ...explains,
    sentence: ({ label, pattern }: With<"label" | "pattern">) =>
      `The name "${quote(label)}" looks made by a program: ${patterns[pattern]}`,
    meaning: "the domain looks generated"
  },
  brandHomograph: {
    ...decides("heuristics", 70),
    sentence: usesBrand("is spelled to look like"),
    meaning:
      "the domain's whole name looks like a large brand: digits, `rn`, `vv` or letters of other alphabets for its letters, and no other change"
  },
  brandSplit: {
    ...decides("heuristics", 60),
    sentence: usesBrand("splits the name"),
    meaning: "a dot stands inside the name of a brand: `myetherw.allet.example`"
  },
  bankCodeLure: {
    ...decides("heuristics", 70),
    sentence: ({ brand, host, words }: With<"brand" | "host" | "words">) =>
      `The address ${quoteHost(host)} combines the name of a bank (${brand.name}) with words for its confirmation codes (${inQuotes(words)})`,
    meaning:
      "the host has the name of a bank and a word for the codes that confirm its orders, such as `tan`. Not on free hosting"
  },
  brandLure: {
    ...decides("heuristics", 60),
    sentence: ({ brand, host, words }: With<"brand" | "host" | "words">) =>
      `The address ${quoteHost(host)} uses the name ${brand.name} with words that ask for a login or money (${inQuotes(words)}); the real one is ${brand.domain}`,
    meaning:
      "the host has the name of a brand, or a look-alike, beside a word that asks for credentials, codes or money, whatever other words there are"
  },
  brandDomainInHost: {
    ...decides("heuristics", 70),
    sentence: usesBrand("is made to look like"),
    meaning: "the host contains the whole domain of a brand, but does not belong to it"
  },
  brandLookAlike: {
    ...explains,
    sentence: usesBrand("imitates"),
    meaning: "the host has a name that looks like a brand: other digits and letters, or a typing error"
  },
  brandInDomain: {
    ...explains,
    sentence: usesBrand("uses the name"),
    meaning: "the domain has the name of a brand, alone or beside other words"
  },
  brandInSubdomain: {
    ...explains,
    sentence: usesBrand("borrows the name"),
    meaning: "a subdomain has the name of a brand"
  },
  brandAmongWords: {
    ...explains,
    sentence: usesBrand("contains the name"),
    meaning: "the name of a brand is one of several words"
  },
  lureInDomain: {
    ...explains,
    sentence: (found: With<"words">) => `The name of the site has ${wordsOfPhishing(found)}`,
    meaning:
      "the registrable domain has two or more words about signing in, paying or hurrying. Not on free hosting"
  },
  lureInHost: {
    ...explains,
    sentence: (found: With<"words">) => `The address of the site has ${wordsOfPhishing(found)}`,
    meaning: "the host has such a word, but no name of a brand"
  },
  model: {
    checker: "heuristics",
    strength: "weighs",
    sentence: typicalParts,
    meaning: "the text of the address resembles reported phishing more than ordinary addresses do"
  }
} as const satisfies Readonly<Record<string, Kind>>

export type FindingKind = keyof typeof kinds

/** The score that a kind has by itself: 0 if it weighs or explains. */
export const ownScore = (kind: FindingKind): number => {
  const { strength }: Kind = kinds[kind]
  return typeof strength === "number" ? strength : 0
}

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

/** A piece of evidence in a URL, with the text or number that was found. */
export type Signal = Found<KindsBy<"heuristics">>

export const sentenceOf = (found: Found): string =>
  // A union of functions takes no union: the kind says which of them takes these details.
  (kinds[found.kind].sentence as (details: Found) => string)(found)
