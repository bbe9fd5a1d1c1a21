/** Decides what is done with the body of a MIME entity: read in which way, ignored, or reported as unread. */

import { fileTypeOf, hasControls, isText, utf16Of } from "../Encoded.ts"

/** `mail`: also the header of one. `media`, `ignored`: without links. `other`: unknown here. */
export type Format = "mail" | "html" | "calendar" | "text" | "media" | "ignored" | "other"

/** The first match counts. */
const FORMATS: ReadonlyArray<readonly [format: Format, types: RegExp]> = [
  ["mail", /^(?:message\/(?:rfc822|global|global-headers)|text\/rfc822-headers)$/],
  ["html", /^(?:text\/html|application\/xhtml\+xml|image\/svg)/],
  ["calendar", /^(?:text\/calendar|application\/ics)$/],
  [
    "text",
    /^(?:text\/|application\/(?:json|xml|x-ndjson|javascript|x-www-form-urlencoded|[\w.-]{1,80}\+(?:json|xml)))/
  ],
  ["media", /^(?:image|audio|video|font)\//],
  // Signatures, keys, and reports of mail servers.
  [
    "ignored",
    /^(?:application\/(?:(?:x-)?pkcs7-signature|pgp-signature|pgp-keys)|message\/(?:(?:global-)?(?:delivery-status|disposition-notification)|feedback-report))/
  ]
]

/** Returns how a body of a media type is read. `formatOf("text/plain")` is `"text"`. */
export const formatOf = (type: string): Format =>
  FORMATS.find(([, types]) => types.test(type))?.[0] ?? "other"

/** Whether a body is a text that people read. */
export const isTextFormat = (format: Format): boolean =>
  format === "html" || format === "calendar" || format === "text"

const hasNoLinks = (format: Format): boolean => format === "media" || format === "ignored"

const TYPES_BY_EXTENSION: Readonly<Record<string, string>> = {
  htm: "text/html",
  html: "text/html",
  shtml: "text/html",
  xhtml: "text/html",
  svg: "image/svg+xml",
  eml: "message/rfc822",
  ics: "text/calendar",
  txt: "text/plain",
  csv: "text/csv",
  json: "application/json"
}
/** Windows ignores dots and blanks at the end of a file name. */
const EXTENSION = /(?:\.|%2e)([a-z]{1,5})[. ]{0,9}$/i

/**
 * Returns the media type of a file: by its extension, which Windows goes by, if the declared type says nothing or has no links.
 * `mediaTypeOf("image/png", "a.html")` is `"text/html"`.
 */
export const mediaTypeOf = (declared: string, fileName: string): string => {
  const extension = EXTENSION.exec(fileName)?.[1]?.toLowerCase() ?? ""
  const isVague = declared === "application/octet-stream" || !declared.includes("/")
  const byExtension = isVague || hasNoLinks(formatOf(declared)) ? TYPES_BY_EXTENSION[extension] : undefined
  return byExtension ?? declared
}

/** What the header of an entity says about its body. */
export interface BodyHeader {
  /** The media type in lower case, or that of the file extension. */
  readonly type: string
  readonly format: Format
  /** The parameters of the type, from the first semicolon; `""` for none. */
  readonly parameters: string
  /** The transfer encoding in lower case; as it is written if it is unknown, and `""` for none. */
  readonly encoding: string
}

const KNOWN_ENCODINGS = new Set(["", "7bit", "8bit", "binary", "base64", "quoted-printable"])
/** Neither ASCII nor known to a decoder here. */
const UNKNOWN_CHARSET =
  /charset\W{1,9}(?:[\w-]{0,20}utf-?7|(?:ibm|cp|x-ebcdic)-?(?:0?37|273|500|1047|1140))\b/i
const UTF_16 = /charset\W{1,9}utf-?16/i

/** What of the encoding and charset cannot be decoded. The body is read all the same: programs show what they can. */
const undecodable = ({ encoding, parameters, type }: BodyHeader): ReadonlyArray<string> => [
  ...(KNOWN_ENCODINGS.has(encoding) ? [] : [`${type} in ${encoding.slice(0, 50)}`]),
  ...(UNKNOWN_CHARSET.test(parameters) ? [`${type} in UTF-7 or EBCDIC`] : [])
]

/** What is done with a body. */
export interface Treatment {
  /**
   * - `mail`, `text`: as its type says.
   * - `content`: as its bytes say.
   * - `addresses`: for its links with a scheme. The names of mail servers in a report are not links.
   * - `guess`: as its bytes say, and reported as unread if that is only running text.
   */
  readonly readAs: "mail" | "text" | "content" | "addresses" | "guess" | "nothing"
  /** What is reported as unread. */
  readonly unread: ReadonlyArray<string>
}

/**
 * Decides how a body is read. `sample`: its first bytes, without the transfer encoding.
 *
 * | format | bytes | read as | reported |
 * |---|---|---|---|
 * | mail | any | mail | |
 * | media | text | content | |
 * | ignored | text | addresses | |
 * | media, ignored | any other | nothing | type of a known file |
 * | text | a known file | text | type of the file |
 * | text | any other | text | if they are not a text |
 * | other | media | nothing | |
 * | other | text | guess | |
 * | other | any other | nothing | type |
 *
 * Where a body is read, an unknown encoding or charset is reported too.
 */
export const treatmentOf = (header: BodyHeader, sample: Uint8Array): Treatment => {
  const { format, parameters, type } = header
  if (format === "mail") return { readAs: "mail", unread: undecodable(header) }
  const file = fileTypeOf(sample)
  const knownFile = file === undefined || file === "" ? [] : [file]
  if (hasNoLinks(format) && isText(sample))
    return { readAs: format === "media" ? "content" : "addresses", unread: undecodable(header) }
  if (hasNoLinks(format)) return { readAs: "nothing", unread: knownFile }
  if (isTextFormat(format)) {
    const isUtf16 = utf16Of(sample) !== undefined || UTF_16.test(parameters)
    const isBinary = file === undefined && hasControls(sample) && !isUtf16
    const notText = isBinary ? [`${type} that is not a text`] : []
    return { readAs: "text", unread: [...knownFile, ...undecodable(header), ...notText] }
  }
  if (file === "") return { readAs: "nothing", unread: [] }
  return isText(sample)
    ? { readAs: "guess", unread: undecodable(header) }
    : { readAs: "nothing", unread: [type] }
}
