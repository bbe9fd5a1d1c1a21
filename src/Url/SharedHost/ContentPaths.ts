/**
 * The table of paths that name the content on a shared host, maintained by hand from what threat lists contain. On such a
 * path the server ignores the query, or uses it only for how the content is shown.
 */

import { shortenerNames } from "./SharedHostNames.ts"

/**
 * Host names, which stand for their subdomains too, and patterns of paths. The first pattern that fits a path counts.
 *
 * - `*`: one segment.
 * - `**`: this segment and all further ones. Each page below is content of its own.
 * - `...`: further segments or none. They are views of the same content: `/file/d/1/view` and `/file/d/1/edit`.
 */
const table: ReadonlyArray<readonly [hosts: string, patterns: string]> = [
  // Sites and pages.
  ["sites.google.com", "/view/** /site/** /a/*/**"],
  ["telegra.ph linktr.ee taplink.cc justpaste.it sway.office.com chat.whatsapp.com", "/*"],
  ["unbouncepages.com", "/**"],
  ["notion.so", "/* /*/*"],
  ["medium.com", "/*/*"],
  ["express.adobe.com", "/page/*/... /webpage/*/..."],
  ["indd.adobe.com", "/view/*"],
  ["canva.com", "/design/*/*/..."],
  ["figma.com", "/file/*/... /proto/*/... /design/*/... /deck/*/... /board/*/..."],
  ["miro.com", "/app/board/*"],
  ["trello.com", "/b/*/... /c/*/..."],
  ["scribd.com", "/document/*/..."],
  ["issuu.com", "/*/docs/*"],
  // Documents and forms.
  ["docs.google.com", "/*/d/e/*/... /*/d/*/..."],
  ["script.google.com", "/macros/s/*/..."],
  ["lookerstudio.google.com", "/reporting/*/... /s/*"],
  ["forms.office.com forms.cloud.microsoft", "/r/* /e/*"],
  ["jotform.com", "/app/* /sign/*/... /*"],
  ["hsforms.com", "/*"],
  ["form.typeform.com", "/to/*"],
  ["surveymonkey.com", "/r/*"],
  ["tally.so", "/r/*"],
  ["app.smartsheet.com", "/b/form/*"],
  ["airtable.com cognitoforms.com", "/*/*"],
  // Files.
  ["drive.google.com", "/file/d/*/... /drive/folders/* /folders/*"],
  ["dropbox.com", "/s/*/... /sh/*/** /scl/fi/*/... /scl/fo/*/** /l/* /t/* /transfer/* /request/*"],
  ["dropboxusercontent.com", "/s/*/... /scl/fi/*/..."],
  ["box.com", "/s/*/..."],
  ["wetransfer.com", "/downloads/*/..."],
  ["mediafire.com", "/file/*/... /file_premium/*/... /view/*/... /folder/*/..."],
  ["mega.nz", "/file/* /folder/*"],
  ["gofile.io", "/d/*"],
  ["catbox.moe", "/*"],
  ["pastebin.com", "/raw/* /*"],
  ["cdn.discordapp.com", "/attachments/*/*/*"],
  // Code.
  ["github.com gitlab.com bitbucket.org huggingface.co", "/*/* /*/*/**"],
  ["raw.githubusercontent.com gist.githubusercontent.com", "/*/*/**"],
  ["cdn.jsdelivr.net", "/gh/*/*/**"],
  // Buckets of storage, and gateways of content-addressed networks.
  ["firebasestorage.googleapis.com", "/v0/b/*/o/**"],
  ["backblazeb2.com", "/file/*/**"],
  ["oraclecloud.com", "/n/*/b/*/o/**"],
  [
    `storage.googleapis.com storage.cloud.google.com amazonaws.com digitaloceanspaces.com wasabisys.com
    linodeobjects.com cloud-object-storage.appdomain.cloud`,
    "/*/**"
  ],
  ["ipfs.io gateway.pinata.cloud cloudflare-ipfs.com cf-ipfs.com dweb.link w3s.link", "/ipfs/*/**"],
  // Shorteners with longer paths than one segment.
  ["goo.gl", "/* /*/*"],
  ["1drv.ms", "/* /*/* /*/c/*/*"],
  ["t.me", "/* /joinchat/* /s/*"],
  ["wa.me", "/* /message/* /qr/*"],
  ["lnkd.in", "/* /p/*"],
  ["bit.ly", "/* /m/*"]
]

/**
 * First segments that are the host's own pages, the same for everybody, where a pattern has `*` or `**`: Telegram's `/iv` and
 * `/proxy`, Medium's `/m/global-identity-2`, Bitbucket's `/site/oauth2/authorize` take what they show from the query.
 */
const ownPages: ReadonlySet<string> = new Set(
  `login log-in signin sign-in signup sign-up register join logout account accounts user users settings profile oauth
  auth sso verify session sessions search url redirect redir link links away go out share send home index about help
  support contact terms privacy legal security pricing plans features product products solutions templates enterprise
  explore topics trending marketplace sponsors collections orgs organizations apps app api docs blog download downloads
  upload new create dashboard invite site watch m iv proxy socks boost confirmphone -- install-integration`
    .trim()
    .split(/\s+/)
)

/** A program at the root is the same for everybody: `/l.php`, `/redirect.aspx`. */
const PROGRAM = /\.(?:php|aspx?|jsp|cgi|do)$/i

/** Which of the visitor's Google accounts opens a document: `/forms/u/1/d/e/...`, `/drive/u/0/folders/...`. */
const ACCOUNT = /^(\/[a-z]+)\/u\/\d{1,2}(?=\/)/

const hostsWithAccounts: ReadonlySet<string> = new Set(["docs.google.com", "drive.google.com"])

type Pattern = ReadonlyArray<string>

const segmentsOf = (path: string): Array<string> => path.slice(1).split("/")

const patternsOf = (text: string): ReadonlyArray<Pattern> => text.split(" ").map(segmentsOf)

const ONE_SEGMENT = patternsOf("/*")

const patternsByHost: ReadonlyMap<string, ReadonlyArray<Pattern>> = new Map([
  ...Array.from(shortenerNames, (name) => [name, ONE_SEGMENT] as const),
  ...table.flatMap(([hosts, patterns]) =>
    hosts.split(/\s+/).map((host) => [host, patternsOf(patterns)] as const)
  )
])

/** Bounds the lookups for a host of many labels. */
const MAX_NAME_CHARS = Math.max(...Array.from(patternsByHost.keys(), (name) => name.length))

/** The patterns of the host, or of the nearest name above it. */
const patternsFor = (host: string): ReadonlyArray<Pattern> | undefined => {
  let start = 0
  do {
    const isShort = host.length - start <= MAX_NAME_CHARS
    const patterns = isShort ? patternsByHost.get(host.slice(start)) : undefined
    if (patterns !== undefined) return patterns
    start = host.indexOf(".", start) + 1
  } while (start > 0)
  return undefined
}

/** How many segments of the path name the content; 0 when the pattern does not fit. */
const countOfContent = (pattern: Pattern, segments: ReadonlyArray<string>): number => {
  for (const [i, wanted] of pattern.entries()) {
    if (wanted === "...") return i
    const segment = segments[i]
    if (segment === undefined) return 0
    if (wanted === "**") return i === 0 && isOwnPage(segment) ? 0 : segments.length
    if (wanted === "*" ? i === 0 && isOwnPage(segment) : wanted !== segment) return 0
  }
  return segments.length === pattern.length ? pattern.length : 0
}

const isOwnPage = (segment: string): boolean => ownPages.has(segment.toLowerCase()) || PROGRAM.test(segment)

/**
 * Returns the part of a canonical path that names the content on a shared host, without a slash at its end; undefined where
 * the path is the same for everybody, or no pattern is known.
 *
 * `contentPath("drive.google.com", "/file/d/1/view")` is `/file/d/1`, `contentPath("bit.ly", "/abc/")` is `/abc`,
 * `contentPath("drive.google.com", "/open")` undefined.
 */
export const contentPath = (host: string, path: string): string | undefined => {
  const patterns = path === "/" ? undefined : patternsFor(host)
  if (patterns === undefined) return undefined
  const ownPath = hostsWithAccounts.has(host) ? path.replace(ACCOUNT, "$1") : path
  const segments = segmentsOf(ownPath.endsWith("/") ? ownPath.slice(0, -1) : ownPath)
  for (const pattern of patterns) {
    const count = countOfContent(pattern, segments)
    if (count > 0) return `/${segments.slice(0, count).join("/")}`
  }
  return undefined
}
