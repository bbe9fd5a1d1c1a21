import { Buffer } from "node:buffer"
import * as CanonicalHost from "../../Url/CanonicalUrl/CanonicalHost.ts"
import * as PercentEncoding from "../../Url/CanonicalUrl/PercentEncoding.ts"
import { type CanonicalUrl, isWeb } from "../../Url/CanonicalUrl.ts"
import type { Found } from "../Kinds.ts"
import * as BrandName from "./Brand/BrandName.ts"
import * as Brands from "./Brand/Brands.ts"
import * as Brand from "./Brand.ts"
import * as Scripts from "./Host/Scripts.ts"
import * as HostFacts from "./HostFacts.ts"
import * as Words from "./Words.ts"

/** A file at the end of a path that can harm its user. */
type RiskyFile = Found<"disguisedFile" | "executablePath" | "harmfulFile">

/** What the heuristics know about path and query. */
export interface PathFacts {
  readonly lures: ReadonlyArray<string>
  readonly brand: BrandName.NamedBy | undefined
  /** The domain of a brand, which does not own the host, before a page that asks to sign in. */
  readonly brandDomain: string | undefined
  readonly file: RiskyFile | undefined
  /** The technical folder of a page that visitors have no reason to open. */
  readonly softwareFolder: string | undefined
  /** Path or query contains a mail address. Kept without the query: see `withoutQuery`. */
  readonly hasMailAddress: boolean
}

/** The part before `@`, which readers may take for the host. */
export interface UserInfo {
  readonly kind: "brandInUserInfo" | "deceptiveUserInfo" | "userInfo"
  /** What reads like a host; `""` for `userInfo`, which may be a password. */
  readonly shown: string
}

/** What the heuristics know about a URL, computed once for findings and model. */
export interface UrlFacts {
  readonly url: CanonicalUrl
  readonly host: HostFacts.HostFacts
  readonly path: PathFacts
  readonly userInfo: UserInfo | undefined
}

const factsOnHost = (url: CanonicalUrl, host: HostFacts.HostFacts): UrlFacts => ({
  url,
  host,
  path: pathFactsOf(url, host),
  userInfo: userInfoOf(url)
})

export const factsOf = (url: CanonicalUrl): UrlFacts => factsOnHost(url, HostFacts.factsOf(url.host))

/** The facts of the URL without its query. A mail address in the query is the one thing of a query that can raise a value. */
export const withoutQuery = (facts: UrlFacts): UrlFacts => ({
  ...facts,
  url: { ...facts.url, query: undefined }
})

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443 }

/** Whether a URL names a port other than its scheme's. */
export const hasPort = ({ port, scheme }: CanonicalUrl): boolean =>
  port !== undefined && port !== defaultPorts[scheme]

/** Whether a URL is only a host: without path, query, port and user info. */
export const isBareHost = (url: CanonicalUrl): boolean =>
  url.path === "/" && url.query === undefined && url.userInfo === undefined && !hasPort(url)

const bareUrl = ({ scheme }: CanonicalUrl, host: string): CanonicalUrl => ({
  scheme,
  host,
  path: "/",
  query: undefined,
  port: undefined,
  userInfo: undefined
})

/** The facts of the host alone. */
export const ofHost = ({ host, url }: UrlFacts): UrlFacts => factsOnHost(bareUrl(url, url.host), host)

/**
 * What the registrable domain has in front in the hosts that a subdomain cannot make harmless: nothing, and the label before it if there
 * are more. `""` and `amazon.` for `docs.amazon.shop.example`. `www` is no label here.
 */
export const domainPrefixes = ({ host: { name } }: UrlFacts): ReadonlyArray<string> => {
  const labels = name?.subdomains.filter((label) => label !== "www") ?? []
  return labels.length > 1 ? ["", `${labels.at(-1)}.`] : [""]
}

/** The facts of the registrable domain with a prefix, alone. Only for a host that has one. */
export const ofDomain = ({ host, url }: UrlFacts, prefix: string): UrlFacts =>
  factsOf(bareUrl(url, `${prefix}${host.name?.registrable ?? host.host}`))

/** Of a host alone. */
const noPathFacts: PathFacts = {
  lures: [],
  brand: undefined,
  brandDomain: undefined,
  file: undefined,
  softwareFolder: undefined,
  hasMailAddress: false
}

const pathFactsOf = ({ host, path, query }: CanonicalUrl, { isBrandsOwn }: HostFacts.HostFacts): PathFacts =>
  path === "/" && query === undefined
    ? noPathFacts
    : {
        lures: Words.luresIn(path),
        brand: isBrandsOwn ? undefined : Brand.findInPath(path),
        brandDomain: Brand.findDomainInPath(host, path),
        file: riskyFileOf(path),
        softwareFolder: isBrandsOwn ? undefined : softwareFolderOf(path),
        hasMailAddress: isMailAddressIn(path) || (query !== undefined && isMailAddressIn(query))
      }

const setOf = (spaced: string): ReadonlySet<string> => new Set(spaced.split(" "))

/**
 * Files that run when opened, documents with macros, disk images, which Windows opens like a folder, and files that connect to
 * another computer (`rdp`, `url`). Without `com`, which ends paths such as `/www.example.com`.
 */
const programs = setOf(
  "exe msi msix appx bat cmd ps1 vbs cpl jar apk dmg pkg deb rpm appimage xll docm xlsm pptm xlam iso img vhd vhdx chm msc reg " +
    "rdp url"
)

/**
 * Files that Windows runs when opened and that people have no reason to offer for download: shortcuts, pages with the rights of a
 * program, screen savers, encoded scripts. In the development data they are only among the reported addresses.
 */
const harmful = setOf("hta lnk scr pif jse vbe wsf wsh")

/** Documents and pictures, as people know them. */
const documents = setOf(
  "pdf doc docx xls xlsx ppt pptx rtf odt txt csv jpg jpeg png gif bmp tif tiff webp mp3 mp4 avi mov htm html eml msg"
)

/** Characters that reverse the direction of the text after them: U+202E, U+202D, U+2067. */
const REVERSED = /%E2%80%A[DE]|%E2%81%A7/i

/** An extension, and what hides that another one follows. */
const PADDED_EXTENSION = /^([a-z0-9]+)(?:%20|_)*$/

/** The file that a path ends in: `/files/setup.exe` is an `executablePath`, and `/files/invoice.pdf.exe` a `disguisedFile`. */
const riskyFileOf = (path: string): RiskyFile | undefined => {
  const whole = path.endsWith("/") ? path.slice(0, -1) : path
  const file = whole.slice(whole.lastIndexOf("/") + 1)
  if (!file.includes(".")) return undefined
  const [extension = "", ...others] = file.toLowerCase().split(".").reverse()
  if (!programs.has(extension) && !harmful.has(extension)) return undefined
  const isReversed = REVERSED.test(file)
  const [before = ""] = others.length > 1 ? others : []
  if (isReversed || documents.has(PADDED_EXTENSION.exec(before)?.[1] ?? ""))
    return { kind: "disguisedFile", file, isReversed }
  return harmful.has(extension) ? { kind: "harmfulFile", file } : { kind: "executablePath", extension }
}

/**
 * A page among the files of WordPress, or in the folder for certificate validation: visitors have no pages there, but an
 * intruder can write there. Uploads and the two programs that sites call themselves do not count.
 */
const AMONG_SOFTWARE =
  /\/(wp-content|wp-includes|wp-admin|\.well-known)\/(?!(?:uploads\/|admin-(?:ajax|post)\.php))(?:[^?]*\/)?(?:[^/.?]+\.(?:php\d?|html?|aspx?)\/?)?$/

/** `user@example.com`, `user%40example.com`; not `/@user`, `/@user@social.example` and `package@1.2.3/index.js`. */
const MAIL_ADDRESS =
  /(?<![@a-z0-9._+%-])[a-z0-9][a-z0-9._+-]{0,63}(?:@|%40)(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![a-z0-9-])/i

const isMailAddressIn = (text: string): boolean =>
  (text.includes("@") || text.includes("%40")) && MAIL_ADDRESS.test(text.slice(0, MAX_READ_CHARS))

/** The rest of a path is padding. */
const MAX_READ_CHARS = 1024

const ADMIN = "/wp-admin"
const ADMIN_PAGE = /^\/wp-admin(?:\/(?:([a-z-]+)\.php)?)?$/

/** The pages of WordPress for its owners: https://github.com/WordPress/WordPress/tree/master/wp-admin. */
const adminPages = setOf(
  "about admin customize edit edit-comments edit-tags export import index media-new nav-menus options-discussion " +
    "options-general options-media options-permalink options-privacy options-reading options-writing plugin-editor " +
    "plugin-install plugins post post-new profile site-editor site-health term theme-editor theme-install themes tools " +
    "update-core upload user-edit user-new users widgets"
)

/**
 * Whether a path is a page where the owner of a site with WordPress signs in: `/wp-admin/`, `/blog/wp-admin/edit.php`; not
 * `/verify/wp-admin/`, as anybody can name the last folder so.
 */
export const isAdminPage = (path: string): boolean => {
  const at = path.lastIndexOf(ADMIN)
  const found = at === -1 ? null : ADMIN_PAGE.exec(path.slice(at))
  if (found === null || Words.luresIn(path.slice(0, at)).length > 0) return false
  return found[1] === undefined || adminPages.has(found[1])
}

/** `wp-includes` of `/wp-includes/pay.php`. */
const softwareFolderOf = (path: string): string | undefined =>
  (path.includes("/wp-") || path.includes("/.well-known/")) && !isAdminPage(path)
    ? AMONG_SOFTWARE.exec(path.slice(0, MAX_READ_CHARS))?.[1]
    : undefined

/** Whether the host position holds a command for an app: `whatsapp://send`. */
export const isCommand = (url: CanonicalUrl): boolean =>
  !isWeb(url) && !url.host.includes(".") && !CanonicalHost.isIpAddress(url.host)

/** What is not shown in an address bar, or only as a blank. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Z}\p{Cc}]+/gu
const CHINESE_DOT = /[\u3002\uff61]/g
const LEADING_PUNCTUATION = /^[\p{P}\p{S}]+/u

/**
 * A host at the beginning of user info, perhaps behind a scheme, whatever follows it: `paypal.com` of `paypal.com:login` and
 * `https://paypal.com`, but not the user name `first.last`.
 */
const FIRST_HOST =
  /^(?:https?:[^a-z0-9]{0,9})?((?:[a-z0-9-]{1,63}\.){1,8}(?:(com|net|org|gov|edu|info|biz|app|io|[a-z]{2})|[a-z]{2,12}))(?!\.?[a-z0-9-])/

const isLargeBrands = (domain: string): boolean =>
  Brands.ownersOf(domain).some((brand) => brand.names.some((name) => BrandName.isLarge({ brand, name })))

/** The host is read in the Latin letters that user info resembles. */
const userInfoOf = ({ userInfo, host }: CanonicalUrl): UserInfo | undefined => {
  if (userInfo === undefined || userInfo === "") return undefined
  const text = Buffer.from(PercentEncoding.decode(userInfo), "latin1")
    .toString()
    .replace(INVISIBLE, "")
    .replace(LEADING_PUNCTUATION, "")
    .replace(CHINESE_DOT, ".")
  const written = Scripts.toLatin(text.slice(0, CanonicalHost.MAX_HOST_CHARS).toLowerCase())
  const [, shown, usualSuffix] = FIRST_HOST.exec(written) ?? []
  if (shown === undefined) return { kind: "userInfo", shown: "" }
  if (isLargeBrands(shown) && Brands.isOtherBrands(shown, host)) return { kind: "brandInUserInfo", shown }
  return usualSuffix === undefined ? { kind: "userInfo", shown: "" } : { kind: "deceptiveUserInfo", shown }
}
