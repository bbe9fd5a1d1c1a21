/** Divides HTML and XML into tags and attributes, as browsers do. */

/** The name of a comment, a document type or another declaration. */
export const DECLARATION = "!"

export interface Tag {
  /** In lower case. */
  readonly name: string
  readonly isClosing: boolean
  readonly attributes: string
  readonly at: number
  readonly end: number
}

const ATTRIBUTE =
  /(?<![^\s"'<>/=])([^\s"'<>/=]+)\s*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|["']?([^\t\n\f\r "'>]+))/g

export interface Attribute {
  /** In lower case. */
  readonly name: string
  /** With its entities. */
  readonly value: string
}

/** Returns the attributes of a tag that have a value. */
export const attributesOf = ({ attributes }: Tag): ReadonlyArray<Attribute> =>
  Array.from(attributes.matchAll(ATTRIBUTE), ([, name = "", ...values]) => ({
    name: name.toLowerCase(),
    value: values.find((value) => value !== undefined) ?? ""
  }))

/** Elements whose text is not shown. */
export const WITHOUT_TEXT: ReadonlySet<string> = new Set(["script", "style", "title"])

/** The ends of elements in which tags are text. */
const RAW_TEXT_ENDS: ReadonlyMap<string, RegExp> = new Map([
  ["script", /<\/script/gi],
  ["style", /<\/style/gi],
  ["title", /<\/title/gi],
  ["textarea", /<\/textarea/gi],
  ["xmp", /<\/xmp/gi],
  ["iframe", /<\/iframe/gi],
  ["noembed", /<\/noembed/gi],
  ["noframes", /<\/noframes/gi]
])

/** The last offsets of what ends a tag: a search beyond them would take the rest of the document, each time. */
interface LastOffsets {
  readonly '"': number
  readonly "'": number
  readonly ">": number
  readonly comment: number
}

/** What only Outlook shows: `<!--[if mso]>...<![endif]-->`. */
const CONDITION = /^<!--\[if[^\]>]{1,500}\]>/i
const MAX_CONDITION_CHARS = 520
/** Begins text in XML, which may be HTML. Browsers hide it in HTML, but not what exports have in it. */
const CDATA = "<![CDATA["
const COMMENT_END = /--!?>/g

/** Returns the end of a comment or declaration, or of the mark that begins readable content; undefined if it is not closed. */
const declarationEnd = (html: string, at: number, last: LastOffsets): number | undefined => {
  const condition = CONDITION.exec(html.slice(at, at + MAX_CONDITION_CHARS))?.[0]
  if (condition !== undefined) return at + condition.length
  if (html.startsWith(CDATA, at)) return at + CDATA.length
  // `<!-->` is a whole comment.
  const contentStart = at + "<!".length
  if (!html.startsWith("<!--", at))
    return contentStart <= last[">"] ? html.indexOf(">", contentStart) + 1 : undefined
  if (contentStart > last.comment) return undefined
  COMMENT_END.lastIndex = contentStart
  COMMENT_END.exec(html)
  return COMMENT_END.lastIndex
}

/** White space of HTML. What else JavaScript trims is part of a name or value. */
const BLANK = /[\t\n\f\r ]/

/** Returns the end of attributes. A quoted value may contain `>`; a quote that is not closed is an ordinary character. */
const attributesEnd = (html: string, start: number, last: LastOffsets): number => {
  let state: "before name" | "name" | "before value" | "value" = "before name"
  let end = start
  for (; end < html.length; end++) {
    const character = html.charAt(end)
    if (character === ">") break
    if (BLANK.test(character)) {
      if (state === "value") state = "before name"
    } else if (state === "before value") {
      const isQuoted = (character === '"' || character === "'") && end < last[character]
      if (isQuoted) end = html.indexOf(character, end + 1)
      state = isQuoted ? "before name" : "value"
    } else if (state === "name" && character === "=") state = "before value"
    else if (state !== "value") state = character === "/" ? "before name" : "name"
  }
  return end
}

/** Returns the tags and declarations in order. Takes linear time. */
export function* tagsOf(html: string, isXml: boolean): Generator<Tag> {
  const last: LastOffsets = {
    '"': html.lastIndexOf('"'),
    "'": html.lastIndexOf("'"),
    ">": html.lastIndexOf(">"),
    comment: Math.max(html.lastIndexOf("-->"), html.lastIndexOf("--!>"))
  }
  const neverClosed = new Set<string>()
  const start = /<(\/?)([a-z][a-z0-9:-]{0,30})([^\t\n\f\r />]*)|<!--|<(?:[!/]|\?(?!php))/gi
  for (let found = start.exec(html); found !== null; found = start.exec(html)) {
    const at = found.index
    const name = found[2]?.toLowerCase()
    if (name === undefined) {
      const end = declarationEnd(html, at, last)
      if (end === undefined) continue
      start.lastIndex = end
      // Browsers hide it like a comment. Here it is read as text: `</3` is a heart in a message.
      if (found[0] === "</") continue
      yield { name: DECLARATION, isClosing: true, attributes: "", at, end }
      continue
    }
    const isClosing = found[1] === "/"
    const end = attributesEnd(html, start.lastIndex, last)
    const attributes = `${found[3]}${html.slice(start.lastIndex, end)}`
    start.lastIndex = end
    yield { name, isClosing, attributes, at, end: end + 1 }
    const close = isXml || isClosing || neverClosed.has(name) ? undefined : RAW_TEXT_ENDS.get(name)
    if (close === undefined) continue
    close.lastIndex = end
    const closed = close.exec(html)
    if (closed !== null) start.lastIndex = closed.index
    else if (WITHOUT_TEXT.has(name)) return
    else neverClosed.add(name)
  }
}
