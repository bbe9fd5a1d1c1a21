/** The lists of ordinary addresses. Their terms are in training/README.md. */

import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect } from "effect"
import type { RankingFormatName } from "../../src/Layers/AppConfig.ts"
import { errorCodeOf } from "../../src/Layers/ErrorCode.ts"
import { CorpusError } from "./CorpusFolder.ts"

export interface BenignList {
  /** The source of its rows. */
  readonly name: string
  /** `links`: all links of a text, in any format. Others: a ranking, of whose domains `https://domain/` is made. */
  readonly format: "links" | RankingFormatName
  readonly url: URL
}

const links = (name: string, url: string): BenignList => ({ name, format: "links", url: new URL(url) })

const gitHub = (name: string, path: string): BenignList =>
  links(name, `https://raw.githubusercontent.com/${path}`)

/** Links that are described in Wikidata, of the kind "described at URL". */
const WIKIDATA_QUERY = "SELECT ?url WHERE { ?item wdt:P973 ?url } LIMIT 50000"

/** Mostly pages below the root: a model that learns ordinary addresses from bare domains takes any path for a sign. */
const defaultLists: ReadonlyArray<BenignList> = [
  gitHub("justdeleteme", "jdm-contrib/jdm/master/_data/sites.json"),
  gitHub("apple-change-password", "apple/password-manager-resources/main/quirks/change-password-URLs.json"),
  gitHub("kagi-bangs", "kagisearch/bangs/main/data/bangs.json"),
  gitHub("simple-icons", "simple-icons/simple-icons/develop/data/simple-icons.json"),
  gitHub("university-domains", "Hipo/university-domains-list/master/world_universities_and_domains.json"),
  gitHub(
    "free-programming-books",
    "EbookFoundation/free-programming-books/main/books/free-programming-books-langs.md"
  ),
  gitHub("awesome-selfhosted", "awesome-selfhosted/awesome-selfhosted/master/README.md"),
  links("debian-homepage", "https://deb.debian.org/debian/dists/stable/main/source/Sources.gz"),
  links(
    "wikidata",
    `https://query.wikidata.org/sparql?format=json&query=${encodeURIComponent(WIKIDATA_QUERY)}`
  )
]

/** A line of the operator's list of lists cannot be used. */
export class BenignListsError extends Data.TaggedError("BenignListsError")<{
  readonly file: string
  /** From 1. */
  readonly line: number
}> {
  override get message(): string {
    return `${this.file}:${this.line}: expected a name, a format (links, majestic-csv or ranked-csv) and an address, separated by spaces`
  }
}

/** A file of this name in the folder of the corpus takes the place of `defaultLists`. */
const FILE_NAME = "benign-lists.txt"

const isFormat = (text: string | undefined): text is BenignList["format"] =>
  text === "links" || text === "majestic-csv" || text === "ranked-csv"

const parseLine = (line: string): BenignList | undefined => {
  const [name, format, address, ...others] = line.split(/\s+/)
  if (name === undefined || !isFormat(format) || address === undefined || others.length > 0) return undefined
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url !== undefined && /^(?:https?|file):$/.test(url.protocol) ? { name, format, url } : undefined
}

const isUsed = (line: string): boolean => line !== "" && !line.startsWith("#")

/** Parses the operator's list of lists: one a line, `#` begins a comment. */
const parse = (text: string, file: string): Effect.Effect<ReadonlyArray<BenignList>, BenignListsError> =>
  Effect.forEach(
    text
      .split("\n")
      .map((line, index) => ({ line: line.trim(), number: index + 1 }))
      .filter(({ line }) => isUsed(line)),
    ({ line, number }) => {
      const list = parseLine(line)
      return list === undefined ? new BenignListsError({ file, line: number }) : Effect.succeed(list)
    }
  )

/**
 * The lists of a folder, or the default ones and the ranking of the configuration if it has no list of lists. Fails for a
 * list of lists that cannot be read: its operator does not want the default ones.
 */
export const ofFolder = (
  folder: string,
  ranking: ReadonlyArray<BenignList>
): Effect.Effect<ReadonlyArray<BenignList>, BenignListsError | CorpusError> => {
  const file = join(folder, FILE_NAME)
  return Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (error) => errorCodeOf(error) ?? "unknown"
  }).pipe(
    Effect.matchEffect({
      onFailure: (code) =>
        code === "ENOENT"
          ? Effect.succeed([...defaultLists, ...ranking])
          : new CorpusError({ reason: "Unreadable", path: file, code }),
      onSuccess: (text) => parse(text, file)
    })
  )
}

/** The end of a link in Markdown, JSON, CSV, HTML or plain text. */
const LINK = /https?:\/\/[^\s"'`<>()[\]{}|\\^]+/gi

/** Of the sentence around a link. */
const PUNCTUATION = ".,;:!?*_~"

/** HTML escapes of characters that no link contains. */
const ESCAPES = ["&quot", "&gt", "&lt"]

/** In time that grows with the length alone: a pattern that ends with `$` would begin anew at each dot of a row of dots. */
const withoutTrailing = (link: string): string => {
  let end = link.length
  for (;;) {
    const ending = ESCAPES.find((text) => link.endsWith(text, end))
    if (ending !== undefined) end -= ending.length
    else if (PUNCTUATION.includes(link.charAt(end - 1))) end--
    else return link.slice(0, end)
  }
}

/**
 * Returns the links of a text in any format, as written and in its order. The escapes of JSON (`\/`, `\u0026`) and of HTML
 * (`&amp;`) for characters of URLs are resolved. A link ends before a bracket: `https://a.example/{id}` is
 * `https://a.example/`.
 */
export const linksOf = (text: string): ReadonlyArray<string> =>
  (text.replaceAll("\\/", "/").replaceAll("\\u0026", "&").replaceAll("&amp;", "&").match(LINK) ?? []).map(
    withoutTrailing
  )
