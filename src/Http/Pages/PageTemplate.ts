const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Any text as HTML, for the content of an element and for the value of an attribute in quotes. */
const escapedHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

const BLOCK = "<!-- if "
const END_OF_NAME = " -->"
const END_OF_BLOCK = "<!-- end -->"

/** The text before and after the first separator. */
const cut = (text: string, separator: string): readonly [before: string, after: string] => {
  const start = text.indexOf(separator)
  return start === -1 ? [text, ""] : [text.slice(0, start), text.slice(start + separator.length)]
}

/**
 * Fills a page with what the service knows at its start: `{{name}}` becomes the value as escaped text, and the text between
 * `<!-- if name -->` and `<!-- end -->` stays if there is a value. Blocks do not contain others.
 *
 * `fill('<!-- if a --><a href="{{a}}">A</a><!-- end -->', {})` is `""`.
 */
export const fill = (page: string, values: Readonly<Record<string, string | undefined>>): string => {
  const [first = "", ...blocks] = page.split(BLOCK)
  const chosen = blocks.map((block) => {
    const [name, rest] = cut(block, END_OF_NAME)
    const [content, after] = cut(rest, END_OF_BLOCK)
    return values[name] === undefined ? after : content + after
  })
  return [first, ...chosen]
    .join("")
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapedHtml(values[name] ?? ""))
}
