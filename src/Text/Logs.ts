/** Finds the links in the logs of web servers, proxies, name servers and firewalls. */

import { append, type Found, foundAt, moved } from "./Link.ts"
import * as PlainText from "./PlainText.ts"
import * as RequestFields from "./RequestFields.ts"
import { firstLines } from "./Tables.ts"

const REQUEST = /"(GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|PROPFIND) (\S{1,8192}) HTTP\/[\d.]{1,3}"/
/** The requested host before the address of the client, or behind it as in lighttpd and, twice, Virtualmin. Before `- -` it is the client. */
const HOST_FIRST =
  /^(?:[\da-f:.]{3,45} (?:- (?=\S{4,255} \S{4,255} \S{1,255} \[))?|(?!\S{1,255} - ))([a-z0-9.-]{1,253}\.[a-z][a-z0-9-]{1,62})(?::(\d{1,5}))? /i
/**
 * The requested host in another field: `host="a.example"`, `host: "a.example"` of nginx, captured headers of haproxy, behind the time,
 * or by itself in quotes.
 */
const HOST_FIELD =
  /(?:\b(?:host|vhost|domain|authority)(?:=|: )"?|\{|\] "?|"(?=[a-z0-9.-]{1,253}(?::\d{1,5})?"))([a-z0-9.-]{1,253}\.[a-z][a-z0-9-]{1,62})(?::(\d{1,5}))?(?=[\s",;|}]|$)/i
/** Behind a quote, if no other field has it: another name there may be of a server. */
const HOST_BEHIND_QUOTE = /" ([a-z0-9.-]{1,253}\.[a-z][a-z0-9-]{1,62})(?::(\d{1,5}))?(?=\s|$)/i

/** A field of a log: `host=a.example`, `path="/x"`. */
const PAIR = /(?<![\w.-])([\w.-]{1,40})=(?:"([^"]{1,8192})"|([^\s",;|]{1,8192}))/g

/** The URL of a request whose host and page are two fields of a line. */
const findInPairs = (line: string): ReadonlyArray<Found> => {
  if (!line.includes("=")) return []
  const addToRequest = RequestFields.make(false)
  return Array.from(line.matchAll(PAIR), ({ 1: name = "", 2: quoted, 3: plain = "", index }) =>
    addToRequest(name, quoted ?? plain, index + name.length + 1)
  ).flat()
}

/** Their fields, such as `Domain=a.example; Path=/x`, are not a log. */
const PAGE_OR_COOKIE = /^\s*<|cookie/i

/** Whether a text has a request among its first lines, as in the log of a web server. */
export const isLog = (text: string): boolean =>
  firstLines(text).some(
    (line) => REQUEST.test(line) || (!PAGE_OR_COOKIE.test(line) && findInPairs(line).length > 0)
  )

/**
 * At the beginning of a line, not in a link: a time with seconds, the seconds since 1970 of squid or unbound, or the name of a format. Not
 * `[1/12/26, 10:00:00]` of a chat that WhatsApp exports, and `[10:00:00] <bob> ` of IRC.
 */
const LOGGED =
  /^(?:(?:CEF|LEEF):\d|(?!\S*(?:\.[a-z]|:\/\/)|\u200e?\[[\d./-]{6,10}, |[^<]{0,30}\d\]? <[^<>\s]{1,30}> )(?:\D{0,4}\d{10}(?:\.\d|\])|.{0,40}?(?:(?:\b|\dT)\d\d?:\d\d:\d\d(?!\d)|\b(?:CEF|LEEF):\d)))/

/** Whether most of the first lines begin with a time, as in logs of name servers, firewalls and mail servers. One line may be a message. */
export const hasTimes = (text: string): boolean => {
  const lines = firstLines(text)
  const logged = lines.filter((line) => LOGGED.test(line)).length
  return logged > 1 && 2 * logged > lines.length
}

/** The scheme and authority of a host and port. */
const originOf = (host: string, port: string | undefined): string => {
  if (port === "443") return `https://${host}`
  return port === undefined || port === "80" ? `http://${host}` : `http://${host}:${port}`
}

/** The URL of a logged request: absolute in the log of a proxy, else of the host that the line names; undefined if there is none. */
const requestedUrl = (line: string, method: string, target: string): string | undefined => {
  if (/^https?:\/\//i.test(target)) return target
  if (method === "CONNECT") return `https://${target.replace(/:443$/, "")}/`
  const [, host, port] = HOST_FIRST.exec(line) ?? HOST_FIELD.exec(line) ?? HOST_BEHIND_QUOTE.exec(line) ?? []
  return host === undefined || !target.startsWith("/") ? undefined : `${originOf(host, port)}${target}`
}

/** A path may also carry it encoded. */
const hasScheme = ({ url }: Found): boolean => /:\/\/|^https?%/i.test(url)

/** Finds the links in a line that logs a request. The addresses of clients and servers in it are not links. */
const findInRequest = (line: string, request: RegExpExecArray): ReadonlyArray<Found> => {
  const [written, method = "", target = ""] = request
  const url = requestedUrl(line, method, target)
  const at = request.index + method.length + 2
  const requested =
    url === undefined
      ? moved(PlainText.find(target), at).filter(hasScheme)
      : [foundAt(url, at, target, url !== target)]
  const others = PlainText.find(line.replace(written, " ".repeat(written.length)))
  return [...requested, ...others.filter(hasScheme)]
}

/**
 * Finds the links in the log of a web server or proxy: requests whose host is known, and addresses in other fields. If lines begin with
 * a time, one without it continues the message before it.
 */
export const find = (text: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const isTimed = hasTimes(text)
  let message = ""
  let at = 0
  const addMessage = () => {
    append(found, moved(PlainText.find(message), at - message.length))
    message = ""
  }
  for (const line of text.split(/(?<=\n)/)) {
    const request = REQUEST.exec(line)
    if (!isTimed || request !== null || LOGGED.test(line)) addMessage()
    if (request === null) {
      append(found, moved(findInPairs(line), at))
      message += line
    } else append(found, moved(findInRequest(line, request), at))
    at += line.length
  }
  addMessage()
  return found
}
